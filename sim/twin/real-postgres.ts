import pg from 'pg';
import { newDatabase } from '../../lab/postgres.ts';
import { sqlName } from '../../src/store/columns.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { KEYS } from '../../src/store/schema.ts';
import type { RealStore } from './real-store.ts';

/**
 * More than a schedule ever has open at once: behind a paused server that holds the head, everyone who calls waits
 * in a transaction (seed 15: more than 30). One too many is refused at once rather than waited for.
 */
const CONNECTIONS = 150;
/** Memory lets nobody at a row that another one has: who waits this long has found locks that differ. */
const LOCK_TIMEOUT_MS = 5_000;

/** A database of its own in the cluster, with a connection for every transaction that is open at the same time. */
export async function openPostgres(cluster: string, name: string): Promise<RealStore> {
  const url = new URL(await newDatabase(cluster, name));
  url.searchParams.set('options', `-c lock_timeout=${LOCK_TIMEOUT_MS}`);
  let clock: () => number = Date.now;
  const store = await PostgresStore.open(url.href, {
    clock: () => clock(),
    connections: CONNECTIONS,
    waiting: 0,
    // Memory says how long a transaction is paused, and to the database that is any time.
    idleMs: 0,
  });
  const side = new pg.Client({ connectionString: url.href });
  await side.connect();
  const tables = Object.keys(KEYS).map(sqlName).join(', ');
  const droppable = new WeakMap<object, () => Promise<void>>();
  return {
    name: 'PostgreSQL',
    serial: false,
    async begin() {
      const open = await store.begin();
      droppable.set(open, open.drop);
      return open;
    },
    read: (work) => store.read(work),
    /** Ends the connection of one transaction, and with it whatever that transaction has not committed. */
    async drop(open) {
      if (open !== null) await droppable.get(open)?.();
    },
    async reset(next) {
      clock = next;
      await side.query(`TRUNCATE ${tables}`);
    },
    async close() {
      await side.end();
      await store.close();
    },
  };
}
