import type { Settings } from '../projection/facts.ts';
import type { Store } from '../store/port.ts';

/** What every verb runs on: a store, and the settings that were resolved once at the edge. */
export interface Host {
  readonly store: Store;
  readonly settings: Settings;
}
