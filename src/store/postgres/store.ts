import pg from 'pg';
import { LaneQueue } from '../lane-queue.ts';
import { type OpenTransaction, runWithRetries } from '../open-transaction.ts';
import {
  type Answers,
  type Lane,
  type NoRoom,
  OutcomeUnknown,
  type Read,
  type ReadOnly,
  type ReadTx,
  type Replaceable,
  type Store,
  type Tx,
  Unavailable,
} from '../port.ts';
import type { Identity } from '../schema.ts';
import { migrate, refuseOtherSchema } from '../sql/migrate.ts';
import { POSTGRES_TYPES } from '../sql/migrations/types.ts';
import { instantsIn, NEWEST, NEWEST_BEAT } from '../sql/newest-instant.ts';
import { Statements } from '../sql/statements.ts';
import { SqlTx } from '../sql/transaction.ts';
import { NEAR_MS, SteadyClock, type SteadyOptions } from '../steady-clock.ts';
import { Writability } from '../writability.ts';
import {
  ANSWER_MS,
  destroySocket,
  isConnectionLost,
  isUnanswered,
  PostgresConnection,
  portError,
  queryWithTimeLimit,
  UNANSWERED,
} from './connection.ts';
import { refusalFor, refuseAddress, refuseOld } from './database-refused.ts';
import { POSTGRES } from './dialect.ts';
import { clusterIdentityOf, isSame, undisclosedIn } from './identity.ts';

export interface PostgresOptions extends SteadyOptions {
  readonly clock?: () => number;
  /** Replaces the database's clock, and is made steady as that is. */
  readonly wall?: () => number;
  readonly connections?: number;
  /** The number of transactions that may wait for a connection. */
  readonly waiting?: number;
  /** Refuse a database whose schema is not this version's, and change none. */
  readonly asIs?: boolean;
  readonly answerMs?: number;
  readonly connectMs?: number;
  readonly lockMs?: number;
  readonly idleMs?: number;
  /**
   * Called if the database does not disclose its whole identity; the sentence says which failures are not
   * detected, and the remedy.
   */
  readonly onUndisclosed?: (sentence: string) => void;
}

const CONNECTIONS = 10;
/** Connections reserved for heartbeats and reports (F49). */
const RESERVED = 2;
const WAITING = 5_000;
const CONNECT_MS = 5_000;
/**
 * Shorter than `ANSWER_MS`, so that a transaction that waits for a lock gets `Locked` and not `Unavailable`.
 */
const LOCK_MS = 6_000;
/**
 * The database ends a transaction that sends nothing for this long: a process that was stopped in the middle
 * of one would otherwise hold the head of an org. Longer than any pause of ours, and shorter than `LOCK_MS`,
 * so that the waiting transactions get the row. It also bounds what a long transaction keeps from vacuum (F55).
 */
const IDLE_MS = 5_000;
/** A migration may take long, and so may the servers that wait for it. */
const MIGRATION_MS = 3_600_000;
/** The time that closing a connection may take before its socket is destroyed. */
const CLOSE_MS = 1_000;
const KEEP_ALIVE_MS = 10_000;
const SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
const NOW = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
/**
 * Rows are looked up by key, a handful at a time. PostgreSQL keeps a plan from when a table was small, which
 * reads all of it, until the table is next analyzed, and by then it may be large; sequential scans are
 * therefore off. A plan that can only read everything then seems to cost ten billion, and PostgreSQL would
 * compile it each time: 100 ms for a table of one row. And since a plan for the three keys at hand seems
 * cheaper than a generic one, it would plan every call: 100 to 400 µs for a statement that runs in 50, a
 * third of all its time when few callers share a transaction.
 */
const PLANNER_SETTINGS =
  'SET enable_hashjoin = off; SET enable_mergejoin = off; SET enable_seqscan = off; SET jit = off; ' +
  'SET plan_cache_mode = force_generic_plan';
