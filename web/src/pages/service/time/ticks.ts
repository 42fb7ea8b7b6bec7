import type { LifeLine, Stop } from '../../../../../src/contract/presentation/life.ts';

export interface Tick {
  readonly place: number;
  readonly stop: Stop;
  /** The first change of its revision: drawn longer, and named. */
  readonly opens: boolean;
  /** There is room for its name. */
  readonly isNamed: boolean;
}

/** Ticks closer than this share of the line would blur into one. */
const NEAR = 0.004;
const NAME = 0.05;

/** A tick for each change as far as they can be told apart; those that open a revision go first. */
export function ticksOf(stops: readonly Stop[], line: LifeLine): Tick[] {
  const all = stops.map((stop, i) => ({
    place: line.placeOf(stop.ms),
    stop,
    opens: stop.revision !== stops[i - 1]?.revision,
  }));
  const ticks: Tick[] = [];
  let named = Number.NEGATIVE_INFINITY;
  for (const tick of all) {
    const before = ticks.at(-1);
    const isNear = before !== undefined && tick.place - before.place < NEAR;
    if (isNear && (!tick.opens || before.opens)) continue;
    if (isNear) ticks.pop();
    const isNamed = tick.opens && tick.place - named >= NAME;
    if (isNamed) named = tick.place;
    ticks.push({ ...tick, isNamed });
  }
  return ticks;
}

/** A name needs this share of the line until what stands after it. */
const STATE_ROOM = 0.09;
/** The words about what was not known yet need this share. */
const REST_ROOM = 0.2;

/**
 * The ticks below which their state is named, up to the instant that is shown: later ones were not known then, which words
 * after it say where there is room. A state that they would cover is not named: the page below does that.
 */
export function namedBelow(
  ticks: readonly Tick[],
  until: number,
): { readonly states: readonly Tick[]; readonly hasRest: boolean } {
  const hasRest = until < 1 - REST_ROOM;
  const states = ticks.filter(({ place }, i) => {
    const next = ticks[i + 1]?.place ?? 1;
    const end = hasRest ? Math.min(next, until) : next;
    return place <= until && end - place >= STATE_ROOM;
  });
  return { states, hasRest };
}

/** Snaps a dragged place to a change within `within` of it. */
export function snapped(ticks: readonly Tick[], line: LifeLine, place: number, within: number): string {
  const near = ticks.reduce<Tick | null>(
    (best, tick) =>
      Math.abs(tick.place - place) < Math.abs((best?.place ?? Number.POSITIVE_INFINITY) - place)
        ? tick
        : best,
    null,
  );
  if (near !== null && Math.abs(near.place - place) <= within) return near.stop.at;
  return new Date(line.instantAt(place)).toISOString();
}
