import { isIntact, keyOf, type Stored } from './broken-row.ts';
import { predicateKey } from './caching-tx.ts';
import { matches } from './match-row.ts';
import type { OrgImage } from './org-image.ts';
import type { Answers, AppendedRow, ChainedWrite, Expect, Read, Select, Tx, Update } from './port.ts';
import { type HeadRow, type Key, keyText, type Rows, type Table } from './schema.ts';

/** What is remembered does not answer this: the work has to be done behind the head's lock. */
export class NeedsLock extends Error {
  override readonly name = 'NeedsLock';
}

/** Which rows may answer without the lock. */
export interface Trust {
  row(table: Table, row: Rows[Table]): boolean;
  /** The same for a row that must not change until the group is written. */
  lockedRow(table: Table, row: Rows[Table]): boolean;
  result(table: Table, rows: readonly unknown[], readAt: number): boolean;
  /** What is not remembered may be read without the lock: the tip, or a guard, proves that it still holds when written. */
  reads(read: Exclude<Read, 'now'>): boolean;
}

/** Rows that no work reads by their keys. */
const NEVER_READ: ReadonlySet<Table> = new Set(['ledger', 'transitions', 'alarms', 'checkpoints']);

/** Reads rows in one round trip, without any lock. */
export type ReadUnlocked = (reads: readonly Read[]) => Promise<readonly (readonly Stored<Table>[])[]>;

/**
 * A transaction over what is remembered of an org. What is not remembered is read without a lock, and what is written is
 * gathered for one chained write: if the head still has its tip then, nothing that only its lock lets change has changed
 * since. Every answer that the write would not prove needs the lock.
 */
export class ChainedTx implements Tx {
  readonly #image: OrgImage;
  readonly #now: number;
  readonly #trust: Trust;
  readonly #readUnlocked: ReadUnlocked;
  /** Rows and results that were read for this transaction; undefined: there is no such row. */
  readonly #readRows = new Map<Table, Map<string, Stored<Table> | undefined>>();
  readonly #readResults = new Map<string, readonly Stored<Table>[]>();
  readonly #appends: AppendedRow[] = [];
  readonly #updates: Update[][] = [];
  #head: Partial<HeadRow> | null = null;
  /** Rows as this transaction has written them; undefined: it has changed one that it does not know. */
  readonly #written = new Map<Table, Map<string, Rows[Table] | undefined>>();

  constructor(image: OrgImage, now: number, trust: Trust, readUnlocked: ReadUnlocked) {
    this.#image = image;
    this.#now = now;
    this.#trust = trust;
    this.#readUnlocked = readUnlocked;
  }

