import { compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import type { Host } from '../evidence/door/host.ts';
import { headAt } from '../evidence/past/head-at.ts';
import { PAGE } from '../evidence/past/ledger-pages.ts';
import { intact, keyOf, pick, readable } from '../store/broken-row.ts';
import { gt, lt, type ReadTx, type Tx } from '../store/port.ts';
import { type RetentionRow, type Rows, sourceKey, type Table } from '../store/schema.ts';
import { type RetainedRows, retainedRows } from './archive-retained.ts';
import { oldRevisions } from './archive-revisions.ts';
import { oldSpans, oldWorkers } from './archive-spans.ts';
import type { MovedRow } from './moved-row.ts';
import { nextService } from './rebuild.ts';

interface RetentionPolicy {
  /** Rows from before this instant, by the store's clock, may move out; nothing younger than a day ever does. */
  readonly before: number;
  /** The newest revisions of each service that stay, however old. */
  readonly keepRevisions: number;
}

interface ArchiveOptions {
  readonly policy: RetentionPolicy;
  /** The time of this machine's clock: a row that is old by the store's clock alone stays (F35). */
  readonly wall?: number;
  /** False: only writes the rows that would move out, and removes none. */
  readonly remove: boolean;
  readonly moved: (rows: readonly MovedRow[]) => Promise<void>;
}

export type Archived = Partial<Record<Table, number>>;

/** The time for which a repeated request or submission is recognised (docs/protocol.md). */
const REMEMBERED_MS = 24 * 3_600_000;

/**
 * Moves out old rows, in small transactions that never lock the head of the ledger, so that nobody waits.
 * From the first of them on, instants before the border answer `before_retention`; later ones stay exact,
 * because a checkpoint replaces the rows before it. Evidence that the facts at the border mention stays, and
 * so everything that any claim since then cites (S14, F16). Positions are never issued again (S10).
 */
export async function archive(host: Host, org: string, options: ArchiveOptions): Promise<Archived> {
  return new ArchiveRun(host, org, options).run();
}

class ArchiveRun {
  readonly #host: Host;
  readonly #org: string;
  readonly #options: ArchiveOptions;
  readonly #counts: Archived = {};

  constructor(host: Host, org: string, options: ArchiveOptions) {
    this.#host = host;
    this.#org = org;
    this.#options = options;
  }

  async run(): Promise<Archived> {
    const border = await this.#border();
    if (border === null) return this.#counts;
    // Ids are forgotten first, because they are found by ledger rows that move out next.
    if (this.#options.remove) await this.#forget();
    for (let service = await this.#next(''); service; service = await this.#next(service))
      await this.#service(service, border);
    await this.#unserved(border);
    const { keptFrom } = border;
    const { freshForMs } = this.#host.settings;
    await this.#moveAll(await this.#read((tx) => oldSpans(tx, this.#org, keptFrom)));
    await this.#moveAll(await this.#read((tx) => oldWorkers(tx, this.#org, keptFrom, freshForMs)));
    return this.#counts;
  }

  #read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    return this.#host.store.read(work);
  }

  #next(after: string): Promise<string | undefined> {
    return nextService(this.#host, this.#org, after);
  }

  /** The instant since which a request or a submission may still be repeated. */
  async #repeatedFrom(tx: ReadTx): Promise<number> {
    return Math.min(await tx.now(), this.#options.wall ?? Number.POSITIVE_INFINITY) - REMEMBERED_MS;
  }

  /**
   * Records the border before any row moves out: from then on instants before it are no longer answered. It
   * only ever moves on.
   */
  async #border(): Promise<RetentionRow | null> {
    const org = this.#org;
    const place = async (tx: ReadTx): Promise<RetentionRow | null> => {
      const row = await tx.get('retention', { org });
      const border = intact(row);
      const keptFrom = Math.min(this.#options.policy.before, await this.#repeatedFrom(tx));
      if (border !== undefined && keptFrom <= border.keptFrom) return border;
      const position = await headAt(tx, org, keptFrom - 1);
      return position === ZERO ? null : { org, keptFrom, position, idsTo: readable(row).idsTo ?? ZERO };
    };
    const border = await this.#read(place);
    if (border === null || !this.#options.remove) return border;
    await this.#host.store.transact(async (tx) => {
      const { keptFrom, position } = border;
      if (!(await tx.insert('retention', border)))
        await tx.update('retention', { org }, { keptFrom: lt(keptFrom) }, { keptFrom, position });
    });
    return border;
  }

  async #service(service: string, border: RetentionRow): Promise<void> {
    const org = this.#org;
    const retained = await this.#read((tx) => retainedRows(tx, org, service, border));
    if (retained === null) return;
    // The checkpoint is written before the rows that it replaces are removed.
    if (this.#options.remove)
      await this.#host.store.transact((tx) => tx.insert('checkpoints', retained.checkpoint));
    await this.#positioned(
      'ledger',
      { org, service },
      border.position,
      ({ id }) => id === undefined || !retained.mentioned.has(id),
    );
    await this.#positioned(
      'transitions',
      { org, service },
      border.position,
      ({ position }) => position !== retained.last,
    );
    await this.#positioned('checkpoints', { org, service }, border.position, (row) => isBelow(row, retained));
    for (let after = 0; ; ) {
      const { keepRevisions } = this.#options.policy;
      const old = await this.#read((tx) =>
        oldRevisions(tx, org, service, retained, keepRevisions, border.keptFrom, after),
      );
      if (old === null) break;
      if (old.moved.length > 0) await this.#move(old.moved);
      after = old.revision;
    }
  }

  /** Moves out rows that belong to no service: registrations, rejected reports, blindness; and alarms. */
  async #unserved(border: RetentionRow): Promise<void> {
    const org = this.#org;
    const current = await this.#read((tx) => registrationsAt(tx, org, border.keptFrom));
    const none = { org, service: null };
    await this.#positioned('ledger', none, border.position, ({ id }) => id === undefined || !current.has(id));
    await this.#positioned('alarms', { org }, border.position, () => true);
  }

  /** Moves out the rows of one table up to a position, a page at a time: written first, then removed. */
  async #positioned<T extends 'ledger' | 'transitions' | 'checkpoints' | 'alarms'>(
    table: T,
    where: object,
    upTo: Digits,
    moves: (row: Partial<Rows[T]>) => boolean,
  ): Promise<void> {
    for (let from = ZERO; ; ) {
      const page = { order: 'position', limit: PAGE } as const;
      const rows = await this.#read((tx) =>
        tx.select<'alarms'>(table as 'alarms', { ...where, position: gt(from) }, page),
      );
      // A row whose position cannot be read may be young, and stays.
      const old = rows.filter((row) => {
        const { position } = readable(row);
        return position !== undefined && compareDigits(position, upTo) <= 0;
      });
      const moving = old.filter((row) => moves(readable(row) as Partial<Rows[T]>));
      await this.#move(moving.map((row) => ({ table, row }) as unknown as MovedRow));
      const { position: last } = readable(rows.at(-1));
      if (last === undefined || rows.length < PAGE || old.length < rows.length) return;
      from = last;
    }
  }

  async #moveAll(rows: readonly MovedRow[]): Promise<void> {
    for (let from = 0; from < rows.length; from += PAGE) await this.#move(rows.slice(from, from + PAGE));
  }

  async #move(rows: readonly MovedRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#options.moved(rows);
    for (const { table } of rows) this.#counts[table] = (this.#counts[table] ?? 0) + 1;
    if (!this.#options.remove) return;
    await this.#host.store.transact(async (tx) => {
      for (const moved of rows) await remove(tx, moved);
    });
  }

  /** Removes expired keys and ids: they only recognise repetitions, and are no part of the history. */
  async #forget(): Promise<void> {
    const org = this.#org;
    for (;;) {
      const done = await this.#host.store.transact(async (tx) => {
        const old = { org, createdAt: lt(await this.#repeatedFrom(tx)) };
        const keys = await tx.select('keys', old, { order: 'createdAt', limit: PAGE });
        for (const row of keys) {
          const key = keyOf('keys', row);
          if (key !== undefined) await tx.remove('keys', key, {});
        }
        return keys.length < PAGE;
      });
      if (done) break;
    }
    while (!(await this.#forgetIds()));
  }

  /**
   * Forgets the ids of one page of the ledger that can no longer be repeated. True: there is no further page.
   */
  async #forgetIds(): Promise<boolean> {
    const org = this.#org;
    return this.#host.store.transact(async (tx) => {
      const { idsTo } = readable(await tx.lock('retention', { org }));
      if (idsTo === undefined) return true;
      const until = await this.#repeatedFrom(tx);
      const page = { order: 'position', limit: PAGE } as const;
      const rows = await tx.select('ledger', { org, position: gt(idsTo) }, page);
      const old = rows.filter((row) => (readable(row).receivedAt ?? Number.POSITIVE_INFINITY) < until);
      for (const row of old) {
        const named = pick(row, 'source', 'id', 'position');
        if (named === undefined) continue;
        const { source, id, position } = named;
        await tx.remove('evidenceIds', { org, source: sourceKey(source), id }, { position });
      }
      const { position: last } = readable(old.at(-1));
      if (last !== undefined) await tx.update('retention', { org }, {}, { idsTo: last });
      return old.length < PAGE;
    });
  }
}

/** The registrations that were current for each target at the border. */
async function registrationsAt(tx: ReadTx, org: string, before: number): Promise<ReadonlySet<string>> {
  const speakers = new Map<string, string>();
  const order = { order: ['registeredAt', 'epoch'] } as const;
  for (const row of await tx.select('registrations', { org, registeredAt: lt(before) }, order)) {
    const spoke = pick(row, 'target', 'evidence');
    if (spoke !== undefined) speakers.set(spoke.target, spoke.evidence);
  }
  return new Set(speakers.values());
}

const isBelow = ({ position }: { position?: Digits }, { checkpoint }: RetainedRows) =>
  position !== undefined && compareDigits(position, checkpoint.position) < 0;

async function remove(tx: Tx, { table, row }: MovedRow): Promise<void> {
  const key = keyOf<Table>(table, row);
  if (key !== undefined) await tx.remove<Table>(table, key, {});
}
