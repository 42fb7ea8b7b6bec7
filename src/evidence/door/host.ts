import type { Settings } from '../../projection/facts.ts';
import type { Store } from '../../store/port.ts';
import type { AlarmRow } from '../../store/schema.ts';
import { ComparedReports } from '../report/compared-reports.ts';
import { RecentCommits } from './recent-commits.ts';
import { RowsAhead } from './rows-ahead.ts';
import { Sharing } from './sharing.ts';

/** The surroundings of every verb: a store, and the settings that were resolved once at the edge. */
export interface Host {
  readonly store: Store;
  readonly settings: Settings;
  /** Lets calls of the same moment share a transaction; without it each has its own. */
  readonly sharing?: Sharing;
  /**
   * Offers of this process that are not acknowledged yet: their first call will need the door. A hint, never
   * a promise.
   */
  readonly offers?: Set<string>;
  /** The newest commits of this process, for feeds. Without it they are read. */
  readonly recent?: RecentCommits;
  /** Full reports that showed no news lately. Without it each is compared with what is stored. */
  readonly compared?: ComparedReports;
  /** Services of scopes that are about to fall silent. Without it they are read when they are. */
  readonly ahead?: RowsAhead;
  /** Lets other work run, if it is time to; for work that may be large (F80). Without it nothing waits. */
  readonly yieldIfDue?: () => Promise<void> | undefined;
  /**
   * Called after a commit with the changes that others act on. A hint: every listener also looks by itself
   * (F51).
   */
  readonly onCommit?: (news: CommitNotice) => void;
}

/** The parts of a commit that feeds, the publisher and waiting workers act on. */
export interface CommitNotice {
  readonly org: string;
  /** The ledger has grown. */
  readonly moved: boolean;
  /** Commands that wait for the publisher. */
  readonly recorded: readonly string[];
  /** Commands that wait for a worker or agent to acquire them. */
  readonly published: readonly string[];
  /** Alarms that the commit recorded: for the operators of the platform. */
  readonly alarms: readonly Pick<AlarmRow, 'code' | 'service' | 'position'>[];
}

/** A host whose concurrent callers share transactions. */
export function sharingHost(
  store: Store,
  settings: Settings,
  sharing = new Sharing(),
  around: Pick<Host, 'onCommit' | 'yieldIfDue'> = {},
): Host {
  const memory = { recent: new RecentCommits(), compared: new ComparedReports(), ahead: new RowsAhead() };
  return { store, settings, sharing, offers: new Set(), ...memory, ...around };
}
