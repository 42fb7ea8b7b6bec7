import { setTimeout as sleep } from 'node:timers/promises';
import { LaneQueue } from '../lane-queue.ts';
import { type OpenTransaction, runWithRetries } from '../open-transaction.ts';
import {
  type Lane,
  Locked,
  type NoRoom,
  OutcomeUnknown,
  type ReadOnly,
  type ReadTx,
  type Store,
  type Tx,
  Unavailable,
} from '../port.ts';
import { migrate, refuseOtherSchema } from '../sql/migrate.ts';
import { SQLITE_TYPES } from '../sql/migrations/types.ts';
import { instantsIn, NEWEST } from '../sql/newest-instant.ts';
import { Statements } from '../sql/statements.ts';
import { SqlTx } from '../sql/transaction.ts';
import { SteadyClock, type SteadyOptions } from '../steady-clock.ts';
import { Writability } from '../writability.ts';
import { SqliteConnection } from './connection.ts';
import { SQLITE } from './dialect.ts';
import { type Directory, lockDirectory, makePrivate } from './directory.ts';
import { openChecked } from './open-checked.ts';
import { writeStatistics } from './planner-statistics.ts';

interface SqliteOptions extends SteadyOptions {
  readonly clock?: () => number;
  /** Replaces the machine's clock, and is made steady as that is. */
  readonly wall?: () => number;
  /** The number of transactions that may wait for the one writer. */
  readonly waiting?: number;
  /** The time that a writer waits for a lock that another program holds. */
  readonly lockMs?: number;
  /** OFF only if the data need not survive the death of the machine: in the simulator. */
  readonly synchronous?: 'FULL' | 'OFF';
  /** Refuse a database whose schema is not this version's, and change none. */
  readonly asIs?: boolean;
  /** Called after indexes that did not agree with their tables were rebuilt. */
  readonly onRebuilt?: (found: string) => void;
}

const READERS = 8;
const WAITING = 5_000;
const LOCK_MS = 2_000;
const RETRY_MS = 20;
/**
 * Holds what a burst of a few thousand services changes. Changed pages that do not fit are written before the commit, and
 * read again. Readers keep the 2 MiB that SQLite gives them: there are up to eight.
 */
const WRITER_KIB = 32_768;

/**
 * The store in one file. One transaction writes at a time, which is stricter than READ COMMITTED; readers
 * have connections of their own and read the snapshot they began with, while the writer goes on.
 */
export class SqliteStore implements Store {
  readonly #directory: Directory;
  readonly #clock: () => Promise<number>;
  readonly #lockMs: number;
  readonly #synchronous: 'FULL' | 'OFF';
  readonly #statements = new Statements(SQLITE);
  readonly #writer: SqliteConnection;
  readonly #readers: SqliteConnection[] = [];
  readonly #writing: LaneQueue;
  readonly #reading: LaneQueue;
  readonly #writability = new Writability();

  private constructor(directory: Directory, writer: SqliteConnection, options: SqliteOptions) {
    const clock = options.clock ?? steadyFrom(writer, options);
    this.#directory = directory;
    this.#writer = writer;
    this.#clock = async () => clock();
    this.#lockMs = options.lockMs ?? LOCK_MS;
    this.#synchronous = options.synchronous ?? 'FULL';
    this.#writing = new LaneQueue(1, options.waiting ?? WAITING);
    this.#reading = new LaneQueue(READERS, options.waiting ?? WAITING);
  }

  /** Opens a data directory: locks it, checks its database, and brings the schema up to date if it may. */
  static async open(dir: string, options: SqliteOptions = {}): Promise<SqliteStore> {
    const directory = lockDirectory(dir);
    try {
      makePrivate(directory.file);
      const writer = openChecked(directory.file, options);
      if (options.asIs) await refuseOtherSchema(writer, SQLITE_TYPES);
      else await bringUpToDate(writer, (options.clock ?? Date.now)());
      writer.waitsFor(0);
      writer.keepsInMemory(WRITER_KIB);
      return new SqliteStore(directory, writer, options);
    } catch (error) {
      directory.release();
      throw error;
    }
  }

  get unwritable(): NoRoom | ReadOnly | null {
    return this.#writability.reason;
  }

  transact<T>(work: (tx: Tx) => Promise<T>, lane: Lane = 'work'): Promise<T> {
    return this.#writability.watch(runWithRetries(() => this.begin(lane), work));
  }

  /** A transaction that the caller commits or rolls back; resolves when it is its turn to write. */
  async begin(lane: Lane = 'work'): Promise<OpenTransaction> {
    await this.#writing.enter(lane);
    const writer = this.#writer;
    try {
      await this.#beginWriting();
    } catch (error) {
      if (error instanceof Locked) this.#writing.refuseAll(error);
      this.#writing.leave();
      throw error;
    }
    const tx = new SqlTx(writer, this.#statements, this.#clock);
    return {
      tx,
      commit: async () => {
        try {
          await tx.finish().catch((error: unknown) => {
            rollback(writer);
            throw error;
          });
          commit(writer);
          if (tx.hasWritten) this.#writability.noteSuccess();
        } finally {
          this.#writing.leave();
        }
      },
      rollback: async () => {
        try {
          rollback(writer);
        } finally {
          this.#writing.leave();
        }
      },
    };
  }

  /** Tries again and again. Rejected: to wait in the driver, which would block the only thread. */
  async #beginWriting(): Promise<void> {
    for (const until = performance.now() + this.#lockMs; ; ) {
      try {
        this.#writer.exec('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!(error instanceof Locked) || performance.now() >= until) throw error;
        await sleep(RETRY_MS);
      }
    }
  }

  async read<T>(work: (tx: ReadTx) => Promise<T>, lane: Lane = 'work'): Promise<T> {
    await this.#reading.enter(lane);
    const reader = this.#readers.pop() ?? new SqliteConnection(this.#directory.file, this.#synchronous);
    try {
      reader.exec('BEGIN');
      // The snapshot begins with the first read: that must happen now, not when the caller first reads.
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

async function bringUpToDate(writer: SqliteConnection, at: number): Promise<void> {
  try {
    writer.exec('BEGIN IMMEDIATE');
    const added = await migrate(writer, SQLITE_TYPES, at);
    if (added.length > 0) writeStatistics(writer);
    writer.exec('COMMIT');
  } catch (error) {
    writer.close();
    throw error;
  }
}

/**
 * A commit that failed for want of space did nothing; after any other failure the state on the disk is
 * unknown.
 */
function commit(db: SqliteConnection): void {
  try {
    db.exec('COMMIT');
  } catch (error) {
    rollback(db);
    throw error instanceof Unavailable ? error : new OutcomeUnknown('the commit failed', { cause: error });
  }
}

function rollback(db: SqliteConnection): void {
  try {
    db.exec('ROLLBACK');
  } catch (error) {
    // A failure such as a full disk may already have rolled the transaction back.
    if (!/no transaction is active/.test(String((error as Error).message))) throw error;
  }
}

/** The machine's clock, never behind the newest recorded instant. */
function steadyFrom(writer: SqliteConnection, options: SqliteOptions): () => number {
  const { wall = Date.now } = options;
  const steady = new SteadyClock(options);
  steady.begin(wall(), instantsIn(writer.all(NEWEST)));
  return () => steady.advance(wall());
}
