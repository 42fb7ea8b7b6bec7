import { RUNTIME_REASON_TABLE } from '../../../projection/runtime-reasons.ts';
import { CONTAINER_REASONS } from './containers.ts';
import { ROLLOUT_REASONS } from './rollouts.ts';
import type { CatalogueRow } from './row.ts';
import { STATE_REASONS } from './states.ts';

const TABLE = {
  ...RUNTIME_REASON_TABLE,
  ...STATE_REASONS,
  ...ROLLOUT_REASONS,
  ...CONTAINER_REASONS,
} as const satisfies Record<string, CatalogueRow>;

export type ReasonName = keyof typeof TABLE;

/** Every reason of a verdict. A word of the cluster that leads to none of them is `unrecognised`, never guessed. */
export const CATALOGUE: Readonly<Record<ReasonName, CatalogueRow>> = TABLE;

export const UNRECOGNISED: CatalogueRow = TABLE.unrecognised;
