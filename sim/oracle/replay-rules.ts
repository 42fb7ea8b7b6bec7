import { Rng } from '../../lab/rng.ts';
import type { Claim } from '../../src/contract/claim.ts';
import type { Evidence } from '../../src/contract/evidence.ts';
import { workersFor } from '../../src/evidence/door/liveness.ts';
import { fileNow, loadIntent } from '../../src/evidence/door/service-file.ts';
import { claim } from '../../src/projection/claim.ts';
import { NOTHING_PROVEN, type Proven } from '../../src/projection/facts.ts';
import { fold } from '../../src/projection/fold.ts';
import { judge } from '../../src/projection/judge.ts';
import { neededCommand } from '../../src/projection/workload.ts';
import { canonicalJson } from '../../src/store/canonical.ts';
import { sourceKey } from '../../src/store/schema.ts';
import type { OracleInputs } from '../oracle-port.ts';
import type { ServiceBook } from './books.ts';
import type { Findings } from './findings.ts';

/** A claim as it was read live, to be asked for again when it is the past. */
interface Remembered {
  readonly book: ServiceBook;
  readonly at: number;
  readonly state: Claim['state'];
  readonly cause: string | null;
  readonly lastServing: number | null;
  readonly position: number;
}

const REMEMBERED = 12;
const LONG_MS = 3_600_000;

/** The one place where the real code is its own witness: rebuilt, replayed and asked again, it must say the same. */
export class ReplayRules {
  readonly #findings: Findings;
  readonly #around: OracleInputs;
  readonly #remembered: Remembered[] = [];

  constructor(findings: Findings, around: OracleInputs) {
    this.#findings = findings;
    this.#around = around;
  }

  /** S9: facts rebuilt from the ledger equal the stored ones, byte for byte. */
  rebuild(book: ServiceBook): void {
    if (book.row === null) return;
    this.#findings.count('S9');
    this.#compare(book, book.admitted.reduce(fold, NOTHING_PROVEN), 'the ledger in its order');
  }

  /** S9: and under every interleaving that keeps each source's own order, and with repetitions. */
  shuffle(book: ServiceBook, seed: number): void {
    if (book.row === null) return;
    this.#findings.count('S9.shuffled');
    const rng = new Rng(seed);
    let proven: Proven = NOTHING_PROVEN;
    const folded: Evidence[] = [];
    for (const row of interleaved(book.admitted, rng)) {
      proven = fold(proven, row);
      folded.push(row);
      if (rng.chance(0.2)) proven = fold(proven, rng.pick(folded));
    }
    this.#compare(book, proven, 'another interleaving of its sources');
  }

