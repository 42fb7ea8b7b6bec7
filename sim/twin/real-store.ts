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

/** The stores that a run drives. A thread gets this and opens its own. */
export type StoreChoice =
  | { readonly kind: 'memory' }
  | { readonly kind: 'sqlite' }
  | { readonly kind: 'postgres'; readonly url: string };
