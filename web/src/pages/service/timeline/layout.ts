import type { Role, State } from '../../../../../src/contract/vocabulary.ts';
import type { AliveSpan, EvidencePiece, RoleLane, Story, TimedLease } from './pieces.ts';
import { lengthOf, type TimeRange } from './time-range.ts';

/** Evidence at one place of the drawing: one piece, or as many as cannot be told apart at this zoom. */
export interface EvidenceMark {
  readonly lane: number;
  readonly isRejected: boolean;
  readonly x0: number;
  readonly x1: number;
  /** Indexes into the story's pieces, in order. */
  readonly pieces: readonly number[];
  readonly proves: boolean;
  /** Rejected evidence beside admitted evidence: drawn higher, so that neither hides the other. */
  readonly isRaised: boolean;
}

interface Bar {
  readonly lane: number;
  readonly x0: number;
  /** Start of the acknowledged lease; before it, the offer. */
  readonly held: number;
  readonly x1: number;
  readonly isOpen: boolean;
  /** The lease ended without its work being done. */
  readonly isLost: boolean;
  readonly leases: readonly TimedLease[];
}

interface Band {
  readonly lane: number;
  readonly x0: number;
  readonly x1: number;
  readonly alive: readonly AliveSpan[];
}

/** A time of one claim state without a break; null where it changed more often than can be drawn. */
interface Segment {
  readonly x0: number;
  readonly x1: number;
  readonly state: State | null;
  readonly revision: number;
  readonly changes: number;
}

interface ServedBar {
  readonly x0: number;
  readonly x1: number;
  readonly revision: number;
}

export interface TimelineLayout {
  readonly marks: readonly EvidenceMark[];
  readonly bars: readonly Bar[];
  readonly bands: readonly Band[];
  readonly segments: readonly Segment[];
  readonly served: readonly ServedBar[];
  /** Number of pieces before and after the visible range. */
  readonly earlier: number;
  readonly later: number;
}

/** Marks closer than this are joined, so that any number of pieces can be drawn. */
const NEAR_PX = 8;
const THIN_PX = 3;

export const placeOf = (range: TimeRange, widthPx: number) => {
  const perMs = widthPx / lengthOf(range);
  return (ms: number) => (ms - range.from) * perMs;
};

/**
 * Lays out the visible range in pixels. The cost is that of the visible pieces; the output is bounded by
 * the width.
 */
export function layOut(story: Story, range: TimeRange, widthPx: number, now: number): TimelineLayout {
  const x = placeOf(range, widthPx);
  const laneOf = new Map<Role, number>(story.lanes.map(({ role }, i) => [role, i]));
  const first = firstFrom(story.pieces, range.from);
  const after = firstFrom(story.pieces, range.to + 1);
  return {
    marks: story.lanes.flatMap((lane, i) => marksOf(story, lane, i, range, x)),
    bars: barsOf(story.leases, laneOf, x, widthPx, now),
    bands: bandsOf(story.alive, laneOf.get('watcher') ?? 0, x, widthPx),
    segments: segmentsOf(story, x, widthPx, now),
    served: servedOf(story, x, widthPx, now),
    earlier: first,
    later: story.pieces.length - after,
  };
}

