import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import { clampedRange, fullLife, showing, type TimeRange } from './time-range.ts';

/** Windows that are offered by name; `free` is one that somebody moved or zoomed to. */
export const EVIDENCE_WINDOWS = ['deploy', 'hour', 'day', 'all'] as const;
export type EvidenceWindow = (typeof EVIDENCE_WINDOWS)[number];
export type ChosenWindow =
  | { readonly kind: EvidenceWindow }
  | { readonly kind: 'free'; readonly range: TimeRange };

type WindowChange = Pick<TransitionView, 'to' | 'revision'> & { readonly ms: number };

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const END_STATES: ReadonlySet<TransitionView['to']> = new Set(['running', 'failed', 'cancelled', 'stopped']);
const ROOM = 0.04;
/** An end is shown with some time after it, in which reports still come. */
const AFTER = 0.15;
const AFTER_MS = 3_000;
/** A deploy within the blink of an eye is shown with the seconds around it. */
const SHORTEST_MS = 10_000;

/** The revision whose deploy is shown: the last one that was requested by `at`; null: none was. */
export function shownRevision(changes: readonly WindowChange[], at: number | null): number | null {
  const by = at === null ? changes : changes.filter(({ ms }) => ms <= at);
  return (by.at(-1) ?? changes[0])?.revision ?? null;
}

/** The deploy of a revision: from its first change until it ended, or until now while it goes on. */
export function deployRange(
  changes: readonly WindowChange[],
  revision: number | null,
  life: TimeRange,
): TimeRange {
  const first = changes.findIndex((change) => change.revision === revision);
  const begin = changes[first];
  if (begin === undefined) return fullLife(life);
  const own = changes.slice(first).filter((change) => change.revision === revision);
  const end = own.find(({ to }) => END_STATES.has(to));
  const next = changes.slice(first).find((change) => change.revision !== revision);
  const over = end?.ms ?? next?.ms ?? life.to;
  const length = Math.max(over - begin.ms, SHORTEST_MS);
  const to = end === undefined && next === undefined ? over : over + Math.max(AFTER_MS, length * AFTER);
  const room = length * ROOM;
  return clampedRange({ from: begin.ms - room, to: Math.max(to, begin.ms + SHORTEST_MS) + room }, life);
}

/**
 * What is drawn, and the name of it: a window that was moved to show an instant or a record is that window no longer.
 * `sought` is the instant of a record that has to be in sight.
 */
export function shownWindow(
  chosen: ChosenWindow,
  changes: readonly WindowChange[],
  at: number | null,
  life: TimeRange,
  sought: number | null,
): { readonly range: TimeRange; readonly kind: ChosenWindow['kind'] } {
  const wanted = chosen.kind === 'free' ? chosen.range : windowRange(chosen.kind, changes, at, life);
  const asked = clampedRange(wanted, life);
  const range = showing(showing(asked, at, life), sought, life);
  return { range, kind: range === asked ? chosen.kind : 'free' };
}

/** The range of a window that ends at `end`, which is now or the instant that is shown. */
function windowRange(
  kind: EvidenceWindow,
  changes: readonly WindowChange[],
  at: number | null,
  life: TimeRange,
): TimeRange {
  const end = at ?? life.to;
  switch (kind) {
    case 'deploy':
      return deployRange(changes, shownRevision(changes, at), life);
    case 'hour':
      return clampedRange({ from: end - HOUR_MS, to: end + HOUR_MS * ROOM }, life);
    case 'day':
      return clampedRange({ from: end - DAY_MS, to: end + DAY_MS * ROOM }, life);
    case 'all':
      return fullLife(life);
  }
}