  /** What to write; null: nothing, and so nothing proves that what is remembered still holds. */
  group(believed: HeadRow): ChainedWrite | null {
    if (this.#head === null) return null;
    const { org, tip, position } = believed;
    const head = { position, at: believed.at, ...this.#head } as ChainedWrite['head'];
    return {
      ...{ org, believed: { tip, position }, head, now: this.#now },
      ...{ appends: this.#appends, updates: this.#updates },
    };
  }

  async now(): Promise<number> {
    return this.#now;
  }

  async get<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined> {
    const [[row]] = (await this.readAll([{ table, keys: [key] } as unknown as Read])) as [Stored<T>[]];
    return row;
  }

  async lock<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined> {
    const [[row]] = (await this.readAll([{ table, keys: [key], lock: true } as unknown as Read])) as [
      Stored<T>[],
    ];
    return row;
  }

  async select<T extends Table>(
    table: T,
    where: Expect<Rows[T]>,
    options: Select<Rows[T]> = {},
  ): Promise<Stored<T>[]> {
    const [rows] = (await this.readAll([{ table, where, options } as unknown as Read])) as [Stored<T>[]];
    return rows;
  }

  async selectKeys(table: Table): Promise<never> {
    throw new NeedsLock(`keys of ${table} by predicate`);
  }

  async readAll<const A extends readonly Read[]>(reads: A): Promise<Answers<A>> {
    await this.#readMissing(reads);
    return reads.map((read) => {
      if (read === 'now') return this.#now;
      if ('where' in read) return this.#result(read.table, predicateKey(read.where, read.options));
      return read.keys.flatMap((key) => this.#row<Table>(read.table, key, read.lock ?? false) ?? []);
    }) as Answers<A>;
  }

  /** Reads what is neither remembered nor written here, in one round trip. */
  async #readMissing(reads: readonly Read[]): Promise<void> {
    const missing = reads.flatMap((read): Exclude<Read, 'now'>[] => {
      if (read === 'now' || !this.#trust.reads(read)) return [];
      if ('where' in read) return this.#isMissing(read) ? [read] : [];
      const keys = new Map<string, Key<Table>>();
      for (const key of read.keys) {
        const text = keyText<Table>(read.table, key);
        if (this.#isUnknown(read.table, text)) keys.set(text, key);
      }
      return keys.size === 0 ? [] : [{ table: read.table, keys: [...keys.values()] } as Exclude<Read, 'now'>];
    });
    if (missing.length === 0) return;
    const answers = await this.#readUnlocked(missing);
    for (const [i, read] of missing.entries()) {
      const rows = answers[i] ?? [];
      if ('where' in read) {
        const predicate = predicateKey(read.where, read.options);
        this.#readResults.set(`${read.table} ${predicate}`, rows);
        this.#image.learnResult(read.table, predicate, rows, this.#now);
      } else this.#learn(read.table, read.keys, rows);
    }
  }

  #learn(table: Table, keys: readonly Key<Table>[], rows: readonly Stored<Table>[]): void {
    const known = this.#readRows.get(table) ?? new Map<string, Stored<Table> | undefined>();
    this.#readRows.set(table, known);
    const found = new Map<string, Stored<Table>>();
    for (const row of rows) {
      const key = keyOf(table, row);
      if (key !== undefined) found.set(keyText(table, key), row);
    }
    for (const key of keys) {
      const text = keyText(table, key);
      known.set(text, found.get(text));
      this.#image.learnRow(table, text, found.get(text));
    }
  }

  #isMissing({ table, where, options }: { table: Table; where: object; options?: object }): boolean {
    const predicate = predicateKey(where, options);
    if (this.#written.has(table) || this.#readResults.has(`${table} ${predicate}`)) return false;
    const known = this.#image.result(table, predicate);
    return known === undefined || !this.#trust.result(table, known.rows, known.readAt);
  }

  #isUnknown(table: Table, key: string): boolean {
    if (this.#written.get(table)?.has(key) || this.#readRows.get(table)?.has(key)) return false;
    const row = this.#image.row(table, key);
    return row === undefined || (row !== null && !this.#trust.row(table, row));
  }

  /** A new command's id is new as a rule: one that exists after all refuses the group. */
  async insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean> {
    if (table !== 'commands') throw new NeedsLock(`a new row of ${table}`);
    await this.append(table, row);
    return true;
  }

  async append<T extends Table>(table: T, row: Rows[T]): Promise<void> {
    this.#appends.push({ table, row } as unknown as AppendedRow);
    if (!NEVER_READ.has(table)) this.#note(table, keyText(table, row as unknown as Key<T>), row);
  }

  /** The row need not be remembered: that it matches is proven by the write, which is refused otherwise. */
  async update<T extends Table>(
    table: T,
    key: Key<T>,
    expect: Expect<Rows[T]>,
    set: Partial<Rows[T]>,
  ): Promise<number> {
    if (Object.values(expect).some((want) => typeof want === 'object' && want !== null))
      throw new NeedsLock(`a comparison in ${table}`);
    const row = this.#known(table, keyText(table, key));
    if (row === null || (row !== undefined && isIntact(row) && !matches(row as Rows[T], expect))) return 0;
    await this.updateOrFail([{ table, key, expect, set } as unknown as Update]);
    return 1;
  }

  async updateAll(updates: readonly Update[]): Promise<number[]> {
    const matched: number[] = [];
    for (const { table, key, expect, set } of updates)
      matched.push(await this.update<Table>(table, key, expect as Expect<Rows[Table]>, set));
    return matched;
  }

  async updateOrFail(updates: readonly Update[]): Promise<void> {
    const gathered: Update[] = [];
    for (const update of updates) {
      if (update.table === 'heads') {
        this.#head = { ...this.#head, ...update.set };
        continue;
      }
      gathered.push(update);
      const key = keyText<Table>(update.table, update.key);
      const row = this.#known<Table>(update.table, key);
      const isKnown = row != null && isIntact(row);
      this.#note(update.table, key, isKnown ? ({ ...row, ...update.set } as Rows[Table]) : undefined);
    }
    if (gathered.length > 0) this.#updates.push(gathered);
  }

  async remove(table: Table): Promise<number> {
    throw new NeedsLock(`a row of ${table} to remove`);
  }

  #result(table: Table, predicate: string): readonly Stored<Table>[] {
    if (this.#written.has(table)) throw new NeedsLock(`${table} by predicate`);
    const read = this.#readResults.get(`${table} ${predicate}`);
    const known =
      read === undefined ? this.#image.result(table, predicate) : { rows: read, readAt: this.#now };
    if (known === undefined) throw new NeedsLock(`${table} by predicate`);
    if (!this.#trust.result(table, known.rows, known.readAt)) throw new NeedsLock(`${table} of now`);
    return [...known.rows];
  }

  /**
   * Ids of evidence are new as a rule: they are looked up by nobody, and one that exists after all refuses the group, so
   * that the locked path answers the repetition.
   */
  #row<T extends Table>(table: T, key: Key<T>, lock: boolean): Stored<T> | undefined {
    if (table === 'heads') return this.#image.head as Rows[T];
    const text = keyText(table, key);
    if (table === 'evidenceIds' && !this.#written.get(table)?.has(text)) return undefined;
    const row = this.#known(table, text);
    if (row === undefined) throw new NeedsLock(`${table} ${text}`);
    if (row === null) return undefined;
    const trusted = isIntact(row) && (lock ? this.#trust.lockedRow(table, row) : this.#trust.row(table, row));
    if (!trusted) throw new NeedsLock(`${table} ${text} of now`);
    return row;
  }

  /** The row; null: there is none; undefined: it is not known. */
  #known<T extends Table>(table: T, key: string): Stored<T> | null | undefined {
    const written = this.#written.get(table);
    if (written?.has(key)) return written.get(key) as Rows[T] | undefined;
    const read = this.#readRows.get(table);
    if (read?.has(key)) return (read.get(key) as Stored<T> | undefined) ?? null;
    return this.#image.row(table, key);
  }

  #note(table: Table, key: string, row: Rows[Table] | undefined): void {
    const rows = this.#written.get(table) ?? new Map<string, Rows[Table] | undefined>();
    this.#written.set(table, rows.set(key, row));
  }
}
