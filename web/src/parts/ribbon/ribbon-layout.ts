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
  return {
    bands,
    empty: bands[0]?.from ?? 100,
    ticks: ticks
      .filter(({ at }) => Date.parse(at) > start)
      .map(({ at, kind }) => ({ at: place(at), kind: tickKind(kind) })),
  };
}
