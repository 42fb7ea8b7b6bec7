import pg from 'pg';
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
import { POSTGRES_TYPES } from '../sql/migrations/types.ts';
import { Statements } from '../sql/statements.ts';
import { SqlTx } from '../sql/transaction.ts';
import { Connection, inWords, isLost } from './connection.ts';
import { POSTGRES } from './dialect.ts';

export interface PostgresOptions {
  /** Instead of the database's own clock. */
  readonly clock?: () => number;
  readonly connections?: number;
  /** How many transactions may wait for a connection. */
  readonly waiting?: number;
}

const CONNECTIONS = 10;
/** Kept for heartbeats and reports alone (F49). */
const RESERVED = 2;
const WAITING = 5_000;
const NOW = `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
/** Any number that nobody else in the database uses for an advisory lock. */
const MIGRATION_LOCK = 7_348_291_055;

interface Line {
  readonly pool: pg.Pool;
  readonly lanes: Lanes;
}

/** The store on PostgreSQL 14 or newer. READ COMMITTED with row locks for writers, one snapshot for each reader. */
export class PostgresStore implements Store {
  readonly #lines: Readonly<Record<Lane, Line>>;
  readonly #statements = new Statements(POSTGRES);
  readonly #clock: (() => number) | undefined;

  private constructor(url: string, options: PostgresOptions) {
    const line = (width: number): Line => {
      const pool = new pg.Pool({ connectionString: url, max: width, application_name: 'evident' });
      // A connection that dies while it idles is replaced when it is needed; nobody is waiting on it now.
      pool.on('error', () => {});
      return { pool, lanes: new Lanes(width, options.waiting ?? WAITING) };
    };
    this.#clock = options.clock;
    this.#lines = { work: line(options.connections ?? CONNECTIONS), liveness: line(RESERVED) };
  }

  /** Connects and brings the schema up to date; of several starters one migrates and the others wait for it. */
  static async open(url: string, options: PostgresOptions = {}): Promise<PostgresStore> {
    const store = new PostgresStore(url, options);
    try {
      await store.#within('BEGIN', 'work', async (session) => {
        await session.rows(`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`, []);
        const [row] = await session.rows(NOW, []);
        await migrate(session, POSTGRES_TYPES, Number(row?.[0]));
      });
      return store;
    } catch (error) {
      await store.close();
      throw error;
    }
  }

  async transact<T>(work: (tx: Tx) => Promise<T>, lane: Lane = 'work'): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#within('BEGIN', lane, async (session) => {
          const tx = new SqlTx(session, this.#statements, () => this.#now(session));
          const result = await work(tx);
          await tx.finish();
          return result;
        });
      } catch (error) {
        if (!(error instanceof Conflict) || attempt >= RETRIES) throw error;
      }
    }
  }

  read<T>(work: (tx: ReadTx) => Promise<T>, lane: Lane = 'work'): Promise<T> {
    return this.#within('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', lane, (session) =>
      work(new SqlTx(session, this.#statements, () => this.#now(session))),
    );
  }

  async close(): Promise<void> {
    await Promise.all([this.#lines.work.pool.end(), this.#lines.liveness.pool.end()]);
  }

  async #now(session: Connection): Promise<number> {
    if (this.#clock !== undefined) return this.#clock();
    const [row] = await session.rows(NOW, []);
    return Number(row?.[0]);
  }

  async #within<T>(begin: string, lane: Lane, work: (session: Connection) => Promise<T>): Promise<T> {
    const { pool, lanes } = this.#lines[lane];
    await lanes.enter(lane);
    let client: pg.PoolClient | undefined;
    let broken = false;
    try {
      client = await pool.connect();
      const lost = () => {
        broken = true;
      };
      client.on('error', lost);
      try {
        await client.query(begin);
        const result = await work(new Connection(client));
        await commit(client);
        return result;
      } catch (error) {
        if (isLost(error) || error instanceof OutcomeUnknown || error instanceof Unavailable) broken = true;
        if (!broken) await client.query('ROLLBACK').catch(lost);
        throw error;
      } finally {
        client.removeListener('error', lost);
      }
    } catch (error) {
      throw inWords(error);
    } finally {
      client?.release(broken);
      lanes.leave();
    }
  }
}

/** From the moment the commit is sent until its answer, nobody knows: a lost answer is never called a failure (F03). */
async function commit(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('COMMIT');
  } catch (error) {
    if (isLost(error)) throw new OutcomeUnknown('the answer to the commit was lost', { cause: error });
    throw error;
  }
}
