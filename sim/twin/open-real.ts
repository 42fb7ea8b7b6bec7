import type { RealStore, StoreChoice } from './real-store.ts';

/** Opens a database of its own for one thread; null where memory is all. */
export async function openReal(choice: StoreChoice, thread: number): Promise<RealStore | null> {
  if (choice.kind === 'memory') return null;
  if (choice.kind === 'sqlite') return (await import('./real-sqlite.ts')).openSqlite();
  return (await import('./real-postgres.ts')).openPostgres(choice.url, `sim_${process.pid}_${thread}`);
}
