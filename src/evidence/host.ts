import type { Settings } from '../projection/facts.ts';
import type { Store } from '../store/port.ts';
import { Sharing } from './sharing.ts';

/** What every verb runs on: a store, and the settings that were resolved once at the edge. */
export interface Host {
  readonly store: Store;
  readonly settings: Settings;
  /** Those who call at the same time share transactions; without it each has its own. */
  readonly sharing?: Sharing;
  /** Offers that were made here and not taken up yet: their first call will need the door. A hint, never a promise. */
  readonly offers?: Set<string>;
}

/** A host whose callers come many at a time. */
export function busyHost(store: Store, settings: Settings, sharing = new Sharing()): Host {
  return { store, settings, sharing, offers: new Set() };
}
