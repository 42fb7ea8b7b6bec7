import { startPostgres } from '../../lab/postgres.ts';
import type { StoreChoice } from './real-store.ts';

export const STORES = ['memory', 'sqlite', 'postgres'] as const;
export type StoreName = (typeof STORES)[number];

/** Processes die here, machines do not; and every thread has a connection for each transaction that is open. */
const SETTINGS = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'max_connections=1000'];

/** Runs `work` on the store that was asked for; a PostgreSQL that had to be started for it ends with it. */
export async function withStore(
  name: StoreName,
  work: (store: StoreChoice) => Promise<number>,
  absent: (why: string) => number,
): Promise<number> {
  if (name !== 'postgres') return work({ kind: name });
  const found = await startPostgres(SETTINGS);
  if (!found.ok) return absent(found.why);
  try {
    return await work({ kind: 'postgres', url: found.cluster.url });
  } finally {
    await found.cluster.stop();
  }
}