  #compare(book: ServiceBook, rebuilt: Proven, how: string): void {
    // Equal values give equal bytes: the bytes are made only to show where they differ.
    if (isSame(book.row?.proven, rebuilt)) return;
    const [stored, again] = [canonicalJson(book.row?.proven), canonicalJson(rebuilt)];
    if (stored === again) return;
    let at = 0;
    while (stored[at] === again[at]) at++;
    const near = (text: string) => text.slice(Math.max(0, at - 80), at + 60);
    this.#findings.broken(
      'S9',
      `the facts of ${book.name} are not what ${how} gives: stored …${near(stored)}… but folded …${near(again)}…`,
    );
  }

  /** S14: replaying only the evidence that a claim cites gives the same state. */
  async replay(book: ServiceBook, current: Claim, now: number): Promise<void> {
    this.#findings.count('S14');
    const cited = new Set(current.proof.evidence);
    const { store, settings } = this.#around;
    const [state, served, nothing] = await store.read(async (tx) => {
      const file = (await fileNow(tx, settings, book.org, book.service))?.file;
      if (file === undefined) return ['nothing', null, undefined] as const;
      file.proven = book.admitted.filter((row) => cited.has(row.id)).reduce(fold, NOTHING_PROVEN);
      await loadIntent(tx, file);
      const facts = { ...file.facts, recorded: null };
      const judged = judge(file.intent, facts, now);
      const { lastServing, nothingServes } = claim(file.intent, facts, now, { judged });
      return [judged.state, lastServing, nothingServes] as const;
    });
    if (current.nothingServes !== undefined && nothing === undefined)
      this.#findings.broken(
        'S14',
        `${book.name} is said to serve nothing, but what it cites does not prove that`,
      );
    const { lastServing } = current;
    if (
      state === current.state &&
      (lastServing?.asOf !== served?.asOf || lastServing?.revision !== served?.revision)
    )
      this.#findings.broken(
        'S14',
        `${book.name} served ${JSON.stringify(lastServing)} last, but what it cites gives ${JSON.stringify(served)}`,
      );
    if (state === current.state) return;
    this.#findings.broken(
      'S14',
      `the claim of ${book.name} is ${current.state} (${current.cause?.code ?? ''}), but what it cites gives ${state}: ${[...cited].join(' ')}`,
    );
  }

  /** Until `validUntil` time alone changes nothing; without one, never. */
  async holds(book: ServiceBook, current: Claim, now: number): Promise<void> {
    this.#findings.count('valid_until.before');
    const { validUntil } = current.freshness;
    const at = validUntil === null ? now + LONG_MS : Date.parse(validUntil) - 1;
    const { store, settings } = this.#around;
    const then = await store.read(async (tx) => {
      const file = (await fileNow(tx, settings, book.org, book.service))?.file;
      if (file === undefined) return current;
      const kind = file.active && file.activeIntent ? neededCommand(file.activeIntent, file.active) : null;
      if (kind !== null)
        file.liveness = {
          ...file.liveness,
          workers: await workersFor(tx, book, kind, now, settings),
        };
      return claim(file.intent, file.facts, at);
    });
    const words = ({ state, cause, outcome }: Claim) => `${state} (${cause?.code ?? ''}), ${outcome}`;
    if (words(current) === words(then)) return;
    this.#findings.broken(
      'valid_until',
      `${book.name} is ${words(current)} at ${now}, valid until ${validUntil ?? 'for ever'}, but at ${at} it is ${words(then)}`,
    );
  }

  /** A deadline that has passed and that no beat has confirmed yet is a matter of the live view alone. */
  remember(book: ServiceBook, claim: Claim, at: number, position: number): void {
    const by = claim.expecting?.by;
    if (by != null && Date.parse(by) <= at) return;
    const lastServing = claim.lastServing?.revision ?? null;
    const entry = { book, at, state: claim.state, cause: claim.cause?.code ?? null, lastServing, position };
    if (this.#remembered.length < REMEMBERED) this.#remembered.push(entry);
    else this.#remembered[(at + position) % REMEMBERED] = entry;
  }

  /** A claim shown at an instant is shown of that instant later, too. */
  async revisit(): Promise<void> {
    for (const { book, at, state, cause, lastServing, position } of this.#remembered) {
      if (arrivedLater(this.#around, book.org, position, at)) continue;
      this.#findings.count('time_travel');
      const claim = await this.#around.claimAt(book.org, book.service, at);
      if (claim?.state === state) {
        if (lastServing !== null && claim.serving === null && claim.lastServing?.revision !== lastServing)
          this.#findings.broken(
            'time_travel',
            `at ${new Date(at).toISOString()} ${book.name} had served r${lastServing} last, asked later ${JSON.stringify(claim.lastServing)}`,
          );
        continue;
      }
      if (state === 'unknown' && !wasRecorded(this.#around, book.org, book.service, at)) continue;
      this.#findings.broken(
        'time_travel',
        `at ${new Date(at).toISOString()} ${book.name} was ${state} (${cause}), but asked later it was ${claim?.state ?? 'nothing'} (${claim?.cause?.code ?? ''}); the head was ${position}`,
      );
    }
  }
}

/** The same JSON, whatever order the keys were written in. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, i) => isSame(item, b[i]));
  }
  const [x, y] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const keys = Object.keys(x);
  return keys.length === Object.keys(y).length && keys.every((key) => isSame(x[key], y[key]));
}

/**
 * A heartbeat or calm report that was heard in time but committed late makes the past stronger than the reading
 * of then: nobody had been shown otherwise unless the silence was recorded.
 */
function wasRecorded({ store }: OracleInputs, org: string, service: string, at: number): boolean {
  let state: string | null = null;
  for (const row of store.tables.transitions.values()) {
    if (row.org === org && row.service === service && row.at <= at) state = row.to;
  }
  return state === 'unknown';
}

/** Rows that came after the reading but in the same millisecond belong to that instant too. */
function arrivedLater({ store }: OracleInputs, org: string, position: number, at: number): boolean {
  for (let next = position + 1; ; next++) {
    const key = `${org}|${next}`;
    const row = store.tables.ledger.get(key);
    if (row !== undefined) return row.receivedAt <= at;
    const transition = store.tables.transitions.get(key);
    if (transition === undefined && !store.tables.alarms.has(key)) return false;
  }
}

function interleaved(rows: readonly Evidence[], rng: Rng): Evidence[] {
  const sources = new Map<string, Evidence[]>();
  for (const row of rows) {
    // The reports of one target are one source, whoever is its agent: epochs put them in order.
    const key = row.source.role === 'watcher' ? 'watcher' : sourceKey(row.source);
    const own = sources.get(key);
    if (own === undefined) sources.set(key, [row]);
    else own.push(row);
  }
  const waiting = [...sources.values()].map((own) => ({ own, next: 0 }));
  const mixed: Evidence[] = [];
  while (waiting.length > 0) {
    const i = rng.int(0, waiting.length - 1);
    const source = waiting[i];
    const row = source?.own[source.next++];
    if (row === undefined) waiting.splice(i, 1);
    else mixed.push(row);
  }
  return mixed;
}
