import { describe, expect, it } from 'vitest';
import { lifeLine, type Stop } from '../../../../../src/contract/presentation/life.ts';
import { namedBelow, snapped, ticksOf } from './ticks.ts';

const T0 = Date.parse('2026-11-14T14:02:11.204Z');
const stop = (afterMs: number, revision: number): Stop => ({
  at: new Date(T0 + afterMs).toISOString(),
  ms: T0 + afterMs,
  to: 'running',
  revision,
  attempt: 1,
});
const FEW = [stop(0, 1), stop(100, 1), stop(60_000, 2), stop(64_000, 2)];
const line = lifeLine(FEW, T0 + 120_000);

describe('ticks on the line of a life', () => {
  it('are one for each change, and longer where a revision begins', () => {
    expect(ticksOf(FEW, line).map(({ opens }) => opens)).toEqual([true, false, true, false]);
  });

  it('stay few enough to be drawn, however long the life', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => stop(i * 1_000, Math.floor(i / 6)));
    const ticks = ticksOf(many, lifeLine(many, T0 + 10_000_000));
    expect(ticks.length).toBeLessThanOrEqual(251);
    expect(ticks.filter(({ isNamed }) => isNamed).length).toBeLessThanOrEqual(21);
  });

  it('are snapped to from near; between them any instant can be selected', () => {
    const ticks = ticksOf(FEW, line);
    const place = line.placeOf(T0 + 60_000);
    expect(snapped(ticks, line, place + 0.004, 0.01)).toBe(FEW[2]?.at);
    const between = Date.parse(snapped(ticks, line, place / 2, 0.01));
    expect(between).toBeGreaterThan(T0 + 100);
    expect(between).toBeLessThan(T0 + 60_000);
  });

  it('have no state named where the words about what was not known yet begin', () => {
    const ticks = ticksOf(FEW, line);
    const [first, second, third] = ticks.map(({ place }) => place);
    const named = (until: number) => namedBelow(ticks, until).states.map(({ place }) => place);
    expect(namedBelow(ticks, (third ?? 0) + 0.02)).toMatchObject({ hasRest: true });
    expect(named((third ?? 0) + 0.02), 'its name would stand below those words').not.toContain(third);
    expect(namedBelow(ticks, 1).hasRest).toBe(false);
    expect(named(1).length).toBeGreaterThan(0);
    expect(named((second ?? 0) + 0.01), 'later ones were not known then').not.toContain(third);
    expect(named(first ?? 0)).toEqual([]);
  });
});