/** The index of the first piece that is not before an instant. */
function firstFrom(
  pieces: readonly EvidencePiece[],
  ms: number,
  at: readonly number[] | null = null,
): number {
  let low = 0;
  let high = at?.length ?? pieces.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const i = at === null ? middle : (at[middle] ?? 0);
    if ((pieces[i]?.ms ?? Number.POSITIVE_INFINITY) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

function marksOf(
  { pieces }: Story,
  lane: RoleLane,
  index: number,
  range: TimeRange,
  x: (ms: number) => number,
): EvidenceMark[] {
  const marks: EvidenceMark[] = [];
  for (const [indexes, isRejected] of [
    [lane.admitted, false],
    [lane.rejected, true],
  ] as const) {
    let open: { x0: number; x1: number; pieces: number[]; proves: boolean } | null = null;
    for (let i = firstFrom(pieces, range.from, indexes); i < indexes.length; i += 1) {
      const at = indexes[i] ?? 0;
      const piece = pieces[at];
      if (piece === undefined || piece.ms > range.to) break;
      const here = x(piece.ms);
      if (open !== null && here - open.x0 < NEAR_PX) {
        open.x1 = here;
        open.pieces.push(at);
        open.proves ||= piece.proved.length > 0;
        continue;
      }
      open = { x0: here, x1: here, pieces: [at], proves: piece.proved.length > 0 };
      marks.push(Object.assign(open, { lane: index, isRejected, isRaised: false }));
    }
  }
  const solid = marks.filter(({ isRejected }) => !isRejected);
  const overlaps = (mark: EvidenceMark) =>
    solid.some(({ x0, x1 }) => x0 < mark.x1 + NEAR_PX + 2 && x1 > mark.x0 - NEAR_PX - 2);
  return marks.map((mark) => (mark.isRejected && overlaps(mark) ? { ...mark, isRaised: true } : mark));
}

function barsOf(
  leases: readonly TimedLease[],
  laneOf: ReadonlyMap<Role, number>,
  x: (ms: number) => number,
  widthPx: number,
  now: number,
): Bar[] {
  type Open = Bar & { readonly leases: TimedLease[] };
  const bars: Open[] = [];
  const last = new Map<number, Open>();
  for (const lease of leases) {
    const lane = laneOf.get(lease.role) ?? 0;
    const x0 = x(lease.granted);
    const x1 = Math.max(x0, x(lease.ended ?? now));
    if (x1 < 0 || x0 > widthPx) continue;
    const before = last.get(lane);
    if (before !== undefined && x1 - before.x0 < THIN_PX) {
      before.leases.push(lease);
      continue;
    }
    const held = lease.acknowledged === null ? x1 : x(lease.acknowledged);
    const isLost = lease.ended !== null && lease.lease.end !== 'completed';
    const bar: Open = { lane, x0, held, x1, isOpen: lease.ended === null, isLost, leases: [lease] };
    bars.push(bar);
    last.set(lane, bar);
  }
  return bars;
}

function bandsOf(
  alive: readonly AliveSpan[],
  lane: number,
  x: (ms: number) => number,
  widthPx: number,
): Band[] {
  const bands: (Band & { readonly alive: AliveSpan[] })[] = [];
  for (const one of [...alive].sort((a, b) => a.from - b.from)) {
    const x0 = x(one.from);
    const x1 = x(one.until);
    if (x1 < 0 || x0 > widthPx) continue;
    const before = bands.at(-1);
    // Bands less than a pixel apart are drawn as one.
    if (before !== undefined && x1 - before.x0 < THIN_PX) before.alive.push(one);
    else bands.push({ lane, x0, x1, alive: [one] });
  }
  return bands;
}

function segmentsOf(
  { transitions }: Story,
  x: (ms: number) => number,
  widthPx: number,
  now: number,
): Segment[] {
  const segments: Segment[] = [];
  for (const [i, { ms, to, revision }] of transitions.entries()) {
    const x0 = x(ms);
    const x1 = Math.max(x0, x(transitions[i + 1]?.ms ?? Math.max(now, ms)));
    if (x1 < 0 || x0 > widthPx) continue;
    const before = segments.at(-1);
    if (x1 - x0 < THIN_PX && before !== undefined && x0 - before.x0 < THIN_PX)
      segments[segments.length - 1] = { ...before, x1, state: null, changes: before.changes + 1 };
    else segments.push({ x0, x1, state: to, revision, changes: 1 });
  }
  return segments;
}

/** Bars that are too thin to be told apart become one, of the later revision. */
function servedOf({ served }: Story, x: (ms: number) => number, widthPx: number, now: number): ServedBar[] {
  const bars: ServedBar[] = [];
  for (const { revision, from, until } of served) {
    const x0 = Math.max(-4, x(from));
    const x1 = Math.min(widthPx + 4, x(until ?? now));
    if (x1 < 0 || x0 > widthPx || x1 < x0) continue;
    const before = bars.at(-1);
    if (before !== undefined && x1 - before.x0 < THIN_PX) bars[bars.length - 1] = { ...before, x1, revision };
    else bars.push({ x0, x1, revision });
  }
  return bars;
}

/** Pixels by which a raised mark is drawn higher. */
export const RAISED_PX = 9;
/** A lane is narrow: the place along it decides, and the height only between two marks at the same place. */
const HEIGHT_COUNTS = 0.25;

/** The mark nearest to a pointer in its lane, within reach. `dy` counts from the middle of the lane. */
export function markAt(
  marks: readonly EvidenceMark[],
  lane: number,
  px: number,
  dy = 0,
  reachPx = 16,
): EvidenceMark | null {
  let best: EvidenceMark | null = null;
  let away = reachPx;
  for (const mark of marks) {
    if (mark.lane !== lane) continue;
    const along = Math.max(0, mark.x0 - px, px - mark.x1);
    const distance = along + Math.abs(dy + (mark.isRaised ? RAISED_PX : 0)) * HEIGHT_COUNTS;
    if (distance >= away) continue;
    best = mark;
    away = distance;
  }
  return best;
}
