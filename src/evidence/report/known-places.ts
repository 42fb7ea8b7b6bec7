import type { PlaceRun, Places } from '../../contract/places.ts';
import { placesOf } from '../door/liveness.ts';
import type { CurrentAgent } from './current-agent.ts';

/** A name that is exchanged more often than this forgets its oldest places, but not that they were retired. */
const RUNS_KEPT = 16;

export const NO_PLACES: Places = { runs: [], retired: [] };

/** The places of a target; null if its row cannot be read. */
export function knownPlaces({ places, identity, identityEpoch, identitySince }: CurrentAgent): Places | null {
  if (places === undefined || identityEpoch === undefined || identitySince === undefined) return null;
  return placesOf({ places, identityEpoch, identitySince, ...(identity === undefined ? {} : { identity }) });
}

/** The places in order after a registration; the same place goes on with its own. */
export function runsAfter({ runs }: Places, next: PlaceRun): readonly PlaceRun[] {
  return runs.at(-1)?.identity === next.identity ? runs : [...runs, next].slice(-RUNS_KEPT);
}
