import { describe, expect, it } from 'vitest';
import { deployRange, type EvidenceWindow, shownRevision, shownWindow } from './evidence-window.ts';
import { fullLife, lengthOf } from './time-range.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const changes = [
  { ms: 0, to: 'accepted', revision: 1 },
  { ms: MINUTE, to: 'running', revision: 1 },
  { ms: 5 * HOUR, to: 'accepted', revision: 2 },
  { ms: 5 * HOUR + 10_000, to: 'building', revision: 2 },
  { ms: 5 * HOUR + 2 * MINUTE, to: 'running', revision: 2 },
  { ms: 7 * HOUR, to: 'unknown', revision: 2 },
  { ms: 7 * HOUR + 5_000, to: 'running', revision: 2 },
] as const;
const life = { from: 0, to: 9 * HOUR };
const rangeOf = (kind: EvidenceWindow, at: number | null) =>
  shownWindow({ kind }, changes, at, life, null).range;

describe('the window on which evidence opens', () => {
  it('is the last deploy from its request to its end, and not the calm after it', () => {
    const { from, to } = deployRange(changes, 2, life);
    expect(from).toBeGreaterThan(5 * HOUR - MINUTE);
    expect(from).toBeLessThanOrEqual(5 * HOUR);
    expect(to).toBeGreaterThan(5 * HOUR + 2 * MINUTE);
    expect(to).toBeLessThan(5 * HOUR + 3 * MINUTE);
  });

  it('is never a few seconds without anything in them, however long ago the deploy was', () => {
    const quick = [{ ms: 100, to: 'failed', revision: 1 }] as const;
    const range = deployRange(quick, 1, life);
    expect(lengthOf(range)).toBeGreaterThanOrEqual(10_000);
    expect(range.from).toBeLessThanOrEqual(100);
    expect(range.to).toBeGreaterThan(100);
  });

  it('goes on to now while the deploy does, and ends where the next one replaced it', () => {
    const building = changes.slice(0, 4);
    expect(deployRange(building, 2, { from: 0, to: 5 * HOUR + 4 * MINUTE }).to).toBeGreaterThanOrEqual(
      5 * HOUR + 4 * MINUTE,
    );
    const replaced = [
      { ms: 0, to: 'building', revision: 1 },
      { ms: MINUTE, to: 'accepted', revision: 2 },
    ] as const;
    expect(deployRange(replaced, 1, life).to).toBeLessThan(2 * MINUTE);
  });

  it('is that of the instant which the page shows', () => {
    expect(shownRevision(changes, null)).toBe(2);
    expect(shownRevision(changes, 30_000)).toBe(1);
    expect(rangeOf('deploy', 30_000).to).toBeLessThan(2 * MINUTE);
  });

  it('is all of life where nothing was recorded', () => {
    expect(deployRange([], null, life)).toEqual(fullLife(life));
  });

  it('of an hour or a day ends at the shown instant', () => {
    expect(rangeOf('hour', null).to).toBeGreaterThanOrEqual(9 * HOUR);
    expect(lengthOf(rangeOf('hour', null))).toBeCloseTo(1.04 * HOUR);
    expect(rangeOf('hour', 7 * HOUR).from).toBe(6 * HOUR);
  });
});

it('a window that was moved to show a record has no name any more', () => {
  const shown = (sought: number | null) => shownWindow({ kind: 'deploy' }, changes, null, life, sought);
  expect(shown(null).kind).toBe('deploy');
  expect(shown(5 * HOUR + MINUTE).kind, 'a record within it').toBe('deploy');
  expect(shown(8 * HOUR).kind).toBe('free');
  expect(shown(8 * HOUR).range.to).toBeGreaterThan(8 * HOUR);
});
