import type { RibbonView } from '../../../../src/contract/answers/views.ts';
import type { RevisionKind, State } from '../../../../src/contract/vocabulary.ts';

/** The form in which a ribbon draws a state: its height carries it, its colour repeats it. */
type RibbonForm = 'running' | 'progress' | 'degraded' | 'failed' | 'unknown' | 'rest';

const FORMS: Readonly<Record<State, RibbonForm>> = {
  accepted: 'progress',
  waiting_for_worker: 'progress',
  building: 'progress',
  artifact_ready: 'progress',
  applying_runtime_state: 'progress',
  starting: 'progress',
  running: 'running',
  degraded: 'degraded',
  failed: 'failed',
  cancelling: 'progress',
  cancelled: 'rest',
  stopping: 'progress',
  stopped: 'rest',
  unknown: 'unknown',
};
export const formOf = (state: State): RibbonForm => FORMS[state];

/** A stretch or tick, in hundredths of the width. */
interface RibbonBand {
  readonly form: RibbonForm;
  readonly from: number;
  readonly width: number;
}
/** Something new runs, the same runs again because somebody asked, or because it exited. */
type TickKind = 'deploy' | 'again' | 'exit';
interface RibbonTick {
  readonly at: number;
  readonly kind: TickKind;
}

/** Actions that change what runs; a restart and a scaling only run it again. */
const AGAIN: ReadonlySet<RevisionKind | 'exit' | null> = new Set(['restart', 'scale']);

export const tickKind = (kind: RibbonView['ticks'][number]['kind']): TickKind =>
  kind === 'exit' ? 'exit' : AGAIN.has(kind) ? 'again' : 'deploy';

/**
 * The places of stretches and ticks in a window that ends with the ribbon. Before the first record of a
 * service that is younger than the window, the track is empty. Neighbours of one form are one band, so that a build is not six slivers.
 */
export function ribbonLayout(
  { to, stretches, ticks }: Pick<RibbonView, 'to' | 'stretches' | 'ticks'>,
  windowMs: number,
  /** Exits closer than this are drawn as one: in a narrow ribbon, they would cover the state between them. */
  apart = 0,
): {
  readonly bands: readonly RibbonBand[];
  readonly ticks: readonly RibbonTick[];
  /** The part without a record, before the first band. */
  readonly empty: number;
} {
  const start = Date.parse(to) - windowMs;
  const place = (at: string) => (Math.min(Math.max(0, Date.parse(at) - start), windowMs) / windowMs) * 100;
  const bands: RibbonBand[] = [];
  for (const stretch of stretches) {
    const form = formOf(stretch.state);
    const from = place(stretch.from);
    const width = place(stretch.to) - from;
    const before = bands.at(-1);
    if (width <= 0) continue;
    if (before?.form === form && before.from + before.width >= from - 0.001)
      bands[bands.length - 1] = { ...before, width: from + width - before.from };
    else bands.push({ form, from, width });
  }
  let lastExit = Number.NEGATIVE_INFINITY;
  const drawn = ticks.flatMap((tick): RibbonTick[] => {
    if (Date.parse(tick.at) <= start) return [];
    const [at, kind] = [place(tick.at), tickKind(tick.kind)];
    if (kind !== 'exit') return [{ at, kind }];
    if (at - lastExit < apart) return [];
    lastExit = at;
    return [{ at, kind }];
  });
  return { bands, empty: bands[0]?.from ?? 100, ticks: drawn };
}

const YOUNG_MS = 6 * 3_600_000;
/** A shorter life is drawn as long: of some seconds, a ribbon would be all deploy. */
export const SHORTEST_MS = 60_000;

/**
 * The window of a life that a day would show as a sliver; null where the axis of the day is good enough. Rejected: an empty
 * day with the whole life in its last pixels, which says that there is nothing to see.
 */
export function ownWindow({
  to,
  stretches: [first],
}: Pick<RibbonView, 'to' | 'stretches'>): { readonly begin: string; readonly windowMs: number } | null {
  if (first === undefined) return null;
  const lived = Date.parse(to) - Date.parse(first.from);
  return lived >= YOUNG_MS ? null : { begin: first.from, windowMs: Math.max(lived, SHORTEST_MS) };
}
