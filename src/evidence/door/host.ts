import type { Settings } from '../../projection/facts.ts';
import type { Store } from '../../store/port.ts';
import type { AlarmRow } from '../../store/schema.ts';
import { Sharing } from './sharing.ts';

/** What every verb runs on: a store, and the settings that were resolved once at the edge. */
export interface Host {
  readonly store: Store;
  readonly settings: Settings;
  /** Those who call at the same time share transactions; without it each has its own. */
  readonly sharing?: Sharing;
  /** Offers that were made here and not taken up yet: their first call will need the door. A hint, never a promise. */
  readonly offers?: Set<string>;
  /** Lets others have their turn, if it is time to; for work that may be large (F80). Without it nobody waits. */
  readonly giveWay?: () => Promise<void> | undefined;
  /** Told after a commit whose move it may be now. A hint: who listens also looks by itself (F51). */
  readonly heard?: (news: News) => void;
}

/** What a commit may have made others' business. */
export interface News {
  readonly org: string;
  /** The ledger has grown. */
  readonly moved: boolean;
  /** Commands that wait for the publisher. */
  readonly recorded: readonly string[];
  /** Commands that wait for whoever asks for work. */
  readonly published: readonly string[];
  /** What should never have happened, for whoever runs the platform. */
  readonly alarms: readonly Pick<AlarmRow, 'code' | 'service' | 'position'>[];
}

/** A host whose callers come many at a time. */
export function busyHost(
  store: Store,
  settings: Settings,
  sharing = new Sharing(),
  around: Pick<Host, 'heard' | 'giveWay'> = {},
): Host {
  return { store, settings, sharing, offers: new Set(), ...around };
}