/**
 * These settings override the database's, the role's and the address's: with `synchronous_commit = off` a
 * commit is answered before it is on the disk, and acknowledged writes are lost with the machine. Every other
 * value waits for the disk at least, and is the operator's choice. The port promises READ COMMITTED: under a
 * stricter level a writer that waited for a row would fail.
 */
const PORT_SETTINGS =
  `SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'; ` +
  `SET default_transaction_isolation = 'read committed'`;
/** Any number that no other program uses for an advisory lock in this database. */
const MIGRATION_LOCK = 7_348_291_055;

/** `drop` ends the connection and with it the transaction, as the death of this process would. */
interface DroppableTransaction extends OpenTransaction {
  drop(): Promise<void>;
}

/** One connection inside a transaction, until it commits, rolls back or drops. */
interface HeldConnection extends Omit<DroppableTransaction, 'tx' | 'commit'> {
  readonly session: PostgresConnection;
  /** The writes of `last` are sent just before the commit, in the same round trip. */
  commit(last?: () => Promise<void>): Promise<void>;
}

interface LanePool {
  readonly pool: pg.Pool;
  readonly queue: LaneQueue;
}

/** The store on PostgreSQL 14 or newer. READ COMMITTED with row locks for writers, one snapshot for each reader. */
export class PostgresStore implements Replaceable {
  readonly #pools: Readonly<Record<Lane, LanePool>>;
  readonly #statements = new Statements(POSTGRES);
  readonly #clock: (() => number) | undefined;
  readonly #wall: (() => number) | undefined;
  readonly #steady: SteadyClock;
  readonly #answerMs: number;
  readonly #writability = new Writability();
  #guard: { readonly identity: Identity | null; displaced(): void } | null = null;
  readonly #open = new Set<pg.PoolClient>();
  /** Connections that were checked to lead to the guarded database. */
  #checked = new WeakSet<pg.PoolClient>();
  readonly unguarded: Store = {
    transact: (work, lane = 'work') => runWithRetries(() => this.#begin(lane, false), work),
    read: (work, lane = 'work') => this.#read(work, lane, false),
  };

  private constructor(url: string, options: PostgresOptions) {
    const { answerMs = ANSWER_MS, connectMs = CONNECT_MS, lockMs = LOCK_MS, idleMs = IDLE_MS } = options;
    this.#answerMs = answerMs;
    const connection = {
      connectionString: url,
      application_name: 'evident',
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    };
    const line = (width: number): LanePool => {
      const pool = new pg.Pool({ ...connection, max: width });
      // A connection that dies while it idles in the pool is replaced when one is needed.
      pool.on('error', () => {});
      pool.on('connect', (client) => {
        // A connection that dies while it is checked out and idle is handled by its next statement. Without a
        // listener the error would end the process.
        client.on('error', () => {});
        this.#open.add(client);
        client.on('end', () => this.#open.delete(client));
        const limits = `SET lock_timeout = ${lockMs}; SET idle_in_transaction_session_timeout = ${idleMs}`;
        const settings = `${PLANNER_SETTINGS}; ${PORT_SETTINGS}; ${limits}`;
        void client.query(queryWithTimeLimit(settings, answerMs)).catch(() => {});
      });
      return { pool, queue: new LaneQueue(width, options.waiting ?? WAITING) };
    };
    this.#clock = options.clock;
    this.#wall = options.wall;
    this.#steady = new SteadyClock(options);
    this.#pools = { work: line(options.connections ?? CONNECTIONS), liveness: line(RESERVED) };
  }

  /**
   * Connects and brings the schema up to date if it may. If several servers start, one migrates and the
   * others wait for it.
   */
  static async open(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
    refuseAddress(url);
    const store = new PostgresStore(url, options);
    try {
      const held = await store.#acquire('BEGIN', 'work', false, MIGRATION_MS);
      await store.#inside(held, async (session) => {
        const [version] = await session.rows("SELECT current_setting('server_version_num')", []);
        refuseOld(url, Number(version?.[0]));
        if (options.asIs) await refuseOtherSchema(session, POSTGRES_TYPES);
        else await bringUpToDate(session);
        const newest = instantsIn(await session.rows(NEWEST, []));
        store.#steady.begin(await store.#readClock(session), newest);
      });
      await held.commit();
      const sentence = options.onUndisclosed && undisclosedIn(await store.identity());
      if (sentence) options.onUndisclosed?.(sentence);
      return store;
    } catch (error) {
      await store.close();
      throw refusalFor(url, error);
    }
  }

