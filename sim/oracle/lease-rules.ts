import type { MemoryStore } from '../../src/store/memory.ts';
import type { BlindRow, LeaseRow } from '../../src/store/schema.ts';
import type { Happening } from '../oracle-port.ts';
import type { Books } from './books.ts';
import type { Findings } from './findings.ts';

/** Beyond every pause of a sweeper that leaves no blindness behind. */
const STUCK_MS = 60_000;
/** Caps how far the beats of one turn are apart; servers take a turn every second. */
const TURN_MS = 500;

/** Rules of a lease: who is granted one, how far it may reach, and when time may end it (S3). */
export class LeaseRules {
  readonly #books: Books;
  readonly #findings: Findings;
  readonly #tables: MemoryStore['tables'];
  readonly #ttlMs: number;

  constructor(books: Books, findings: Findings, tables: MemoryStore['tables'], ttlMs: number) {
    this.#books = books;
    this.#findings = findings;
    this.#tables = tables;
    this.#ttlMs = ttlMs;
  }

  /** `latest` is the latest that the store's clock ever was: nobody can have gone by a later one. */
  written(row: LeaseRow, before: LeaseRow | undefined, latest: number): void {
    if (before === undefined) {
      this.#granted(row);
      return;
    }
    if (row.endedAt !== null && before.endedAt === null) this.#ended.set(`${row.org}|${row.id}`, latest);
    if (row.until > before.until) this.#extended(row, before, latest);
    if (row.end === 'lapsed' && before.end === null) this.#lapsed(row, before);
    if (row.endedAt === null && row.acknowledgedAt !== null) this.#stopsGrowing(row);
  }

  /** When the end of a lease could be seen: it is as of the instant at which its transaction began, and that may last. */
  readonly #ended = new Map<string, number>();

  /** A heartbeat that was answered as good was sent while the lease was open. */
  beat({ org, lease, fence, at }: Extract<Happening, { kind: 'beat' }>): void {
    this.#findings.count('S3.beat');
    const row = this.#tables.leases.get(`${org}|${lease}`);
    const end = this.#ended.get(`${org}|${lease}`) ?? Number.POSITIVE_INFINITY;
    if (row === undefined || row.fence !== fence || end < at)
      this.#broken(`a heartbeat extended ${lease} at ${at}, which ended at ${row?.endedAt ?? 'no time'}`);
  }

  #lastBeat = 0;
  /** Leases open at the last beat: a grant that was paused before its commit may be long over when it is made. */
  #found: ReadonlySet<string> = new Set();

  /**
   * L3, while everything still goes wrong: whenever a server beats, no lease is open long after its end. Sweepers may
   * be paused and killed on the way, so that "long" is several turns; once faults have stopped it is one.
   */
  looked(beat: number): void {
    // A server that beats sweeps next: leases that were open at the beat before have had their turn. One turn has a beat
    // for each org, and these are one beat.
    const at = this.#lastBeat;
    if (beat - at < TURN_MS) return;
    this.#lastBeat = beat;
    const found = this.#found;
    const open = new Set<string>();
    this.#found = open;
    for (const book of this.#books.services.values()) {
      for (const lease of book.openLeases.values()) {
        this.#findings.count('L3');
        open.add(`${lease.org}|${lease.id}`);
        if (!found.has(`${lease.org}|${lease.id}`)) continue;
        if (at <= lease.until + STUCK_MS) continue;
        const end = withoutBlindness(
          lease.until - this.#ttlMs,
          this.#ttlMs + STUCK_MS,
          this.#books.org(lease.org).blinds,
        );
        if (at > end)
          this.#findings.broken(
            'L3',
            `${lease.id} ended at ${lease.until}, and is still open at ${at} although servers beat`,
          );
      }
    }
  }

  /** A registration revokes the leases of older epochs in its own transaction. */
  registered(org: string, target: string, epoch: string): void {
    this.#findings.count('S3.registered');
    for (const lease of this.#tables.leases.values()) {
      if (lease.org !== org || lease.target !== target || lease.kind === 'build') continue;
      if (lease.endedAt === null && lease.epoch !== epoch)
        this.#broken(`${lease.id} of epoch ${lease.epoch} is still open after epoch ${epoch} registered`);
    }
  }

  #granted({ org, target, kind, instance, id }: LeaseRow): void {
    if (kind === 'build') return;
    this.#findings.count('S3.granted');
    const agent = this.#tables.agents.get(`${org}|${target}`);
    if (agent !== undefined && agent.instance !== instance)
      this.#broken(`${id} was granted to ${instance}, but ${agent.instance} speaks for ${target}`);
  }

  #extended(row: LeaseRow, before: LeaseRow, latest: number): void {
    this.#findings.count('S3.extended');
    if (before.endedAt !== null) this.#broken(`${row.id} was extended after it had ended`);
    if (!before.growing) this.#broken(`${row.id} was extended although its work was cancelled or superseded`);
    if (before.acknowledgedAt !== null && row.until - this.#ttlMs >= before.until) this.#revived(row, before);
    if (row.until > latest + this.#ttlMs)
      this.#broken(`${row.id} reaches to ${row.until}, more than ${this.#ttlMs} ms after ${latest}`);
  }

  /** It had reached its end and goes on: the past keeps both spans, and the silence between them. */
  #revived(row: LeaseRow, before: LeaseRow): void {
    this.#findings.count('S3.revived');
    for (const span of this.#tables.spans.values())
      if (span.org === row.org && span.subject === `lease/${row.id}` && span.until === before.until) return;
    this.#broken(`${row.id} ended at ${before.until} and goes on, and nothing keeps the silence between`);
  }

  /** By time a lease ends only when its end was reached, the platform's blindness not counted. */
  #lapsed(row: LeaseRow, before: LeaseRow): void {
    this.#findings.count('S3.lapsed');
    const end = withoutBlindness(before.until - this.#ttlMs, this.#ttlMs, this.#books.org(row.org).blinds);
    if ((row.endedAt ?? 0) < end)
      this.#broken(`${row.id} lapsed at ${row.endedAt}, before its end at ${end}`);
  }

  /** The lease of cancelled or superseded work no longer grows; its holder learns why with the next heartbeat. */
  #stopsGrowing({ org, command, id, growing }: LeaseRow): void {
    const work = this.#tables.commands.get(`${org}|${command}`);
    if (work === undefined || (work.state !== 'superseded' && !work.cancelRequested)) return;
    this.#findings.count('S3.not_growing');
    if (growing) this.#broken(`${id} goes on growing although its work is ${work.state}`);
  }

  #broken(detail: string): void {
    this.#findings.broken('S3', detail);
  }
}

/** The instant at which `ms` have passed since `start`, each blind millisecond left out once. */
export function withoutBlindness(start: number, ms: number, blinds: readonly BlindRow[]): number {
  let end = start + ms;
  let seen = start;
  for (const { from, to } of [...blinds].sort((a, b) => a.from - b.from)) {
    const begin = Math.max(from, seen);
    if (begin >= end) break;
    if (to <= begin) continue;
    end += to - begin;
    seen = to;
  }
  return end;
}
