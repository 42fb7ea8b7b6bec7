import type { VisibleService } from '../../access/visible-service.ts';
import type { RibbonView } from '../../contract/answers/views.ts';
import type { Host } from '../../evidence/door/host.ts';
import { type Ribbon, ribbonsOf } from '../../evidence/past/ribbons.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { coarsened, holdingOf, timeInStates } from '../../projection/ribbon.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The window that a request names; null: the last day up to now. */
interface Asked {
  readonly from: number | null;
  readonly to: number | null;
  readonly points: number;
}

/** The ribbons of services of one org, in the order of their names; one that there is not is left out. */
export async function ribbonViews(
  host: Host,
  services: readonly VisibleService[],
  { from, to, points }: Asked,
): Promise<RibbonView[]> {
  const org = services[0]?.org;
  if (org === undefined) return [];
  const names = services.map(({ service }) => service);
  const ribbons = await ribbonsOf(host, org, names, { from, to, ms: DAY_MS });
  return ribbons.map((ribbon) => ribbonView(ribbon, points));
}

function ribbonView({ service: ref, window, stretches, ticks }: Ribbon, points: number): RibbonView {
  const begins = ticks.filter(({ kind }) => kind !== 'exit').map(({ at }) => at);
  const holding = holdingOf(stretches, begins);
  return {
    ref,
    from: rfc3339(window.from),
    to: rfc3339(window.to),
    stretches: coarsened(stretches, window, points).map(({ state, from, to }) => ({
      state,
      from: rfc3339(from),
      to: rfc3339(to),
    })),
    ms: timeInStates(stretches),
    holding: holding === null ? null : { ...holding, since: rfc3339(holding.since) },
    ticks: ticks.map(({ at, ...tick }) => ({ at: rfc3339(at), ...tick })),
  };
}
