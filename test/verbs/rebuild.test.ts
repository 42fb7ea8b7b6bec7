import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Difference } from '../../src/repair/compare-service.ts';
import { rebuild } from '../../src/repair/rebuild.ts';
import { runSchedule } from '../../src/sim/schedule.ts';
import type { Sim } from '../../src/sim/sim.ts';
import { newLab, type Platform, SOURCE } from './driver.ts';
import { running } from './life.ts';
import { live, lives } from './random-life.ts';

async function check(lab: Platform, replace = false) {
  const differences: Difference[] = [];
  const result = await rebuild(lab.host, { replace, onDifference: (d) => differences.push(d) });
  return { result, differences };
}

/** A service with a past: three revisions, a silence, a late worker. */
async function withPast() {
  const lab = newLab({ checkpointEvery: 7 });
  const agent = await running(lab);
  await agent.watches(20_000);
  await lab.tick(40_000);
  await agent.heartbeat();
  await lab.deploy(SOURCE);
  await lab.publish();
  await lab.builder().take();
  await lab.tick(100_000);
  await lab.deploy(SOURCE);
  return lab;
}

describe('rebuilding', () => {
  it('finds any life as it was stored, byte for byte, and every transition as judging gives it (S9)', async () => {
    let rows = 0;
    await fc.assert(
      fc.asyncProperty(lives(60), async (steps) => {
        const lab = newLab({ checkpointEvery: 9 });
        await live(lab, steps);
        const { result, differences } = await check(lab);
        expect(differences).toEqual([]);
        rows += result.rows;
      }),
      { numRuns: Number(process.env.LIVES ?? 60) },
    );
    expect(rows).toBeGreaterThan(500);
  }, 120_000);

  it('finds a hostile schedule as it was stored', async () => {
    for (let seed = 1; seed <= 6; seed++) {
      let sim: Sim | undefined;
      const onEnd = (ended: Sim) => {
        sim = ended;
      };
      await runSchedule(seed, { steps: 400, onEnd });
      const found: Difference[] = [];
      if (sim !== undefined)
        await rebuild(sim.host, { replace: false, onDifference: (difference) => found.push(difference) });
      expect(found, `seed ${seed}`).toEqual([]);
    }
  }, 60_000);

  it('through a recovery, whose jump is no hole', async () => {
    const lab = await withPast();
    await lab.recover();
    await lab.tick(3_000);
    await (await lab.agent('agent-lab', 'agent-2').register()).sees([]);
    expect((await check(lab)).differences).toEqual([]);
  });
});
