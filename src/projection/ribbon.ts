import type { State } from '../contract/vocabulary.ts';
import type { Interval } from './intervals.ts';

/** A change of claim, as far as a ribbon shows it. */
export interface RibbonChange {
  readonly at: number;
  readonly to: State;
}

/** A stretch of time in one state. */
export interface Stretch extends Interval {
  readonly state: State;
}

/**
 * The states of a service in a window, without a gap from its first change on. Records of a lost stretch are gone, so that
 * it counts as not known, whatever is left of them (F54).
 */
export function stretchesOf(
  changes: readonly RibbonChange[],
  window: Interval,
  lost: readonly Interval[] = [],
): Stretch[] {
  const found: Stretch[] = [];
  for (const [i, { at, to: state }] of changes.entries()) {
    // Instants never go back, also where the clock did (F35).
    const from = Math.max(at, found.at(-1)?.to ?? window.from);
    const to = Math.min(changes[i + 1]?.at ?? window.to, window.to);
    add(found, { state, from, to });
  }
  return lost.reduce(withLost, found);
}

function withLost(stretches: readonly Stretch[], { from, to }: Interval): Stretch[] {
  const found: Stretch[] = [];
  for (const stretch of stretches) {
    const start = Math.max(from, stretch.from);
    const end = Math.min(to, stretch.to);
    if (start >= end) {
      add(found, stretch);
      continue;
    }
    add(found, { ...stretch, to: start });
    add(found, { state: 'unknown', from: start, to: end });
    add(found, { ...stretch, from: end });
  }
  return found;
}

/** Appends a stretch; joins it to the one before if they are in the same state, and leaves out an empty one. */
function add(stretches: Stretch[], stretch: Stretch): void {
  if (stretch.to <= stretch.from) return;
  const before = stretches.at(-1);
  if (before?.state === stretch.state && before.to === stretch.from)
    stretches[stretches.length - 1] = { ...before, to: stretch.to };
  else stretches.push(stretch);
}

/**
 * At most `points` stretches. If there are more, the window is divided into as many points, and each shows the state that
 * calls for the most attention in it: a minute of failure stays in sight over a year, and nothing looks better than it was.
 */
export function coarsened(stretches: readonly Stretch[], window: Interval, points: number): Stretch[] {
  if (stretches.length <= points) return [...stretches];
  const found: Stretch[] = [];
  const end = stretches.at(-1)?.to ?? window.to;
  const border = (point: number) => window.from + ((window.to - window.from) * point) / points;
  let next = 0;
  for (let point = 0; point < points; point++) {
    const to = Math.min(Math.round(border(point + 1)), end);
    let worst: Stretch | undefined;
    for (let i = next; i < stretches.length; i++) {
      const stretch = stretches[i] as Stretch;
      if (stretch.from >= to) break;
      if (worst === undefined || ATTENTION[stretch.state] > ATTENTION[worst.state]) worst = stretch;
      if (stretch.to <= to) next = i + 1;
    }
    if (worst !== undefined) {
      const from = Math.max(Math.round(border(point)), stretches[0]?.from ?? window.from);
      add(found, { state: worst.state, from, to });
    }
  }
  return found;
}

/** How much attention a state calls for beside others in the same point. */
const ATTENTION: Readonly<Record<State, number>> = {
  stopped: 0,
  cancelled: 0,
  running: 1,
  accepted: 2,
  waiting_for_worker: 2,
  building: 2,
  artifact_ready: 2,
  applying_runtime_state: 2,
  starting: 2,
  cancelling: 2,
  stopping: 2,
  degraded: 3,
  unknown: 4,
  failed: 5,
};

/** The time in each state, in ms. */
export function timeInStates(stretches: readonly Stretch[]): Partial<Record<State, number>> {
  const ms: Partial<Record<State, number>> = {};
  for (const { state, from, to } of stretches) ms[state] = (ms[state] ?? 0) + to - from;
  return ms;
}

/** The time for which the last state is known to hold: a silence, after which it was as before, is no new life. */
export interface HeldStretch {
  readonly since: number;
  /** The part of that time in which it was not known. */
  readonly unknownMs: number;
}

/** @param begins the instants at which attempts began: another one is another life. Null where the state is not known. */
export function holdingOf(stretches: readonly Stretch[], begins: readonly number[]): HeldStretch | null {
  const last = stretches.at(-1);
  if (last === undefined || last.state === 'unknown') return null;
  let since = last.from;
  let unknownMs = 0;
  for (let i = stretches.length - 2; i > 0; i -= 2) {
    const [before, gap] = [stretches[i - 1] as Stretch, stretches[i] as Stretch];
    if (gap.state !== 'unknown' || before.state !== last.state) break;
    if (begins.some((at) => at > before.from && at <= last.from)) break;
    since = before.from;
    unknownMs += gap.to - gap.from;
  }
  return { since, unknownMs };
}
