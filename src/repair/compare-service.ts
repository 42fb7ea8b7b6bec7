import { compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import type { Evidence } from '../contract/evidence.ts';
import type { State } from '../contract/vocabulary.ts';
import { readFacts } from '../evidence/door/facts-cache.ts';
import type { Host } from '../evidence/door/host.ts';
import { brokenColumn, intactLedgerRow } from '../evidence/door/row-integrity.ts';
import { loadIntent } from '../evidence/door/service-file.ts';
import { isAdmitted, ledgerAfter, PAGE } from '../evidence/past/ledger-pages.ts';
import { fileOf, recordedBy } from '../evidence/past/past.ts';
import { Rebuilt } from '../evidence/past/rebuilt.ts';
import { settingsThrough } from '../evidence/past/settings-then.ts';
import { standingOf } from '../projection/claim.ts';
import type { Proven, Settings } from '../projection/facts.ts';
import type { Standing } from '../projection/standing.ts';
import { isListed } from '../projection/transitions.ts';
import { BrokenRow, intact, isIntact, NAMELESS, readable, type Stored } from '../store/broken-row.ts';
import { canonicalJson } from '../store/canonical.ts';
import { lte, type ReadTx } from '../store/port.ts';
import type { AnyLedgerRow, CheckpointRow, Rows, ServiceRow, TransitionRow } from '../store/schema.ts';
import { damageOf, type RowDifference } from './difference.ts';
import { type MissingRows, onlyPosition } from './missing-rows.ts';
import { type BeforeMissing, transitionAfter, transitionAround } from './missing-transition.ts';
import { Lookahead, type PositionedRow, rowsAfter } from './positioned-rows.ts';
import { triggerOf } from './transition-trigger.ts';

/** A change that makes a stored row equal to the ledger again. */
export type Mend = {
  [T in 'services' | 'attempts' | 'checkpoints' | 'transitions']: {
    readonly table: T;
    readonly row: Rows[T];
    readonly set: Partial<Rows[T]>;
  };
}['services' | 'attempts' | 'checkpoints' | 'transitions'];

export interface Compared {
  readonly rows: number;
  readonly stored: Stored<'services'> | undefined;
  readonly differences: readonly RowDifference[];
  readonly mends: readonly Mend[];
  /** The number of differences that the mends remove. */
  readonly mended: number;
  /** Positions of missing transitions that were recomputed from the rest. */
  readonly recreated: readonly Digits[];
}

interface ComparisonInput {
  readonly org: string;
  readonly service: string;
  /** The checkpoint that replaces the rows that retention has moved out. */
  readonly base: CheckpointRow | null;
  /** The runs of missing rows of the org, in order. */
  readonly missing: readonly MissingRows[];
  readonly onRows: (rows: number) => void;
}

/**
 * Compares one service with its ledger, from one snapshot and page by page. Facts and their cached columns
 * are compared byte for byte (S9). A transition must follow from the one before it, name the revision that
 * was active at its position, name the trigger that the door would have named, and lead to the state and stage
 * that judging gives at the instant it was recorded: with the ledger up to there and the liveness in the
 * spans. Instants without a record are not judged again: a change by time alone is recorded once, and a
 * missing record leaves a gap in the positions, where it is recomputed if the rest allows it.
 *
 * If a row that the service is rebuilt from cannot be read, nothing is compared: only the damage is reported.
 */
export async function compareService(tx: ReadTx, host: Host, subject: ComparisonInput): Promise<Compared> {
  return new ServiceComparison(tx, await settingsThrough(tx, host.settings), subject).run();
}

class ServiceComparison {
  readonly #tx: ReadTx;
  /** The settings in force at an instant; each transition is judged by those of when it was recorded. */
  readonly #settingsAt: (at: number) => Settings;
  readonly #of: { readonly org: string; readonly service: string };
  readonly #base: CheckpointRow | null;
  readonly #missing: readonly MissingRows[];
  readonly #onRows: (rows: number) => void;
  readonly #rebuilt: Rebuilt;
  readonly #damage: RowDifference[] = [];
  readonly #differences: RowDifference[] = [];
  readonly #mends: Mend[] = [];
  readonly #recreated: Digits[] = [];
  #stored: Stored<'services'> | undefined;
  readonly #transitions: Lookahead<PositionedRow<'transitions'>>;
  readonly #checkpoints: Lookahead<PositionedRow<'checkpoints'>>;
  /** The index of the first run of missing rows that has not been passed. */
  #nextMissing = 0;
  #rows = 0;
  #mended = 0;
  #sinceCheckpoint = 0;
  /** The newest evidence of the service since its last transition. */
  #evidence: Evidence | null = null;
  #before: TransitionRow | null = null;
  #last: TransitionRow | null = null;
  /** Columns of the last transition that cannot be read and are not restored yet. */
  #unread: readonly string[] = [];
  /** The facts at the last transition. */
  #then: Proven;
  /** True while the last transition is not judged. */
  #isUnjudged = false;
  /** The instant whose rows are being read; judged when the next one begins. */
  #instant: number | null = null;

  constructor(
    tx: ReadTx,
    settingsAt: (at: number) => Settings,
    { org, service, base, missing, onRows }: ComparisonInput,
  ) {
    this.#tx = tx;
    this.#settingsAt = settingsAt;
    this.#of = { org, service };
    this.#base = base;
    this.#missing = missing;
    this.#onRows = onRows;
    this.#rebuilt = new Rebuilt(org, service, base);
    this.#then = this.#rebuilt.proven;
    this.#transitions = new Lookahead(rowsAfter(tx, 'transitions', org, service, this.#from));
    this.#checkpoints = new Lookahead(rowsAfter(tx, 'checkpoints', org, service, this.#from));
  }

  get #from(): Digits {
    return this.#rebuilt.from ?? ZERO;
  }

  async run(): Promise<Compared> {
    const { org, service } = this.#of;
    this.#stored = await this.#tx.get('services', this.#of);
    if (this.#base !== null) await this.#begin(this.#base);
    for await (const row of ledgerAfter(this.#tx, org, service, this.#from)) {
      this.#rows += 1;
      if (this.#rows % PAGE === 0) this.#onRows(this.#rows);
      const column = brokenColumn(row);
      if (column !== null)
        this.#isDamaged('ledger', readable(row).position ?? NAMELESS, column, 'unreadable');
      const read = intactLedgerRow(row);
      if (this.#damage.length === 0 && read !== undefined) await this.#read(read);
    }
    if (this.#damage.length === 0) await this.#finish();
    const isUndamaged = this.#damage.length === 0;
    return {
      rows: this.#rows,
      stored: this.#stored,
      differences: isUndamaged ? this.#differences : this.#damage,
      mends: isUndamaged ? this.#mends : [],
      mended: isUndamaged ? this.#mended : 0,
      recreated: isUndamaged ? this.#recreated : [],
    };
  }

  async #begin({ position, proven }: CheckpointRow): Promise<void> {
    if (readFacts(proven) === null) this.#isDamaged('checkpoints', position, 'proven', 'unreadable');
    this.#last = await this.#lastBefore(position);
    await loadIntent(this.#tx, this.#rebuilt);
    await this.#readIntents();
  }

  async #read(row: AnyLedgerRow): Promise<void> {
    await this.#upTo(row.position);
    await this.#enter(row.receivedAt);
    await this.#rebuilt.add(this.#tx, row);
    await this.#readIntents();
    if (isAdmitted(row)) await this.#lostAfter(row);
    this.#sinceCheckpoint += 1;
    if (this.#rows % PAGE === 0) await this.#attempts(false);
  }

  async #finish(): Promise<void> {
    await this.#upTo(null);
    await this.#judge();
    await this.#attempts(true);
    this.#service(this.#stored);
  }

  /**
   * Reads the intents of the revisions. They are a source like the ledger: without them nothing can be
   * judged.
   */
  async #readIntents(): Promise<void> {
    for (const revision of this.#rebuilt.unread) {
      const row = await this.#tx.get('revisions', { ...this.#of, revision });
      const [column] = row === undefined || isIntact(row) ? [] : row.unreadable;
      if (column !== undefined) this.#isDamaged('revisions', String(revision), column, 'unreadable');
      else this.#isDamaged('revisions', String(revision), 'revision', 'missing');
    }
  }

  async #lastBefore(position: Digits): Promise<TransitionRow | null> {
    const newest = { order: 'position', descending: true, limit: 1 } as const;
    const [row] = await this.#tx.select('transitions', { ...this.#of, position: lte(position) }, newest);
    return intact(row) ?? null;
  }

  /** Compares every row of the service below a position, in order; null: all remaining rows. */
  async #upTo(position: Digits | null): Promise<void> {
    for (;;) {
      const [t, c] = [await this.#transitions.peek(), await this.#checkpoints.peek()];
      const missing = this.#missing[this.#nextMissing];
      const places = [t?.position, c?.position, missing?.after.position].filter((p) => p !== undefined);
      const next = places.toSorted(compareDigits)[0];
      if (next === undefined || (position !== null && compareDigits(next, position) >= 0)) return;
      if (next === c?.position) this.#checkpoint(this.#checkpoints.take());
      else if (next === t?.position) await this.#transition(this.#transitions.take());
      else {
        if (missing !== undefined) await this.#lostIn(missing);
        this.#nextMissing += 1;
      }
    }
  }

  /**
   * Judges the previous instant. All rows of one millisecond are read before they are judged: positions give
   * their order, not time.
   */
  async #enter(at: number): Promise<void> {
    if (this.#instant !== null && this.#instant < at) await this.#judge();
    this.#instant = at;
  }

  /** Compares a transition's order, its revision and its trigger. */
  async #transition(placed: PositionedRow<'transitions'>): Promise<void> {
    const row = this.#filled(placed);
    const trigger = await triggerOf(row, {
      tx: this.#tx,
      settings: this.#settingsAt(row.recordedAt),
      proven: this.#rebuilt.proven,
      evidence: this.#evidence,
      last: this.#last,
    });
    await this.#enter(trigger.recordedAt ?? row.recordedAt);
    await this.#pass(row.from);
    const before = this.#last;
    const { active } = this.#rebuilt;
    const expected = {
      from: before?.to ?? null,
      revision: active?.revision ?? row.revision,
      attempt: active?.attempt.attempt ?? row.attempt,
      ...trigger,
    };
    this.#follow({ ...row, ...expected });
    this.#unread = isIntact(placed.row) ? [] : placed.row.unreadable;
    this.#compare('transitions', row.position, placed.row, expected, row);
    const { at, recordedAt } = { ...row, ...expected };
    if (at > recordedAt || (before !== null && at < before.at))
      this.#differ('transitions', row.position, 'at', at, 'an instant in the order of the positions');
  }

  /**
   * A transition with neutral values in the unreadable columns, so that the comparison finds the right ones.
   */
  #filled({ position, row }: PositionedRow<'transitions'>): TransitionRow {
    if (isIntact(row)) return row;
    const { active } = this.#rebuilt;
    const at = row.readable.recordedAt ?? this.#instant ?? 0;
    const about = { revision: active?.revision ?? 0, attempt: active?.attempt.attempt ?? 0, stage: null };
    const led = { from: this.#last?.to ?? null, to: 'unknown', owner: 'clock', evidence: NAMELESS } as const;
    return { ...this.#of, position, at, recordedAt: at, ...about, ...led, ...row.readable };
  }

  #follow(row: TransitionRow): void {
    this.#unread = [];
    this.#before = this.#last;
    this.#last = row;
    this.#then = this.#rebuilt.proven;
    this.#isUnjudged = true;
    this.#evidence = null;
  }

  /**
   * Passes a transition that another follows in the same instant: the liveness between them is not recorded.
   * Its state stands, unless judging gives the state from which the other one continues.
   */
  async #pass(from: State | null): Promise<void> {
    const last = this.#last;
    if (!this.#isUnjudged || last === null) return;
    const standings = await this.#standings(last, this.#then, last.recordedAt);
    const other = standings.find(({ state }) => state === from);
    if (other === undefined || standings.some(({ state }) => state === last.to))
      this.#last = this.#staged(last, standings);
    else this.#last = this.#judged(last, { to: other.state, stage: other.stage });
    this.#list();
  }

  #judged(last: TransitionRow, judged: Partial<TransitionRow>): TransitionRow {
    const { position } = last;
    const unread = this.#unread.filter((column) => Object.hasOwn(judged, column));
    const stored = unread.length === 0 ? last : new BrokenRow('transitions', last, unread);
    this.#compare('transitions', position, stored, judged, last);
    this.#unread = this.#unread.filter((column) => !Object.hasOwn(judged, column));
    return { ...last, ...judged };
  }

  #staged(last: TransitionRow, standings: readonly Standing[]): TransitionRow {
    const same = standings.filter(({ state }) => state === last.to);
    const [first] = same;
    if (first === undefined || same.some(({ stage }) => stage === last.stage)) return last;
    return this.#judged(last, { stage: first.stage });
  }

  #list(): void {
    const [before, last] = [this.#before, this.#last];
    if (!this.#isUnjudged || last === null) return;
    this.#isUnjudged = false;
    const same = before?.revision === last.revision && before.attempt === last.attempt;
    if (last.to !== 'unknown' && !isListed(last.from, last.to, same, 'observe'))
      this.#differ('transitions', last.position, 'to', last.to, 'a state that the table lists here');
  }

  async #judge(): Promise<void> {
    const at = this.#instant;
    const last = this.#last;
    if (at === null || this.#rebuilt.active === undefined) return;
    if (last === null) {
      this.#differ('transitions', `at ${at}`, 'to', null, 'a first transition');
      return;
    }
    const { proven } = this.#rebuilt;
    const standings = await this.#standings(last, proven, at);
    const fits = standings.some(({ state }) => state === last.to);
    this.#last = fits ? last : this.#judged(last, { to: (standings[0] as Standing).state });
    // The facts at its position: rows behind it in the same instant may have moved the stage on.
    const isThen = proven === this.#then;
    if (this.#isUnjudged)
      this.#last = this.#staged(this.#last, isThen ? standings : await this.#standings(last, this.#then, at));
    this.#list();
  }

  async #standings(last: TransitionRow, proven: Proven, at: number): Promise<Standing[]> {
    const settings = this.#settingsAt(at);
    const file = await fileOf(this.#tx, settings, { ...this.#of, at }, proven, last);
    // Old beats are not stored: a deadline that passed less than `blindAfterMs` ago may not have been
    // confirmed yet.
    const awake = [file.liveness.awakeUntil, file.liveness.awakeUntil - settings.blindAfterMs];
    // A transition recorded at this instant was judged from the transition before it: one that the table does not
    // list was recorded as `unknown`.
    const recorded = last.recordedAt === at ? [recordedBy(this.#before), file.recorded] : [file.recorded];
    return recorded.flatMap((from) =>
      awake.map((awakeUntil) => {
        const facts = { ...file.facts, recorded: from, liveness: { ...file.liveness, awakeUntil } };
        return standingOf(file.intent, facts, at).standing;
      }),
    );
  }

  /** Recomputes a transition missing right behind evidence that changed the claim. */
  async #lostAfter(row: Evidence): Promise<void> {
    this.#evidence = row;
    const missing = this.#missing[this.#nextMissing];
    if (missing?.after.position !== row.position) return;
    const place = onlyPosition(missing);
    // The service's row holds the position of its last transition: none is missing above it.
    if (place === null || compareDigits(place, readable(this.#stored).position ?? place) > 0) return;
    const lost = await transitionAfter(await this.#asOf(place), row, place);
    if (lost !== null) await this.#recreate(lost);
  }

  /**
   * Recomputes a transition missing elsewhere. The missing row belongs to this service if the next transition
   * does not continue from the one before it, and no other row is missing between them.
   */
  async #lostIn(missing: MissingRows): Promise<void> {
    const place = onlyPosition(missing);
    if (place === null || this.#recreated.includes(place)) return;
    const before = await this.#asOf(place);
    const earlier = this.#missing[this.#nextMissing - 1];
    const isAlone = !earlier || compareDigits(earlier.after.position, this.#last?.position ?? ZERO) < 0;
    if (before.wanted === null || before.wanted === this.#last?.to || !isAlone) return;
    const lost = await transitionAround(before, missing, place);
    if (lost !== null) await this.#recreate(lost);
  }

  async #asOf(place: Digits): Promise<BeforeMissing> {
    const settings = this.#settingsAt(this.#instant ?? 0);
    const wanted = await this.#wantedAfter(place);
    return { tx: this.#tx, settings, ...this.#of, proven: this.#rebuilt.proven, last: this.#last, wanted };
  }

  async #wantedAfter(place: Digits): Promise<State | null> {
    const next = await this.#transitions.peek();
    const stored = readable(this.#stored);
    if (next === undefined) return stored.position === place ? (stored.state ?? null) : null;
    const later = this.#missing[this.#nextMissing + 1];
    return later && compareDigits(later.after.position, next.position) < 0
      ? null
      : (readable(next.row).from ?? null);
  }

  async #recreate(lost: TransitionRow): Promise<void> {
    await this.#enter(lost.recordedAt);
    await this.#pass(lost.from);
    this.#follow(lost);
    this.#recreated.push(lost.position);
    this.#mended += 1;
    this.#differ('transitions', lost.position, 'position', null, lost);
    this.#mends.push({ table: 'transitions', row: lost, set: lost });
  }

  #checkpoint({ position, row }: PositionedRow<'checkpoints'>): void {
    const { proven } = this.#rebuilt;
    const complete = { ...this.#of, position, receivedAt: 0, proven, ...readable(row) };
    this.#compare('checkpoints', position, row, { proven }, complete);
    this.#sinceCheckpoint = 0;
  }

  async #attempts(all: boolean): Promise<void> {
    for (const row of this.#rebuilt.takeAttempts(all)) {
      const stored = await this.#tx.get('attempts', row);
      this.#compare('attempts', `${row.revision}.${row.attempt}`, stored, row, row);
    }
  }

  #service(stored: Stored<'services'> | undefined): void {
    const last = this.#last;
    const columns = this.#rebuilt.columns();
    if (last === null || columns.proven === undefined) return;
    const { to: state, at: since, position } = last;
    const expected = { ...columns, state, since, position };
    // A mended service is judged anew: everything that depends on the current time is due at once.
    const due = { settledTo: last.recordedAt, steadyUntil: last.recordedAt, due: last.recordedAt };
    const complete = { ...this.#of, createdAt: since, rejected: 0, command: null, hidden: false };
    const { awaitsReport, sinceCheckpoint } = { awaitsReport: true, sinceCheckpoint: this.#sinceCheckpoint };
    const row = {
      ...complete,
      ...readable(stored),
      ...expected,
      ...due,
      awaitsReport,
      scope: '*',
      sinceCheckpoint,
    } as ServiceRow;
    this.#compare('services', this.#of.service, stored, expected, row);
  }

  /** Compares a row byte for byte, column by column; adds each difference and its mend. */
  #compare<T extends Mend['table']>(
    table: T,
    name: string,
    stored: Stored<T> | undefined,
    expected: Partial<Rows[T]>,
    complete: Rows[T],
  ): void {
    let differs = false;
    const unread: readonly string[] = stored instanceof BrokenRow ? stored.unreadable : [];
    const read: Partial<Record<string, unknown>> = readable(stored);
    for (const [column, rebuilt] of Object.entries(expected)) {
      const isRead = stored !== undefined && !unread.includes(column);
      if (isRead && canonicalJson(read[column]) === canonicalJson(rebuilt)) continue;
      differs = true;
      this.#mended += 1;
      this.#differ(table, name, column, isRead ? read[column] : null, rebuilt);
    }
    if (differs) this.#mends.push({ table, row: { ...complete, ...expected }, set: expected } as Mend);
  }

  #differ(table: Mend['table'], row: string, column: string, stored: unknown, rebuilt: unknown): void {
    this.#differences.push({ table, ...this.#of, row, column, stored, rebuilt, damage: null });
  }

  #isDamaged(
    table: RowDifference['table'],
    row: string,
    column: string,
    how: 'missing' | 'unreadable',
  ): void {
    if (this.#damage.some((d) => d.table === table && d.row === row)) return;
    this.#damage.push(damageOf({ table, ...this.#of, row, column }, how));
  }
}