  get unwritable(): NoRoom | ReadOnly | null {
    return this.#writability.reason;
  }

  transact<T>(work: (tx: Tx) => Promise<T>, lane: Lane = 'work'): Promise<T> {
    return this.#writability.watch(runWithRetries(() => this.begin(lane), work));
  }

  /** A transaction that the caller commits, rolls back or drops, on a connection of its own. */
  begin(lane: Lane = 'work'): Promise<DroppableTransaction> {
    return this.#begin(lane, true);
  }

  async #begin(lane: Lane, guarded: boolean): Promise<DroppableTransaction> {
    const held = await this.#acquire('BEGIN', lane, guarded);
    const tx = new SqlTx(held.session, this.#statements, () => this.#now(held.session));
    const commit = async () => {
      await held.commit(() => tx.finish());
      if (tx.hasWritten) this.#writability.noteSuccess();
    };
    return { tx, commit, rollback: held.rollback, drop: held.drop };
  }

  read<T>(work: (tx: ReadTx) => Promise<T>, lane: Lane = 'work'): Promise<T> {
    return this.#read(work, lane, true);
  }

  /** The result does not depend on the end of the transaction, so nobody waits for that round trip. */
  async #read<T>(work: (tx: ReadTx) => Promise<T>, lane: Lane, guarded: boolean): Promise<T> {
    const held = await this.#acquire(SNAPSHOT, lane, guarded);
    const result = await this.#inside(held, (session) =>
      work(new SqlTx(session, this.#statements, () => this.#now(session))),
    );
    void held.commit().catch(() => {});
    return result;
  }

