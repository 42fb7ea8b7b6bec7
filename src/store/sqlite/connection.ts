import Database from 'libsql';
import { Conflict, Locked, NoRoom, ReadOnly } from '../port.ts';
import type { ChangeShape, Column, DatabaseSession, Value } from '../sql/dialect.ts';
import { parseRow, rowAsJson } from './row-as-json.ts';

const BUSY_MS = 2_000;
/** A checkpoint writes every changed page again and waits for the disk: after 32 MiB of changes, not after 4. */
const CHECKPOINT_PAGES = 8_192;

type Prepared = ReturnType<InstanceType<typeof Database>['prepare']>;

/**
 * One connection with its prepared statements. SQLite itself is synchronous; only the port is asynchronous.
 */
export class SqliteConnection implements DatabaseSession {
  readonly #db: InstanceType<typeof Database>;
  readonly #prepared = {
    all: new Map<string, Prepared>(),
    get: new Map<string, Prepared>(),
    run: new Map<string, Prepared>(),
  };

  /** `synchronous` FULL flushes every commit (F53). OFF survives the death of the process, but not of the machine. */
  constructor(file: string, synchronous: 'FULL' | 'OFF' = 'FULL') {
    this.#db = new Database(file);
    this.#db.pragma('journal_mode = WAL');
    this.#db.pragma(`synchronous = ${synchronous}`);
    this.#db.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    this.waitsFor(BUSY_MS);
  }

  /** Sets how long a statement may block the only thread while another program holds the lock. */
  waitsFor(ms: number): void {
    this.#db.pragma(`busy_timeout = ${ms}`);
  }

  /** Sets how much of the file the connection keeps in memory. */
  keepsInMemory(kib: number): void {
    this.#db.pragma(`cache_size = -${kib}`);
  }

  exec(sql: string): void {
    asPortError(() => this.#db.exec(sql));
  }

  async rows(sql: string, values: readonly Value[]): Promise<readonly (readonly unknown[])[]> {
    return this.all(sql, values).map(unpackRow);
  }

  all(sql: string, values: readonly Value[] = []): readonly (readonly unknown[])[] {
    return this.#prepare(sql, 'all').all([...values]) as unknown[][];
  }

  /** Faster than `rows`: the driver fetches lists by the hundred. */
  async row(sql: string, values: readonly Value[]): Promise<readonly unknown[] | undefined> {
    const row = this.#prepare(sql, 'get').get([...values]) as unknown[] | undefined;
    return row === undefined ? undefined : unpackRow(row);
  }

  /** One statement each: there is no round trip to save. */
  rowEach(
    sql: string,
    _kinds: unknown,
    values: readonly (readonly Value[])[],
  ): Promise<readonly (readonly unknown[] | undefined)[]> {
    return Promise.all(values.map((some) => this.row(sql, some)));
  }

  async run(sql: string, values: readonly Value[]): Promise<number> {
    return asPortError(() => this.#prepare(sql, 'run').run([...values]).changes);
  }

  /**
   * One statement per row: there is no round trip to save, and a statement for several rows would only be
   * more text to cache.
   */
  async append(
    table: string,
    columns: readonly Column[],
    rows: readonly (readonly Value[])[],
  ): Promise<void> {
    const marks = columns.map(() => '?').join(', ');
    const names = columns.map(({ name }) => `"${name}"`).join(', ');
    const insert = this.#prepare(`INSERT INTO "${table}" (${names}) VALUES (${marks})`, 'run');
    asPortError(() => {
      for (const row of rows) insert.run([...row]);
    });
  }

  /**
   * All keys are bound as one list, so that the text does not depend on their number; CROSS JOIN makes the
   * list the outer loop.
   */
  async find(
    table: string,
    columns: readonly string[],
    key: readonly Column[],
    keys: readonly (readonly Value[])[],
  ): Promise<readonly (readonly unknown[])[]> {
    const on = key.map(({ name }, i) => `t."${name}" = k.value ->> ${i}`).join(' AND ');
    const wanted = rowAsJson(columns.map((name) => `t."${name}"`));
    return this.rows(`SELECT ${wanted} FROM json_each(?) AS k CROSS JOIN "${table}" AS t ON ${on}`, [
      JSON.stringify(keys),
    ]);
  }

  async change(
    table: string,
    { key, expect, set }: ChangeShape,
    rows: readonly (readonly Value[])[],
  ): Promise<readonly number[]> {
    const where = [...key.map(({ name }) => `"${name}" = ?`), ...expect.map(({ name }) => `"${name}" IS ?`)];
    const sets = set.map(({ name }) => `"${name}" = ?`).join(', ');
    const update = this.#prepare(`UPDATE "${table}" SET ${sets} WHERE ${where.join(' AND ')}`, 'run');
    const before = key.length + expect.length;
    return asPortError(() =>
      rows.map((row) => update.run([...row.slice(before), ...row.slice(0, before)]).changes),
    );
  }

  async changeAll(table: string, shape: ChangeShape, rows: readonly (readonly Value[])[]): Promise<void> {
    if ((await this.change(table, shape, rows)).includes(0))
      throw new Conflict(`a row of ${table} is no longer as it was read`);
  }

  /**
   * The driver keeps a closed connection and its locks as long as one of its statements is referenced, so the
   * statements are dropped first.
   */
  close(): void {
    if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
    for (const statements of Object.values(this.#prepared)) statements.clear();
    this.#db.close();
  }

  /**
   * A statement is prepared for one method only: after an `all`, the driver's `get` on the same statement
   * answers for the parameters of the `all`.
   */
  #prepare(sql: string, how: 'all' | 'get' | 'run'): Prepared {
    const cached = this.#prepared[how].get(sql);
    if (cached !== undefined) return cached;
    const prepared = this.#db.prepare(sql);
    // Rows are read as arrays: the driver's row objects carry a property of their own.
    if (how !== 'run') prepared.raw(true);
    this.#prepared[how].set(sql, prepared);
    return prepared;
  }
}

/** No statement selects bytes, so a row of bytes is one that was selected as one value. */
const unpackRow = (row: readonly unknown[]) => (row[0] instanceof Uint8Array ? parseRow(row[0]) : row);

/**
 * The driver's error as an error of the port: a statement that found no room on the disk, or no lock, did
 * nothing.
 */
function asPortError<T>(statement: () => T): T {
  try {
    return statement();
  } catch (error) {
    const code = String((error as { code?: unknown } | null)?.code);
    if (code.startsWith('SQLITE_BUSY'))
      throw new Locked('Another program holds the database of the data directory.', { cause: error });
    if (code.startsWith('SQLITE_READONLY'))
      throw new ReadOnly('The database of the data directory takes no writes: its disk is read-only.', {
        cause: error,
      });
    if (code !== 'SQLITE_FULL') throw error;
    throw new NoRoom('The disk of the data directory is full.', { cause: error });
  }
}
