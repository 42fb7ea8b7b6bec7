import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runSchedule } from '../../sim/schedule.ts';
import type { Sim } from '../../sim/sim.ts';
import type { RowDifference } from '../../src/repair/difference.ts';
import { type RebuildProgress, rebuild } from '../../src/repair/rebuild.ts';
import { instance } from './agent.ts';
import { newLab, ORG, type Platform, SOURCE } from './driver.ts';
import { artifactReady, running } from './life.ts';
import { live, lives } from './random-life.ts';

async function check(lab: Platform, replace = false) {
  const differences: RowDifference[] = [];
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
  it('finds any random life as it was stored, byte for byte, and every transition as judging gives it (S9)', async () => {
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

  it('finds a hostile schedule of the simulator as it was stored', async () => {
    for (let seed = 1; seed <= 6; seed++) {
      let sim: Sim | undefined;
      const onEnd = async (ended: Sim) => {
        sim = ended;
      };
      await runSchedule(seed, { steps: 400, onEnd });
      const found: RowDifference[] = [];
      if (sim !== undefined)
        await rebuild(sim.host, { replace: false, onDifference: (difference) => found.push(difference) });
      expect(found, `seed ${seed}`).toEqual([]);
    }
  }, 60_000);

  it('accepts the jump of positions at a recovery', async () => {
    const lab = await withPast();
    await lab.recover();
    await lab.tick(3_000);
    await (await lab.agent('agent-lab', 'agent-2').register()).sees([]);
    expect((await check(lab)).differences).toEqual([]);
  });

  it('writes a missing transition again at its own position, or replaces nothing', async () => {
    let rewritten = 0;
    await fc.assert(
      fc.asyncProperty(lives(40), fc.nat(), async (steps, n) => {
        const lab = newLab({ checkpointEvery: 9 });
        await live(lab, steps);
        const { transitions } = lab.store.tables;
        const [key, row] = [...transitions][n % transitions.size] ?? [];
        if (key === undefined || row === undefined) return;
        const before = new Map(transitions);
        transitions.delete(key);
        const { result } = await check(lab, true);
        const again = transitions.get(key);
        transitions.set(key, row);
        expect(transitions).toEqual(before);
        if (again === undefined) return void expect(result).toMatchObject({ replaced: 0, damage: 1 });
        const { at, owner, evidence, recordedAt, ...rest } = row;
        expect(again).toMatchObject(rest);
        if (owner !== 'clock') expect(again).toEqual(row);
        transitions.set(key, again);
        expect((await check(lab)).differences).toEqual([]);
        rewritten += 1;
      }),
      { numRuns: 60 },
    );
    expect(rewritten).toBeGreaterThan(40);
  }, 120_000);

  it('finds and restores a changed owner, cause and stage of a transition', async () => {
    const lab = await withPast();
    const { transitions } = lab.store.tables;
    for (const [key, row] of [...transitions])
      for (const lie of [{ owner: 'operator' }, { evidence: 'e0' }, { stage: 'stop' }] as const) {
        transitions.set(key, { ...row, ...lie });
        const { result, differences } = await check(lab, true);
        expect(differences, `${row.position}`).toMatchObject([{ column: Object.keys(lie)[0] }]);
        expect(result).toMatchObject({ replaced: 1, left: 0 });
        expect(transitions.get(key)).toEqual(row);
      }
  });

  it('schedules a service again whose due time was lost', async () => {
    const lab = newLab();
    await artifactReady(lab, { deadlines: { applyQueueMs: 60_000 } });
    const key = { org: ORG, service: 'web@lab' };
    await lab.host.store.transact((tx) => tx.update('services', key, {}, { due: null }));
    await lab.tick(61_000);
    expect((await lab.path()).at(-1), 'nobody did').toBe('artifact_ready by worker');
    await rebuild(lab.host, { replace: true });
    await lab.tick(1_000);
    expect((await lab.path()).at(-1)).toBe('failed by sweeper');
  });

  it('reports its progress, within a service and while it searches for holes', async () => {
    const lab = newLab();
    const agent = await running(lab);
    for (let n = 0; n < 210; n++) await agent.sees([instance('u1', { restarts: n })]);
    const come: RebuildProgress[] = [];
    await rebuild(lab.host, { replace: false, onProgress: (progress) => come.push(progress) });
    const rows = (at: RebuildProgress['at']) => come.filter((p) => p.at === at).map((p) => p.rows);
    expect(rows('holes').slice(0, 2)).toEqual([200, expect.any(Number)]);
    expect(rows('services')).toEqual([0, 200]);
  });
});
