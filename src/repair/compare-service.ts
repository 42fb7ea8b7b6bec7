import { compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import type { Host } from '../evidence/host.ts';
import { ledgerAfter, PAGE } from '../evidence/ledger-pages.ts';
import { fileOf, recordedBy } from '../evidence/past.ts';
import { Rebuilt } from '../evidence/rebuilt.ts';
import { standingOf } from '../projection/claim.ts';
import { isListed } from '../projection/transitions.ts';
import { canonicalJson } from '../store/canonical.ts';
import { gt, lte, type ReadTx } from '../store/port.ts';
import type { CheckpointRow, Rows, ServiceRow, TransitionRow } from '../store/schema.ts';

/** One column of one stored row that is not what the ledger gives. */
export interface Difference {
  readonly table: 'services' | 'attempts' | 'checkpoints' | 'transitions' | 'ledger';
  readonly org: string;
  readonly service: string | null;
  /** Which row of the service. */
  readonly row: string;
  readonly column: string;
  readonly stored: unknown;
  readonly rebuilt: unknown;
}

/** What would make stored rows equal to the ledger again. */
export type Mend = {
  [T in 'services' | 'attempts' | 'checkpoints' | 'transitions']: {
    readonly table: T;
    readonly row: Rows[T];
    readonly set: Partial<Rows[T]>;
  };
}['services' | 'attempts' | 'checkpoints' | 'transitions'];

export interface Compared {
  readonly rows: number;
  readonly stored: ServiceRow | undefined;
  readonly differences: readonly Difference[];
  readonly mends: readonly Mend[];
}

/**
 * One service against its ledger, from one snapshot and page by page. Facts, and what is a cache of them, are
 * compared byte for byte (S9). A transition has to follow from the one before it, speak of the revision that was
 * active at its position, and lead to the state that judging gives at the instant it was written: with the ledger
 * up to there and what spans say was alive. Instants at which nothing was written are not judged again: what time
 * alone changed in between is on record once, and a record that is gone leaves a hole in the positions.
 */
export async function compareService(
  tx: ReadTx,
  host: Host,
  org: string,
  service: string,
  base: CheckpointRow | null,
): Promise<Compared> {
  return new Comparison(tx, host, org, service, base).run();
}

class Comparison {
  readonly #tx: ReadTx;
  readonly #host: Host;
  readonly #of: { readonly org: string; readonly service: string };
  readonly #rebuilt: Rebuilt;
  readonly #differences: Difference[] = [];
  readonly #mends: Mend[] = [];
  #rows = 0;
  #sinceCheckpoint = 0;
  #before: TransitionRow | null = null;
  #last: TransitionRow | null = null;
  /** The instant that is being read; judged when the next one begins. */
  #instant: number | null = null;

  constructor(tx: ReadTx, host: Host, org: string, service: string, base: CheckpointRow | null) {
    this.#tx = tx;
    this.#host = host;
    this.#of = { org, service };
    this.#rebuilt = new Rebuilt(org, service, base);
  }

  async run(): Promise<Compared> {
    const { org, service } = this.#of;
    const from = this.#rebuilt.from ?? ZERO;
    const transitions = new Ahead(pages(this.#tx, 'transitions', org, service, from));
    const checkpoints = new Ahead(pages(this.#tx, 'checkpoints', org, service, from));
    if (from !== ZERO) this.#last = await this.#lastBefore(from);
    for await (const row of ledgerAfter(this.#tx, org, service, from)) {
      await this.#transitionsBefore(transitions, row.position);
      for (let c = await checkpoints.below(row.position); c; c = await checkpoints.below(row.position))
        this.#checkpoint(c);
      await this.#enter(row.receivedAt);
      await this.#rebuilt.add(this.#tx, row);
      this.#rows += 1;
      this.#sinceCheckpoint += 1;
      if (this.#rows % PAGE === 0) await this.#attempts(false);
    }
    await this.#transitionsBefore(transitions, null);
    for (let c = await checkpoints.below(null); c; c = await checkpoints.below(null)) this.#checkpoint(c);
    await this.#judge();
    await this.#attempts(true);
    const stored = await this.#tx.get('services', this.#of);
    this.#service(stored);
    return { rows: this.#rows, stored, differences: this.#differences, mends: this.#mends };
  }

  async #lastBefore(position: Digits): Promise<TransitionRow | null> {
    const newest = { order: 'position', descending: true, limit: 1 } as const;
    const [row] = await this.#tx.select('transitions', { ...this.#of, position: lte(position) }, newest);
    return row ?? null;
  }

  async #transitionsBefore(transitions: Ahead<TransitionRow>, position: Digits | null): Promise<void> {
    for (let t = await transitions.below(position); t; t = await transitions.below(position)) {
      await this.#enter(t.recordedAt);
      this.#transition(t);
    }
  }

  /** Everything of one millisecond is read before it is judged: its order is in the positions, not in the time. */
  async #enter(at: number): Promise<void> {
    if (this.#instant !== null && this.#instant < at) await this.#judge();
    this.#instant = at;
  }

  /** The order, and what the transition speaks about. */
  #transition(row: TransitionRow): void {
    const before = this.#last;
    const { active } = this.#rebuilt;
    const expected = {
      from: before?.to ?? null,
      revision: active?.revision ?? row.revision,
      attempt: active?.attempt.attempt ?? row.attempt,
    };
    this.#before = before;
    this.#last = { ...row, ...expected };
    this.#compare('transitions', row.position, row, expected, row);
    const same = before?.revision === row.revision && before.attempt === row.attempt;
    if (row.to !== 'unknown' && !isListed(expected.from, row.to, same))
      this.#differ('transitions', row.position, 'to', row.to, 'a state that the table lists here');
    if (row.at > row.recordedAt || (before !== null && row.at < before.at))
      this.#differ('transitions', row.position, 'at', row.at, 'an instant in the order of the positions');
  }

  async #judge(): Promise<void> {
    const at = this.#instant;
    const last = this.#last;
    if (at === null || this.#rebuilt.active === undefined) return;
    if (last === null) {
      this.#differ('transitions', `at ${at}`, 'to', null, 'a first transition');
      return;
    }
    const { settings } = this.#host;
    const file = await fileOf(this.#tx, settings, { ...this.#of, at }, this.#rebuilt.proven, last);
    // Beats are not kept: a deadline that passed less than a blindness ago may not have been confirmed yet.
    const awake = [file.vitals.awakeUntil, file.vitals.awakeUntil - settings.blindAfterMs];
    // What was recorded at this instant was judged from the transition before it: a step that the table does not
    // list was recorded as `unknown`.
    const recorded = last.recordedAt === at ? [recordedBy(this.#before), file.recorded] : [file.recorded];
    const states = recorded.flatMap((from) =>
      awake.map((awakeUntil) => {
        const facts = { ...file.facts, recorded: from, vitals: { ...file.vitals, awakeUntil } };
        return standingOf(file.intent, facts, at).standing.state;
      }),
    );
    if (states.includes(last.to)) return;
    const judged = { to: states[0] ?? last.to };
    this.#compare('transitions', last.position, last, judged, last);
    this.#last = { ...last, ...judged };
  }

  #checkpoint(row: CheckpointRow): void {
    this.#compare('checkpoints', row.position, row, { proven: this.#rebuilt.proven }, row);
    this.#sinceCheckpoint = 0;
  }

  async #attempts(all: boolean): Promise<void> {
    for (const row of this.#rebuilt.takeAttempts(all)) {
      const stored = await this.#tx.get('attempts', row);
      this.#compare('attempts', `${row.revision}.${row.attempt}`, stored, row, row);
    }
  }

  #service(stored: ServiceRow | undefined): void {
    const last = this.#last;
    const columns = this.#rebuilt.columns();
    if (last === null || columns.proven === undefined) return;
    const { to: state, at: since, position } = last;
    const expected = { ...columns, state, since, position };
    // A service is judged anew after it was mended: everything that depends on now is due at once.
    const due = { settledTo: last.recordedAt, steadyUntil: last.recordedAt, due: last.recordedAt };
    const whole = { ...this.#of, createdAt: since, rejected: 0, command: null, hidden: false };
    const { awaitsReport, sinceCheckpoint } = { awaitsReport: true, sinceCheckpoint: this.#sinceCheckpoint };
    const row = { ...whole, ...stored, ...expected, ...due, awaitsReport, sinceCheckpoint } as ServiceRow;
    this.#compare('services', this.#of.service, stored, expected, row);
  }

  /** Byte for byte, column by column; what differs is told, and how to mend it. */
  #compare<T extends Mend['table']>(
    table: T,
    name: string,
    stored: Rows[T] | undefined,
    expected: Partial<Rows[T]>,
    whole: Rows[T],
  ): void {
    let differs = false;
    for (const [column, rebuilt] of Object.entries(expected)) {
      const have = stored?.[column as keyof typeof stored];
      if (stored !== undefined && canonicalJson(have) === canonicalJson(rebuilt)) continue;
      differs = true;
      this.#differ(table, name, column, have, rebuilt);
    }
    if (differs) this.#mends.push({ table, row: whole, set: expected } as Mend);
  }

  #differ(table: Mend['table'], row: string, column: string, stored: unknown, rebuilt: unknown): void {
    this.#differences.push({ table, ...this.#of, row, column, stored, rebuilt });
  }
}

type Positioned = TransitionRow | CheckpointRow;

async function* pages<T extends 'transitions' | 'checkpoints'>(
  tx: ReadTx,
  table: T,
  org: string,
  service: string,
  after: Digits,
): AsyncGenerator<Rows[T]> {
  for (let from = after; ; ) {
    const where = { org, service, position: gt(from) };
    const rows: Positioned[] = await tx.select<'transitions' | 'checkpoints'>(table, where, {
      order: 'position',
      limit: PAGE,
    });
    yield* rows as Rows[T][];
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    from = last.position;
  }
}

/** Rows in the order of their positions, looked at one ahead. */
class Ahead<Row extends Positioned> {
  readonly #rows: AsyncGenerator<Row>;
  #next: Row | undefined;

  constructor(rows: AsyncGenerator<Row>) {
    this.#rows = rows;
  }

  /** The next one, if it stands below the position; null: wherever it stands. */
  async below(position: Digits | null): Promise<Row | undefined> {
    this.#next ??= (await this.#rows.next()).value as Row | undefined;
    const row = this.#next;
    if (row === undefined || (position !== null && compareDigits(row.position, position) >= 0))
      return undefined;
    this.#next = undefined;
    return row;
  }
}
