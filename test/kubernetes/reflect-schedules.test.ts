import { describe, expect, it } from 'vitest';
import { Rng } from '../../lab/rng.ts';
import { ModelCluster } from './model-cluster.ts';

const SCHEDULES = 400;
const STEPS = 120;

describe('a reflector over a model cluster that freezes, breaks, goes deaf and is restored', () => {
  it(`claims no proof that is not true, and recovers, in ${SCHEDULES} schedules`, () => {
    const seen = { proven: 0, restored: 0 };
    for (let seed = 1; seed <= SCHEDULES; seed++) {
      const rng = new Rng(seed);
      const cluster = new ModelCluster(rng);
      for (let step = 0; step < STEPS; step++) {
        if (rng.int(0, 2) === 0) cluster.disturb();
        cluster.advance(rng.int(1, 2_000));
        const violation = cluster.violation();
        if (violation !== null) expect.fail(`seed ${seed}, step ${step}: ${violation}`);
        if (cluster.state.provenAt !== null) seen.proven++;
      }
      cluster.heal();
      cluster.advance(40_000);
      expect(cluster.isSettled(), `seed ${seed}: ${JSON.stringify(cluster.state)}`).toBe(true);
      expect(mostWithin(cluster.requests, 10_000), `seed ${seed}: requests within 10 s`).toBeLessThan(60);
      seen.restored += cluster.restoredSignals;
    }
    expect(seen.proven).toBeGreaterThan((SCHEDULES * STEPS) / 4);
    expect(seen.restored).toBeGreaterThan(SCHEDULES / 10);
  });
});

/** The largest number of instants within any span of that length. */
function mostWithin(instants: readonly number[], ms: number): number {
  let from = 0;
  let most = 0;
  for (const [to, instant] of instants.entries()) {
    while (instant - (instants[from] ?? 0) > ms) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
