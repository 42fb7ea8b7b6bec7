import type { StateView, StepView } from '../../../../src/contract/answers/model-view.ts';

/**
 * Places each state in columns and rows, by the model alone: the same model is always drawn the same, and a changed
 * model needs no hand.
 *
 * - Row 0 is the path of a deployment: from the first state, along the proof that each expects, to the state that
 *   expects nothing. States that only its end leads to continue beside it.
 * - Above it (negative rows) stand states that people request, below it states that observations lead to.
 * - A state that several states of the path lead to is as wide as they are, so that each transition is a short line.
 * - A state that exchanges transitions with every other one is drawn along the bottom: arrows would hide all others.
 */
export interface StatePosition {
  readonly state: string;
  readonly row: number;
  readonly from: number;
  readonly to: number;
}

export interface ModelLayout {
  readonly way: readonly string[];
  readonly hub: string | null;
  readonly places: readonly StatePosition[];
}

type Steps = readonly StepView[];
export type DrawnModel = { readonly states: readonly StateView[]; readonly transitions: Steps };

/** Steps that only what other tools deploy takes are left to the tables: drawn, they would hide all others. */
export const drawnSteps = (transitions: Steps): Steps => transitions.filter(({ only }) => only === undefined);

export function layoutOf({ states, transitions: all }: DrawnModel): ModelLayout {
  const transitions = drawnSteps(all);
  const names = states.map(({ state }) => state);
  const hub = hubOf(names, transitions);
  const steps = transitions.filter(({ from, to }) => from !== hub && to !== hub);
  const way = wayOf(states, steps);
  const places = new Grid();
  for (const [column, state] of way.entries()) places.put(state, 0, column, column);

  const rest = states.filter(({ state }) => state !== hub && !way.includes(state));
  const beside = rest.filter(({ state }) => isBeside(state, way, steps)).map(({ state }) => state);
  for (const state of beside) places.put(state, 0, places.width, places.width);

  const requested = requestedStates(rest, way, steps);
  const follows = new Map(rest.map((row) => [row.state, nextOf(row, steps)]));
  const free = rest.filter(({ state }) => !beside.includes(state)).map(({ state }) => state);
  const reach = new Map(free.map((state) => [state, places.columnsOf(sourcesOf(state, steps))]));
  const width = (state: string) => reach.get(state)?.length ?? 0;
  const anchored = free.filter((state) => width(state) > 0).sort((a, b) => width(a) - width(b));
  for (const state of anchored) {
    const columns = reach.get(state) ?? [0];
    places.stack(state, Math.min(...columns), Math.max(...columns), requested.has(state) ? -1 : 1);
  }
  for (const state of free.filter((one) => width(one) === 0)) {
    const next = places.of(follows.get(state) ?? '');
    const column = Math.max(0, (next?.from ?? 0) - 1);
    if (next !== undefined && next.from > 0 && places.isFree(next.row, column, column))
      places.put(state, next.row, column, column);
    else places.stack(state, column, column, requested.has(state) ? -1 : 1);
  }
  if (hub !== null) places.stack(hub, 0, Math.max(0, places.width - 1), 1);
  return { way, hub, places: names.flatMap((state) => places.of(state) ?? []) };
}

/** The state that exchanges transitions with every other state. */
function hubOf(names: readonly string[], steps: Steps): string | null {
  const has = (from: string, to: string) => steps.some((step) => step.from === from && step.to === to);
  const isHub = (hub: string) => names.every((name) => name === hub || (has(name, hub) && has(hub, name)));
  return names.length > 2 ? (names.find(isHub) ?? null) : null;
}

function wayOf(states: readonly StateView[], steps: Steps): string[] {
  const way: string[] = [];
  let at = states.find(({ state }) => state === steps.find(({ from }) => from === null)?.to);
  while (at !== undefined && !way.includes(at.state)) {
    way.push(at.state);
    const next = isMissingNothing(at) ? null : nextOf(at, steps);
    at = states.find(({ state }) => state === next);
  }
  return way;
}

/** A state without a deadline expects nothing: it ends the path. */
const isMissingNothing = ({ deadline }: StateView) => deadline.names.length === 0;

/** The state that the first expected proof leads to. */
function nextOf({ state, expects }: StateView, steps: Steps): string | null {
  const out = steps.filter(({ from }) => from === state);
  for (const kind of expects) {
    const step = out.find(({ on }) => on.includes(kind));
    if (step !== undefined) return step.to;
  }
  return null;
}

const sourcesOf = (state: string, steps: Steps) =>
  steps.flatMap(({ from, to }) => (to === state && from !== null ? [from] : []));

/** Only the end of the path leads to this state, and it leads back. */
function isBeside(state: string, way: readonly string[], steps: Steps): boolean {
  const end = way.at(-1);
  const fromWay = sourcesOf(state, steps).filter((from) => way.includes(from));
  return (
    fromWay.length > 0 &&
    fromWay.every((from) => from === end) &&
    steps.some(({ from, to }) => from === state && to === end)
  );
}

/** States that a person requested: those that only the API decides, and those that their proof leads to. */
function requestedStates(
  rest: readonly StateView[],
  way: readonly string[],
  steps: Steps,
): ReadonlySet<string> {
  const requested = new Set<string>();
  for (const row of rest) {
    const isRequested = steps.some(
      ({ from, to, owner }) =>
        to === row.state && (from === null || way.includes(from)) && owner.length === 1 && owner[0] === 'api',
    );
    if (!isRequested) continue;
    requested.add(row.state);
    const next = nextOf(row, steps);
    if (next !== null && !way.includes(next)) requested.add(next);
  }
  return requested;
}

/** Assigns places that do not overlap. */
class Grid {
  readonly #places = new Map<string, StatePosition>();

  get width(): number {
    return Math.max(0, ...[...this.#places.values()].map(({ to }) => to + 1));
  }

  of(state: string): StatePosition | undefined {
    return this.#places.get(state);
  }

  put(state: string, row: number, from: number, to: number): void {
    this.#places.set(state, { state, row, from, to });
  }

  /** The nearest free row away from the path. */
  stack(state: string, from: number, to: number, away: -1 | 1): void {
    const taken = [...this.#places.values()].filter((place) => place.from <= to && from <= place.to);
    const furthest = Math.max(0, ...taken.map(({ row }) => row * away));
    this.put(state, (furthest + 1) * away, from, to);
  }

  isFree(row: number, from: number, to: number): boolean {
    return ![...this.#places.values()].some(
      (place) => place.row === row && place.from <= to && from <= place.to,
    );
  }

  /** The columns of those states that stand on row 0. */
  columnsOf(states: readonly string[]): number[] {
    return states.flatMap((state) => {
      const place = this.#places.get(state);
      return place === undefined || place.row !== 0 ? [] : [place.from];
    });
  }
}
