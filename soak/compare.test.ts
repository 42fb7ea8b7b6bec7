import { describe, expect, it } from 'vitest';
import { type Bounds, type ClaimSample, compare as compareOver, type TruthSample } from './compare.ts';

const BOUNDS = { lagMs: 6_000, probeMs: 0, settleMs: 0, stabilityMs: 1_000 };
const GOOD: Omit<TruthSample, 'at'> = {
  ...{ living: { 1: 1 }, answering: { 1: 1 }, routed: [1], alive: 1, steadyAfterMs: 0, isCrashLoop: false },
};
const GONE: Omit<TruthSample, 'at'> = { ...GOOD, living: {}, answering: {}, routed: [], alive: 0 };
const SILENT: Omit<TruthSample, 'at'> = { ...GOOD, answering: {}, routed: [] };
const compare = (claim: ClaimSample, truth: readonly TruthSample[], bounds: Bounds) =>
  compareOver(claim, truth, bounds, []);

/** A look each 200 ms over [from, to). */
const looks = (from: number, to: number, look: Omit<TruthSample, 'at'>): TruthSample[] =>
  Array.from({ length: Math.ceil((to - from) / 200) }, (_, n) => ({ ...look, at: from + n * 200 }));
const claim = (state: ClaimSample['state'], at: number, more: Partial<ClaimSample> = {}): ClaimSample => ({
  ...{ state, from: at, to: at, replicas: 1, unknownAt: Number.NEGATIVE_INFINITY, revisions: [1] },
  ...more,
});

