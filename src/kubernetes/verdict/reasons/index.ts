import { RUNTIME_REASON_TABLE } from '../../../projection/runtime-reasons.ts';
import { API_REASONS, NETWORK_REASONS, NODE_REASONS, POLICY_REASONS, VOLUME_REASONS } from './cluster.ts';
import { CONTAINER_REASONS } from './containers.ts';
import { JOB_REASONS, ROLLOUT_REASONS } from './rollouts.ts';
import type { CatalogueRow } from './row.ts';
import { STATE_REASONS } from './states.ts';

/** The catalogue by subject, as its page shows it. The reasons of the first are those that agents report. */
export const REASONS_BY_SUBJECT = {
  'Copies of an app': RUNTIME_REASON_TABLE,
  'Pods and containers': CONTAINER_REASONS,
  Rollouts: ROLLOUT_REASONS,
  'Jobs and schedules': JOB_REASONS,
  Volumes: VOLUME_REASONS,
  Nodes: NODE_REASONS,
  'Services and routes': NETWORK_REASONS,
  'Autoscaling and disruption': POLICY_REASONS,
  'Extensions of the API': API_REASONS,
  'What is proven at all': STATE_REASONS,
} as const satisfies Readonly<Record<string, Readonly<Record<string, CatalogueRow>>>>;

type SubjectReasons = (typeof REASONS_BY_SUBJECT)[keyof typeof REASONS_BY_SUBJECT];
/** Distributes over the subjects, since `keyof` of a union has only what all of them share. */
type NamesOf<T> = T extends unknown ? keyof T & string : never;

export type ReasonName = NamesOf<SubjectReasons>;

/** Every reason of a verdict. A word of the cluster that leads to none of them is `unrecognised`, never guessed. */
export const CATALOGUE: Readonly<Record<ReasonName, CatalogueRow>> = {
  ...RUNTIME_REASON_TABLE,
  ...CONTAINER_REASONS,
  ...ROLLOUT_REASONS,
  ...JOB_REASONS,
  ...VOLUME_REASONS,
  ...NODE_REASONS,
  ...NETWORK_REASONS,
  ...POLICY_REASONS,
  ...API_REASONS,
  ...STATE_REASONS,
};

export const UNRECOGNISED: CatalogueRow = STATE_REASONS.unrecognised;
