import { describe, expect, it } from 'vitest';
import type { ModelView } from '../../../../src/contract/answers/model-view.ts';
import { STATES } from '../../../../src/contract/vocabulary.ts';
import { model } from '../../../../src/model/model.ts';
import { type Box, drawingOf, inLines, nearest } from './drawing.ts';
import { layoutOf } from './layout.ts';

const MODEL: ModelView = model();
const place = (state: string, of: ModelView = MODEL) => {
  const found = layoutOf(of).places.find((one) => one.state === state);
  if (found === undefined) throw new Error(`${state} has no place`);
  return found;
};

describe('the layout of the model', () => {
  it('has every state once', () => {
    expect(layoutOf(MODEL).places.map(({ state }) => state)).toEqual([...STATES]);
  });

  it('goes from left to right along the proof that each state expects', () => {
    const { way, places } = layoutOf(MODEL);
    expect(way).toEqual([
      'accepted',
      'waiting_for_worker',
      'building',
      'artifact_ready',
      'applying_runtime_state',
      'starting',
      'running',
    ]);
    expect(places.filter(({ state }) => way.includes(state)).map(({ row, from }) => [row, from])).toEqual(
      way.map((_, column) => [0, column]),
    );
  });

  it('has requests of people above, failures below, and unknown at the bottom', () => {
    for (const state of ['cancelling', 'cancelled', 'stopping', 'stopped'])
      expect(place(state).row).toBeLessThan(0);
    expect(place('degraded')).toMatchObject({ row: 0, from: 7 });
    expect(place('failed')).toMatchObject({ row: 1, from: 0, to: 7 });
    expect(layoutOf(MODEL).hub).toBe('unknown');
    expect(place('unknown')).toMatchObject({ row: 2, from: 0, to: 7 });
  });

  it('does not depend on the order of the steps, apart from the main path', () => {
    const turned = [...MODEL.transitions].reverse();
    const before = MODEL.transitions.filter(
      ({ from }) => from === null || layoutOf(MODEL).way.includes(from),
    );
    const same = { ...MODEL, transitions: [...before, ...turned.filter((step) => !before.includes(step))] };
    expect(layoutOf(same)).toEqual(layoutOf(MODEL));
  });

  it('places a new state, and hides nothing behind it', () => {
    const base = MODEL.states[0];
    if (base === undefined) throw new Error('no state');
    const added = { ...base, state: 'paused', expects: [] };
    const grown = { ...MODEL, states: [...MODEL.states, added] };
    expect(overlaps(drawingOf(grown).boxes)).toEqual([]);
    expect(drawingOf(grown).boxes.map(({ state }) => state)).toContain('paused');
  });

  it('draws an empty model as nothing', () => {
    expect(drawingOf({ states: [], transitions: [] })).toMatchObject({ boxes: [], lines: [], births: [] });
  });
});

describe('the drawing', () => {
  const { boxes, lines, births, width, height } = drawingOf(MODEL);

  it('has no box over another, and all of them inside', () => {
    expect(overlaps(boxes)).toEqual([]);
    for (const box of boxes) {
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width).toBeLessThanOrEqual(width);
      expect(box.y + box.height).toBeLessThanOrEqual(height);
    }
  });

  it('has every step once, but for those of the hub and of birth', () => {
    const drawn = lines.flatMap(({ from, to, isBoth }) =>
      isBoth ? [`${from} ${to}`, `${to} ${from}`] : [`${from} ${to}`],
    );
    const steps = MODEL.transitions
      .filter(({ from, to }) => from !== null && from !== 'unknown' && to !== 'unknown')
      .filter(({ only }) => only === undefined)
      .map(({ from, to }) => `${from} ${to}`);
    expect(drawn.sort()).toEqual(steps.sort());
  });

  it('has no line through a box that it does not belong to', () => {
    const through = lines.flatMap((line) =>
      boxes
        .filter(({ state }) => state !== line.from && state !== line.to)
        .filter((box) => corners(line.path).some(([a, b]) => cuts(a, b, box)))
        .map(({ state }) => `${line.from} → ${line.to} through ${state}`),
    );
    expect(through).toEqual([]);
  });

  it('begins at a requested state', () => {
    expect(births.map(({ to }) => to)).toEqual(['accepted', 'stopping']);
  });

  it('is navigated by arrow keys', () => {
    expect(nearest(boxes, 'accepted', 1, 0)).toBe('waiting_for_worker');
    expect(nearest(boxes, 'accepted', -1, 0)).toBe('accepted');
    expect(nearest(boxes, 'building', 0, -1)).toBe('cancelling');
    expect(nearest(boxes, 'building', 0, 1)).toBe('failed');
    expect(nearest(boxes, 'failed', 0, 1)).toBe('unknown');
    expect(nearest(boxes, 'stopping', 1, 0)).toBe('stopped');
  });
});

it('a long name stands in two lines', () => {
  expect(inLines('running', 12)).toEqual(['running']);
  expect(inLines('applying runtime state', 12)).toEqual(['applying', 'runtime state']);
  expect(inLines('waiting for worker', 12)).toEqual(['waiting', 'for worker']);
});

function overlaps(boxes: readonly Box[]): string[] {
  return boxes.flatMap((a, i) =>
    boxes
      .slice(i + 1)
      .filter(
        (b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height,
      )
      .map((b) => `${a.state} ${b.state}`),
  );
}

type Point = readonly [x: number, y: number];

/** The straight pieces of a path of M, H, V; an arc is taken to be as deep as its handles. */
function corners(path: string): (readonly [Point, Point])[] {
  const points: Point[] = [];
  for (const [, letter = '', text = ''] of path.matchAll(/([MHVC])([^MHVC]*)/g)) {
    const numbers = text.trim().split(/[ ,]+/).map(Number);
    const [x, y] = points.at(-1) ?? [0, 0];
    if (letter === 'H') points.push([numbers[0] ?? 0, y]);
    else if (letter === 'V') points.push([x, numbers[0] ?? 0]);
    else for (let i = 0; i < numbers.length; i += 2) points.push([numbers[i] ?? 0, numbers[i + 1] ?? 0]);
  }
  return points.slice(1).map((point, i) => [points[i] ?? point, point]);
}

const cuts = (a: Point, b: Point, { x, y, width, height }: Box) =>
  Math.min(a[0], b[0]) < x + width &&
  Math.max(a[0], b[0]) > x &&
  Math.min(a[1], b[1]) < y + height &&
  Math.max(a[1], b[1]) > y;