  /** The commit is sent behind the reads: one round trip for the whole transaction. */
  async readSnapshot<const A extends readonly Read[]>(reads: A, lane: Lane = 'work'): Promise<Answers<A>> {
    const held = await this.#acquire(SNAPSHOT, lane, true);
    const tx = new SqlTx(held.session, this.#statements, () => this.#now(held.session));
    const answers = tx.readAll(reads);
    try {
      await held.commit(async () => void (await answers));
    } catch (error) {
      // A read has no outcome that could be unknown.
      throw error instanceof OutcomeUnknown ? portError(error.cause) : error;
    }
    return answers;
  }

  async identity(): Promise<Identity | null> {
    let client: pg.PoolClient | undefined;
    try {
      client = await this.#pools.liveness.pool.connect();
      const found = await clusterIdentityOf(client, this.#answerMs);
      client.release();
      return found;
    } catch (error) {
      client?.release(true);
      throw portError(error);
    }
  }

  guard(identity: Identity | null, displaced: () => void): void {
    if (!isSame(identity, this.#guard?.identity ?? null)) this.#checked = new WeakSet();
    this.#guard = { identity, displaced };
  }

  async close(): Promise<void> {
    await Promise.all([this.#pools.work.pool.end(), this.#pools.liveness.pool.end()]);
    const cut = () => {
      for (const client of this.#open) destroySocket(client);
    };
    setTimeout(cut, CLOSE_MS).unref();
  }

  async #now(session: PostgresConnection): Promise<number> {
    if (this.#clock !== undefined) return this.#clock();
    const time = this.#steady.advance(await this.#readClock(session));
    if (!this.#steady.isBehind) return time;
    const [beat] = await session.rows(NEWEST_BEAT, [time + NEAR_MS]);
    return this.#steady.follow(Number(beat?.[0] ?? 0));
  }

  async #readClock(session: PostgresConnection): Promise<number> {
    if (this.#wall !== undefined) return this.#wall();
    const [row] = await session.rows(NOW, []);
    return Number(row?.[0]);
  }

  async #inside<T>(held: HeldConnection, work: (session: PostgresConnection) => Promise<T>): Promise<T> {
    try {
      return await work(held.session);
    } catch (error) {
      await held.rollback();
      throw error;
    }
  }

  /**
   * Checks that a connection opened since the guard was set leads to the same database, and drops it
   * otherwise (F44).
   */
  async #check(client: pg.PoolClient, lost: () => void): Promise<void> {
    const guard = this.#guard;
    if (guard === null || guard.identity === null || this.#checked.has(client)) return;
    if (!isSame(guard.identity, await clusterIdentityOf(client, this.#answerMs))) {
      lost();
      guard.displaced();
      throw new Unavailable('The database failed over to another; what it lost is being worked out.');
    }
    this.#checked.add(client);
  }

  /**
   * Waits for a connection and prepares BEGIN. Every end of the transaction returns the connection, or closes
   * it if it is broken.
   */
  async #acquire(
    begin: string,
    lane: Lane,
    guarded: boolean,
    answerMs: number = this.#answerMs,
  ): Promise<HeldConnection> {
    const { pool, queue } = this.#pools[lane];
    await queue.enter(lane);
    let client: pg.PoolClient;
    try {
      client = await pool.connect();
    } catch (error) {
      if (isUnanswered(error)) queue.refuseAll(new Unavailable(UNANSWERED));
      queue.leave();
      throw portError(error);
    }
    let broken = false;
    const lost = () => {
      broken = true;
    };
    client.on('error', lost);
    const session = new PostgresConnection(client, begin, answerMs);
    const end = () => {
      client.removeListener('error', lost);
      client.release(broken || session.unanswered);
      if (session.unanswered) queue.refuseAll(new Unavailable(UNANSWERED));
      queue.leave();
    };
    const rollback = async () => {
      if (!broken && !session.unanswered && session.begun) await session.control('ROLLBACK').catch(lost);
      end();
    };
    try {
      if (guarded) await this.#check(client, lost);
    } catch (error) {
      await rollback();
      throw portError(error);
    }
    return {
      session,
      rollback,
      commit: async (last = async () => {}) => {
        const writing = last();
        try {
          // `last` may send its first statement only after it has read a clock.
          if (!session.begun) await writing;
          if (!session.begun) return;
          const [written, committed] = await Promise.allSettled([writing, session.control('COMMIT')]);
          if (committed.status === 'rejected') {
            // If a write fails, the database answers its error, and the COMMIT behind it fails with the whole
            // batch: the write's error is the cause.
            const writeFailed = written.status === 'rejected' && committed.reason instanceof pg.DatabaseError;
            throw writeFailed ? written.reason : committed.reason;
          }
          // PostgreSQL answers the COMMIT of a failed transaction with success and the command tag ROLLBACK: a write
          // that was sent before may have failed.
          if (committed.value.command !== 'COMMIT')
            throw written.status === 'rejected'
              ? written.reason
              : new Error('a statement failed, and the transaction was rolled back');
        } catch (error) {
          // From the moment the commit is sent until its answer, the outcome is unknown: a lost answer is
          // never called a failure (F03).
          if (isConnectionLost(error)) {
            lost();
            throw new OutcomeUnknown('the answer to the commit was lost', { cause: error });
          }
          await session.control('ROLLBACK').catch(lost);
          throw portError(error);
        } finally {
          end();
        }
      },
      drop: async () => {
        lost();
        end();
      },
    };
  }
}

/** If several servers start, one migrates, and the others wait for it. */
async function bringUpToDate(session: PostgresConnection): Promise<void> {
  await session.rows('SET LOCAL lock_timeout = 0', []);
  await session.rows(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`, []);
  const [row] = await session.rows(NOW, []);
  await migrate(session, POSTGRES_TYPES, Number(row?.[0]));
}
