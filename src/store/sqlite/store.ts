import { Lanes } from '../lanes.ts';
import {
  Conflict,
  type Lane,
  OutcomeUnknown,
  type ReadTx,
  type Store,
  type Tx,
  Unavailable,
} from '../port.ts';
import { RETRIES } from '../retries.ts';
import { migrate } from '../sql/migrate.ts';
import { SQLITE_TYPES } from '../sql/migrations/types.ts';
import { Statements } from '../sql/statements.ts';
import { SqlTx } from '../sql/transaction.ts';
import { Connection } from './connection.ts';
import { SQLITE } from './dialect.ts';
import { type Directory, DirectoryRefused, takeDirectory } from './directory.ts';

export interface SqliteOptions {
  readonly clock?: () => number;
  /** How many transactions may wait for the one writer. */
  readonly waiting?: number;
}

const READERS = 8;
const WAITING = 5_000;

/**
 * The store in one file. One transaction writes at a time, which is more than READ COMMITTED asks for; readers
 * have connections of their own and see the snapshot they began with, while the writer goes on.
 */
export class SqliteStore implements Store {
  readonly #directory: Directory;
  readonly #clock: () => Promise<number>;
  readonly #statements = new Statements(SQLITE);
  readonly #writer: Connection;
  readonly #readers: Connection[] = [];
  readonly #writing: Lanes;
  readonly #reading: Lanes;

  private constructor(directory: Directory, writer: Connection, options: SqliteOptions) {
    const clock = options.clock ?? Date.now;
    this.#directory = directory;
    this.#writer = writer;
    this.#clock = async () => clock();
    this.#writing = new Lanes(1, options.waiting ?? WAITING);
    this.#reading = new Lanes(READERS, options.waiting ?? WAITING);
  }

  /** Opens a data directory: takes it, checks what is in it, and brings its schema up to date. */
  static async open(dir: string, options: SqliteOptions = {}): Promise<SqliteStore> {
    const directory = takeDirectory(dir);
    try {
      const writer = openSound(directory.file);
      writer.exec('BEGIN IMMEDIATE');
      await migrate(writer, SQLITE_TYPES, (options.clock ?? Date.now)());
      writer.exec('COMMIT');
      return new SqliteStore(directory, writer, options);
    } catch (error) {
      directory.release();
      throw error;
    }
  }

  async transact<T>(work: (tx: Tx) => Promise<T>, lane: Lane = 'work'): Promise<T> {
    await this.#writing.enter(lane);
    try {
      for (let attempt = 1; ; attempt++) {
        try {
          return await this.#once(work);
        } catch (error) {
          if (!(error instanceof Conflict) || attempt >= RETRIES) throw error;
        }
      }
    } finally {
      this.#writing.leave();
    }
  }

  async #once<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const writer = this.#writer;
    begin(writer);
    const tx = new SqlTx(writer, this.#statements, this.#clock);
    let result: T;
    try {
      result = await work(tx);
      await tx.finish();
    } catch (error) {
      writer.exec('ROLLBACK');
      throw inWords(error);
    }
    commit(writer);
    return result;
  }

  async read<T>(work: (tx: ReadTx) => Promise<T>, lane: Lane = 'work'): Promise<T> {
    await this.#reading.enter(lane);
    const reader = this.#readers.pop() ?? new Connection(this.#directory.file);
    try {
      reader.exec('BEGIN');
      // The snapshot begins with the first thing read: that must be now, not when the caller comes to it.
      reader.all('SELECT 1 FROM migrations LIMIT 1');
      return await work(new SqlTx(reader, this.#statements, this.#clock));
    } finally {
      reader.exec('ROLLBACK');
      this.#readers.push(reader);
      this.#reading.leave();
    }
  }

  async close(): Promise<void> {
    for (const reader of this.#readers.splice(0)) reader.close();
    this.#writer.close();
    this.#directory.release();
  }
}

/** A database that says of itself that it is whole; otherwise a sentence that says what to do. */
function openSound(file: string): Connection {
  let found: string;
  try {
    const db = new Connection(file);
    found = String(db.all('PRAGMA quick_check(1)')[0]?.[0]);
    if (found === 'ok') return db;
  } catch (error) {
    found = (error as Error).message;
  }
  throw new DirectoryRefused(
    `The database ${file} is damaged (${found}). Nothing was changed. Restore it from a backup and then run \`evident recovered\`.`,
  );
}

function begin(db: Connection): void {
  try {
    db.exec('BEGIN IMMEDIATE');
  } catch (error) {
    throw inWords(error);
  }
}

/** A commit that failed for want of space did nothing; after any other failure nobody can tell what is on the disk. */
function commit(db: Connection): void {
  try {
    db.exec('COMMIT');
  } catch (error) {
    try {
      db.exec('ROLLBACK');
    } catch {
      // It was rolled back by the failure itself.
    }
    throw isFull(error) ? inWords(error) : new OutcomeUnknown('the commit failed', { cause: error });
  }
}

function inWords(error: unknown): unknown {
  if (isFull(error)) return new Unavailable('The disk of the data directory is full.', { cause: error });
  return error;
}

const isFull = (error: unknown) => (error as { code?: unknown } | null)?.code === 'SQLITE_FULL';