describe('a claim against the truth', () => {
  it('running is false once nothing has answered for longer than it may lag', () => {
    const truth = [...looks(0, 10_000, GOOD), ...looks(10_000, 20_000, GONE)];
    expect(compare(claim('running', 15_900), truth, BOUNDS)).toBe('in_step');
    expect(compare(claim('running', 16_100), truth, BOUNDS)).toBe('false_green');
    expect(compare(claim('unknown', 16_100), truth, BOUNDS)).toBe('in_step');
  });

  it('running is false while one of three copies does not answer, or another revision does', () => {
    const three = { replicas: 3, revisions: [1] };
    const two = looks(0, 20_000, { ...GOOD, answering: { 1: 2 }, alive: 3 });
    expect(compare(claim('running', 15_000, three), two, BOUNDS)).toBe('false_green');
    const older = looks(0, 20_000, GOOD);
    expect(compare(claim('running', 15_000, { revisions: [2] }), older, BOUNDS)).toBe('false_green');
    expect(compare(claim('running', 15_000, { revisions: [2, 1] }), older, BOUNDS)).toBe('in_step');
  });

  it('running is false where the copies answer and the route does not', () => {
    const silent = looks(0, 20_000, { ...GOOD, routed: [] });
    expect(compare(claim('running', 15_000), silent, BOUNDS)).toBe('false_green');
    const portless = looks(0, 20_000, { ...GOOD, routed: 'portless' });
    expect(compare(claim('running', 15_000), portless, BOUNDS)).toBe('in_step');
  });

  it('one good look within the lag excuses a running claim', () => {
    const truth = looks(0, 20_000, GONE).map((look) => (look.at === 12_000 ? { ...look, ...GOOD } : look));
    expect(compare(claim('running', 15_000), truth, BOUNDS)).toBe('in_step');
    expect(compare(claim('running', 18_400), truth, BOUNDS)).toBe('false_green');
  });

  it('running is false in a crash loop, also while the app answers', () => {
    const truth = looks(0, 20_000, { ...GOOD, isCrashLoop: true });
    expect(compare(claim('running', 15_000), truth, BOUNDS)).toBe('false_green');
    expect(compare(claim('failed', 15_000), truth, BOUNDS)).toBe('in_step');
  });

  it('failed and degraded are false once all has held for longer than lag and window', () => {
    const truth = [...looks(0, 10_000, GONE), ...looks(10_000, 30_000, GOOD)];
    for (const state of ['failed', 'degraded'] as const) {
      expect(compare(claim(state, 16_900), truth, BOUNDS)).toBe('in_step');
      expect(compare(claim(state, 17_200), truth, BOUNDS)).toBe('false_red');
    }
  });

  it('failed and degraded have lag and window again after a time in which nobody could see', () => {
    const truth = looks(0, 30_000, GOOD);
    expect(compare(claim('degraded', 20_000, { unknownAt: 13_100 }), truth, BOUNDS)).toBe('in_step');
    expect(compare(claim('degraded', 20_000, { unknownAt: 12_900 }), truth, BOUNDS)).toBe('false_red');
  });

  it('failed and degraded may doubt for the window that exits left behind', () => {
    const truth = looks(0, 30_000, { ...GOOD, steadyAfterMs: 8_000 });
    expect(compare(claim('degraded', 13_900), truth, BOUNDS)).toBe('unjudged');
    expect(compare(claim('degraded', 14_000), truth, BOUNDS)).toBe('false_red');
  });

  it('stopped is false while a process lives, of whatever revision and in whatever condition', () => {
    const truth = looks(0, 20_000, { ...GONE, alive: 1 });
    expect(compare(claim('stopped', 15_000), truth, BOUNDS)).toBe('false_stopped');
    expect(compare(claim('stopped', 15_000), looks(0, 20_000, GONE), BOUNDS)).toBe('in_step');
  });

  it('an answer that took long is judged from when it was requested', () => {
    const truth = [...looks(0, 10_000, GOOD), ...looks(10_000, 30_000, GONE)];
    const slow = claim('running', 25_000, { from: 14_000 });
    expect(compare(slow, truth, BOUNDS)).toBe('in_step');
  });

  it('nothing is judged over a time in which nobody looked', () => {
    const gap = [...looks(0, 9_000, GONE), ...looks(12_000, 20_000, GONE)];
    expect(compare(claim('running', 15_000), gap, BOUNDS)).toBe('starved');
    expect(compare(claim('running', 5_000), looks(0, 9_000, GONE), BOUNDS)).toBe('unjudged');
    expect(compare(claim('running', 15_000), [], BOUNDS)).toBe('unjudged');
  });

  it('a process that is gone has no window of a probe, and one that is silent has', () => {
    const bounds = { ...BOUNDS, probeMs: 7_000 };
    const gone = [...looks(0, 10_000, GOOD), ...looks(10_000, 40_000, GONE)];
    expect(compare(claim('running', 15_900), gone, bounds)).toBe('in_step');
    expect(compare(claim('running', 16_100), gone, bounds)).toBe('false_green');
    const silent = [...looks(0, 10_000, GOOD), ...looks(10_000, 40_000, SILENT)];
    expect(compare(claim('running', 22_900), silent, bounds)).toBe('in_step');
    expect(compare(claim('running', 23_100), silent, bounds)).toBe('false_green');
  });

  it('what a claim has seen before us is not held against it', () => {
    const bounds = { ...BOUNDS, settleMs: 2_000 };
    const back = [...looks(0, 16_000, GONE), ...looks(16_000, 40_000, GOOD)];
    expect(compare(claim('running', 15_000), back, bounds)).toBe('in_step');
    expect(compare(claim('running', 13_500), back, bounds)).toBe('false_green');
    const broken = [...looks(0, 16_000, GOOD), ...looks(16_000, 40_000, GONE)];
    expect(compare(claim('degraded', 15_000), broken, bounds)).toBe('in_step');
    expect(compare(claim('degraded', 13_500), broken, bounds)).toBe('false_red');
  });

  it('what seems false is counted apart if we ourselves came too late to look', () => {
    const truth = looks(0, 20_000, GONE);
    const verdict = (at: number, ms: number) =>
      compareOver(claim('running', 15_000), truth, BOUNDS, [{ at, ms }]);
    expect(verdict(12_000, 600)).toBe('starved');
    expect(verdict(12_000, 400)).toBe('false_green');
    expect(verdict(8_900, 600)).toBe('false_green');
    expect(compareOver(claim('unknown', 15_000), truth, BOUNDS, [{ at: 12_000, ms: 600 }])).toBe('in_step');
  });
});
