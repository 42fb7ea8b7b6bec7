import type { Settings } from '../projection/facts.ts';
import type { Store } from '../store/port.ts';
import type { Sharing } from './sharing.ts';

/** What every verb runs on: a store, and the settings that were resolved once at the edge. */
export interface Host {
  readonly store: Store;
  readonly settings: Settings;
  /** Those who call at the same time share transactions; without it each has its own. */
  readonly sharing?: Sharing;
}
