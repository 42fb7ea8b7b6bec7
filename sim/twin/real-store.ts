import type { OpenTransaction } from '../../src/store/open-transaction.ts';
import type { Store } from '../../src/store/port.ts';

/** A database beside the memory of the simulator. It has no say: memory decides who waits, dies and commits. */
export interface RealStore extends Pick<Store, 'read'> {
  readonly name: string;
  /** It runs one transaction after the other, and so must memory. */
  readonly serial: boolean;
  begin(): Promise<OpenTransaction>;
  /** A process died: its connection ends, with what it had under way on it, if anything. */
  drop(open: OpenTransaction | null): Promise<void>;
  /** Empty tables and a clock, for the next schedule. */
  reset(clock: () => number): Promise<void>;
  close(): Promise<void>;
}

/** Which stores a run drives. A thread gets this and opens its own. */
export type StoreChoice =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite' }
  | { readonly kind: 'postgres'; readonly url: string };

/** Opens a database of its own for one thread; null where memory is all. */
export async function openReal(choice: StoreChoice, thread: number): Promise<RealStore | null> {
  if (choice.kind === 'memory') return null;
  if (choice.kind === 'sqlite') return (await import('./real-sqlite.ts')).openSqlite();
  return (await import('./real-postgres.ts')).openPostgres(choice.url, `sim_${process.pid}_${thread}`);
}
