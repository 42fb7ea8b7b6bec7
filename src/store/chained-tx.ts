import { predicateKey } from './caching-tx.ts';
import { matches } from './match-row.ts';
import type { OrgImage } from './org-image.ts';
import type { Answers, AppendedRow, ChainedWrite, Expect, Read, Select, Tx, Update } from './port.ts';
import { type HeadRow, type Key, keyText, type Rows, type Table } from './schema.ts';

/** What is remembered does not answer this: the work has to be done behind the head's lock. */
export class NeedsLock extends Error {
  override readonly name = 'NeedsLock';
}

/** Which remembered rows may answer. */
export interface Trust {
  row(table: Table, row: Rows[Table]): boolean;
  /** The same for a row that must not change until the group is written. */
  lockedRow(table: Table, row: Rows[Table]): boolean;
  result(table: Table, rows: readonly unknown[], readAt: number): boolean;
}

/**
 * A transaction over what is remembered of an org: it reads nothing from the database, and what it writes is gathered for
 * one chained write. Whatever is not remembered needs the lock; so does every answer that the write would not prove.
 */
export class ChainedTx implements Tx {
  readonly #image: OrgImage;
  readonly #now: number;
  readonly #trust: Trust;
  readonly #appends: AppendedRow[] = [];
  readonly #updates: Update[][] = [];
  #head: Partial<HeadRow> | null = null;
  /** Rows as this transaction has written them; undefined: it has changed one that it does not know. */
  readonly #written = new Map<Table, Map<string, Rows[Table] | undefined>>();

  constructor(image: OrgImage, now: number, trust: Trust) {
    this.#image = image;
    this.#now = now;
    this.#trust = trust;
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

  async get<T extends Table>(table: T, key: Key<T>): Promise<Rows[T] | undefined> {
    return this.#read(table, key, false);
  }

  async lock<T extends Table>(table: T, key: Key<T>): Promise<Rows[T] | undefined> {
    return this.#read(table, key, true);
  }

  async select<T extends Table>(
    table: T,
    where: Expect<Rows[T]>,
    options: Select<Rows[T]> = {},
  ): Promise<Rows[T][]> {
    const result = this.#image.result(table, predicateKey(where, options));
    if (result === undefined || this.#written.has(table)) throw new NeedsLock(`${table} by predicate`);
    if (!this.#trust.result(table, result.rows, result.readAt)) throw new NeedsLock(`${table} of now`);
    return [...result.rows] as Rows[T][];
  }

  async readAll<const A extends readonly Read[]>(reads: A): Promise<Answers<A>> {
    const answers: unknown[] = [];
    for (const read of reads) {
      if (read === 'now') answers.push(this.#now);
      else if ('where' in read)
        answers.push(await this.select<Table>(read.table, read.where, read.options as Select<Rows[Table]>));
      else
        answers.push(
          read.keys.flatMap((key) => this.#read<Table>(read.table, key, read.lock ?? false) ?? []),
        );
    }
    return answers as Answers<A>;
  }

  /** A new command's id is new as a rule: one that exists after all refuses the group. */
  async insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean> {
    if (table !== 'commands') throw new NeedsLock(`a new row of ${table}`);
    await this.append(table, row);
    return true;
  }

  async append<T extends Table>(table: T, row: Rows[T]): Promise<void> {
    this.#appends.push({ table, row } as unknown as AppendedRow);
    this.#note(table, keyText(table, row as unknown as Key<T>), row);
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
    if (row === null || (row !== undefined && !matches(row, expect))) return 0;
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
      this.#note(update.table, key, row == null ? undefined : ({ ...row, ...update.set } as Rows[Table]));
    }
    if (gathered.length > 0) this.#updates.push(gathered);
  }

  async remove(table: Table): Promise<number> {
    throw new NeedsLock(`a row of ${table} to remove`);
  }

  /**
   * Ids of evidence are new as a rule: they are looked up by nobody, and one that exists after all refuses the group, so
   * that the locked path answers the repetition.
   */
  #read<T extends Table>(table: T, key: Key<T>, lock: boolean): Rows[T] | undefined {
    if (table === 'heads') return this.#image.head as Rows[T];
    const text = keyText(table, key);
    if (table === 'evidenceIds' && !this.#written.get(table)?.has(text)) return undefined;
    const row = this.#known(table, text);
    if (row === undefined) throw new NeedsLock(`${table} ${text}`);
    if (row === null) return undefined;
    const trusted = lock ? this.#trust.lockedRow(table, row) : this.#trust.row(table, row);
    if (!trusted) throw new NeedsLock(`${table} ${text} of now`);
    return row;
  }

  #known<T extends Table>(table: T, key: string): Rows[T] | null | undefined {
    const written = this.#written.get(table);
    if (written?.has(key)) return written.get(key) as Rows[T] | undefined;
    return this.#image.row(table, key);
  }

  #note(table: Table, key: string, row: Rows[Table] | undefined): void {
    const rows = this.#written.get(table) ?? new Map<string, Rows[Table] | undefined>();
    this.#written.set(table, rows.set(key, row));
  }
}
