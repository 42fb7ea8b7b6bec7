import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TransitionView } from '../answers/views.ts';
import { displayMs, lifeLine, stopAfter, stopAt, stopBefore, stopsOf } from './life.ts';

const T0 = Date.parse('2026-11-14T14:02:11.204Z');
const transition = (position: number, afterMs: number, to: TransitionView['to']): TransitionView => ({
  position: String(position),
  at: new Date(T0 + afterMs).toISOString(),
  from: null,
  to,
  owner: 'api',
  evidence: `e${position}`,
  revision: 1,
  attempt: 1,
});
const LIFE = [
  transition(1, 0, 'accepted'),
  transition(2, 80, 'waiting_for_worker'),
  transition(3, 80, 'building'),
  transition(4, 4_000, 'failed'),
];
const stops = stopsOf(LIFE);

describe('the stops of a life', () => {
  it('are one for each instant, with the state after all that was recorded in it', () => {
    expect(stops.map(({ ms, to }) => [ms - T0, to])).toEqual([
      [0, 'accepted'],
      [80, 'building'],
      [4_000, 'failed'],
    ]);
  });

  it('are browsed back from now and forth to now, each once', () => {
    const back: string[] = [];
    for (let at = stopBefore(stops, null); at !== null; at = stopBefore(stops, at.ms)) back.push(at.to);
    expect(back).toEqual(['failed', 'building', 'accepted']);
    const forth: string[] = [];
    for (let at = stops[0] ?? null; at !== null; at = stopAfter(stops, at.ms)) forth.push(at.to);
    expect(forth).toEqual(['accepted', 'building', 'failed']);
    expect(stopAfter(stops, null)).toBeNull();
  });

  it('are found from between them', () => {
    expect(stopBefore(stops, T0 + 81)?.to).toBe('building');
    expect(stopBefore(stops, T0 + 80)?.to).toBe('accepted');
    expect(stopAfter(stops, T0 + 79)?.to).toBe('building');
    expect(stopAt(stops, T0 + 79)?.to).toBe('accepted');
    expect(stopAt(stops, T0 - 1)).toBeNull();
  });

  it('are displayed as long as they lasted, within bounds', () => {
    const [accepted, building, failed] = stops;
    if (!accepted || !building || !failed) throw new Error('three stops');
    expect(displayMs(accepted, building)).toBe(450);
    expect(displayMs(building, failed)).toBe(1_600);
    expect(displayMs(failed, null)).toBe(1_600);
  });
});

describe('the line of a life', () => {
  it('names each stop by its place, whatever lies between them', () => {
    const gaps = fc.array(fc.integer({ min: 1, max: 90 * 86_400_000 }), { maxLength: 40 });
    fc.assert(
      fc.property(gaps, fc.nat(1_000_000), (between, calmMs) => {
        const times = [0];
        for (const gap of between) times.push((times.at(-1) ?? 0) + gap);
        const ms = times.at(-1) ?? 0;
        const all = stopsOf(times.map((afterMs, i) => transition(i, afterMs, 'running')));
        const line = lifeLine(all, T0 + ms + calmMs);
        for (const stop of all) expect(line.instantAt(line.placeOf(stop.ms))).toBe(stop.ms);
        const places = all.map((stop) => line.placeOf(stop.ms));
        expect(places).toEqual([...places].sort((a, b) => a - b));
        expect(new Set(places).size).toBe(all.length);
        expect(line.placeOf(T0)).toBe(0);
        if (calmMs > 0) expect(line.placeOf(T0 + ms + calmMs)).toBe(1);
      }),
    );
  });

  it('shortens a calm month: a deployment of seconds keeps its room beside it', () => {
    const line = lifeLine(stops, T0 + 30 * 86_400_000);
    expect(line.placeOf(T0 + 4_000)).toBeGreaterThan(0.1);
  });

  it('is a point where nothing was recorded yet', () => {
    const line = lifeLine([], T0);
    expect(line.placeOf(T0)).toBe(0);
    expect(line.instantAt(0.5)).toBe(T0);
  });
});
