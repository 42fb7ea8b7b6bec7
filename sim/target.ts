import type { TruthMoment } from './world.ts';

export interface SimTarget {
  readonly org: string;
  readonly name: string;
  /** The cluster's own identity; replaced when the cluster is. */
  identity: string;
  /** Called when something changes there, so that an agent reports at once. */
  readonly watchers: Map<string, () => void>;
  /** The parts in which its agents report: everything at once, or by halves. */
  readonly scopes: readonly string[];
  /** The last base of each scope that an agent here stood on: what one that starts again may take for its own. */
  readonly bases: Map<string, { readonly seq: string; readonly shown: ObservedScope }>;
  /** The deaths of the agents that live in the cluster: called when it is replaced. */
  readonly residents: Map<string, () => void>;
}

/** One scope as an agent observes it: the items of a report. */
export interface ObservedScope {
  /** The moments it was made of: the same moments show the same. */
  readonly moments: readonly TruthMoment[];
  readonly instances: ReadonlyMap<string, Record<string, unknown>>;
  readonly services: ReadonlyMap<string, Record<string, unknown>>;
  /** Workloads that are there and that the rule leaves out by their labels, by kind and name. */
  readonly uncovered: readonly string[];
}
