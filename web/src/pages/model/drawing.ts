import type { StepView } from '../../../../src/contract/answers/model-view.ts';
import { type DrawnModel, drawnSteps, layoutOf, type ModelLayout, type StatePosition } from './layout.ts';

/** A drawing in its own units: boxes, and the lines between them. */
interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly TransitionLine[];
  /** Lines into the states in which a requested revision or attempt begins. */
  readonly births: readonly TransitionLine[];
}

export interface Box {
  readonly state: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly isWide: boolean;
  readonly isHub: boolean;
}

export interface TransitionLine {
  readonly from: string | null;
  readonly to: string;
  /** The model has the opposite transition too, and one line stands for both. */
  readonly isBoth: boolean;
  readonly path: string;
}

const COLUMN = 124;
const BOX = 104;
const TALL = 46;
const WIDE = 34;
const ROW = 94;
const EDGE = 28;
/** The hub has no lines, so it stands closer. */
const NEARER = 36;
/** Lines meet a box this far from its middle, so that vertical ones do not touch horizontal ones. */
const ASIDE = 24;

export function drawingOf(model: DrawnModel): Drawing {
  const transitions = drawnSteps(model.transitions);
  const layout = layoutOf(model);
  const rows = layout.places.map(({ row }) => row);
  const top = Math.min(0, ...rows);
  const boxes = layout.places.map((place) => boxOf(place, top, place.state === layout.hub));
  const right = Math.max(0, ...boxes.map((box) => box.x + box.width));
  const bottom = Math.max(0, ...boxes.map((box) => box.y + box.height));
  return {
    width: right + EDGE,
    height: bottom + EDGE / 2,
    boxes,
    lines: linesOf(transitions, layout, boxes),
    births: birthsOf(transitions, boxes),
  };
}

function boxOf({ state, row, from, to }: StatePosition, top: number, isHub: boolean): Box {
  const isWide = to > from;
  const height = isWide ? WIDE : TALL;
  return {
    state,
    x: EDGE + from * COLUMN,
    y: EDGE / 2 + (row - top) * ROW + (TALL - height) / 2 - (isHub ? NEARER : 0),
    width: (to - from) * COLUMN + BOX,
    height,
    isWide,
    isHub,
  };
}

function linesOf(steps: readonly StepView[], { hub }: ModelLayout, boxes: readonly Box[]): TransitionLine[] {
  const drawn = steps.filter(({ from, to }) => from !== null && from !== hub && to !== hub);
  const has = (from: string, to: string) => drawn.some((step) => step.from === from && step.to === to);
  return drawn.flatMap(({ from, to }) => {
    const a = boxes.find(({ state }) => state === from);
    const b = boxes.find(({ state }) => state === to);
    if (a === undefined || b === undefined || from === null) return [];
    const isAlong = a.y === b.y && !a.isWide && !b.isWide;
    const isBoth = !isAlong && has(to, from);
    // The first listed of an opposite pair draws the line.
    if (
      isBoth &&
      drawn.findIndex((s) => s.from === to && s.to === from) <
        drawn.findIndex((s) => s.from === from && s.to === to)
    )
      return [];
    return [{ from, to, isBoth, path: isAlong ? along(a, b) : across(a, b) }];
  });
}

/**
 * A line between boxes of one row: straight to the next, an arc above to one further on, an arc below to one
 * before.
 */
function along(a: Box, b: Box): string {
  const columns = Math.round((b.x - a.x) / COLUMN);
  const middle = a.y + a.height / 2;
  if (columns === 1) return `M${a.x + a.width} ${middle}H${b.x}`;
  const [y, up] = columns > 0 ? [a.y, -1] : [a.y + a.height, 1];
  const x1 = centre(a) + Math.sign(columns) * ASIDE;
  const x2 = centre(b) - Math.sign(columns) * ASIDE;
  const deep = y + up * (26 + 9 * (Math.abs(columns) - 1));
  return `M${x1} ${y}C${x1} ${deep} ${x2} ${deep} ${x2} ${y}`;
}

/** A line between rows: straight where one box stands over the other, else around a corner. */
function across(a: Box, b: Box): string {
  const [from, to] = [Math.max(a.x, b.x), Math.min(a.x + a.width, b.x + b.width)];
  const isOver = from < to;
  if (isOver && !(a.isWide && b.isWide)) {
    const x = (from + to) / 2;
    return a.y < b.y ? `M${x} ${a.y + a.height}V${b.y}` : `M${x} ${a.y}V${b.y + b.height}`;
  }
  if (isOver) {
    const [x1, x2] = [a.x + a.width, b.x + b.width];
    const x = Math.max(x1, x2) + EDGE / 2;
    return `M${x1} ${a.y + a.height / 2}H${x}V${b.y + b.height / 2}H${x2}`;
  }
  if (Math.abs(a.y + a.height / 2 - (b.y + b.height / 2)) < 1)
    return a.x < b.x
      ? `M${a.x + a.width} ${a.y + a.height / 2}H${b.x}`
      : `M${a.x} ${a.y + a.height / 2}H${b.x + b.width}`;
  const x = centre(a);
  const y = a.y < b.y ? a.y + a.height : a.y;
  return `M${x} ${y}V${b.y + b.height / 2}H${b.x < x ? b.x + b.width : b.x}`;
}

function birthsOf(steps: readonly StepView[], boxes: readonly Box[]): TransitionLine[] {
  const requested = steps.filter(
    ({ from, owner }) => from === null && owner.length === 1 && owner[0] === 'api',
  );
  return requested.flatMap(({ to }) => {
    const box = boxes.find(({ state }) => state === to);
    if (box === undefined) return [];
    const path =
      box.x === EDGE
        ? `M${box.x - 20} ${box.y + box.height / 2}H${box.x}`
        : `M${centre(box) + ASIDE} ${box.y - 22}V${box.y}`;
    return [{ from: null, to, isBoth: false, path }];
  });
}

const centre = ({ x, width }: Box) => x + width / 2;

/** The nearest box in the direction of an arrow key. */
export function nearest(boxes: readonly Box[], from: string, dx: number, dy: number): string {
  const at = boxes.find(({ state }) => state === from);
  if (at === undefined) return boxes[0]?.state ?? from;
  const distance = (box: Box) => {
    const x = Math.min(Math.max(centre(at), box.x), box.x + box.width) - centre(at);
    const y = box.y + box.height / 2 - (at.y + at.height / 2);
    const ahead = x * dx + y * dy;
    return ahead <= 0 ? Number.POSITIVE_INFINITY : ahead + 3 * Math.abs(x * dy + y * dx);
  };
  const best = boxes
    .filter((box) => box !== at && Number.isFinite(distance(box)))
    .sort((a, b) => distance(a) - distance(b));
  return best[0]?.state ?? from;
}

/** Splits a name into one or two lines of similar length. */
export function inLines(words: string, longest: number): readonly string[] {
  const parts = words.split(' ');
  if (words.length <= longest || parts.length === 1) return [words];
  const splits = parts
    .slice(1)
    .map((_, i) => [parts.slice(0, i + 1).join(' '), parts.slice(i + 1).join(' ')] as const);
  const width = ([a, b]: readonly [string, string]) => Math.max(a.length, b.length);
  return splits.reduce((best, one) => (width(one) < width(best) ? one : best));
}
