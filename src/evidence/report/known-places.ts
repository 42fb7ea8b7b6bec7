import { compareDigits } from '../../contract/digits.ts';
import type { PlaceRun, Places } from '../../contract/places.ts';
import { pick, type Stored } from '../../store/broken-row.ts';
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

/**
 * The places in order after a registration; the same place goes on with its own. A place that loses the name keeps its
 * last reports: the next one's take their rows.
 */
export function runsAfter(
  { runs }: Places,
  next: PlaceRun,
  scopes: readonly Stored<'scopes'>[],
): readonly PlaceRun[] {
  const last = runs.at(-1);
  if (last?.identity === next.identity) return runs;
  const lastReports = scopes.flatMap((row) => {
    const { scope, epoch, asOf } = pick(row, 'scope', 'epoch', 'asOf') ?? {};
    if (scope === undefined || asOf === undefined || epoch === undefined || last === undefined) return [];
    return compareDigits(epoch, last.epoch) < 0 ? [] : [{ scope, asOf }];
  });
  const former = last === undefined ? [] : [{ ...last, lastReports }];
  return [...runs.slice(0, -1), ...former, next].slice(-RUNS_KEPT);
}
