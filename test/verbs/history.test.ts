import { describe, expect, it } from 'vitest';
import { instance } from './agent.ts';
import { newLab } from './driver.ts';
import { waiting } from './life.ts';

describe('protocol 7: history', () => {
  it('shows how long each stage of an attempt took, and counts nothing after its end', async () => {
    const lab = newLab();
    await waiting(lab);
    await lab.tick(2_000);
    const build = await lab.builder().take();
    await lab.tick(7_000);
    await build.stored();
    await lab.publish();
    await lab.tick(1_000);
    const agent = await lab.agent().register();
    const apply = await agent.take();
    await lab.tick(4_000);
    await apply.applied();
    await agent.sees([instance('u1')]);
    await lab.tick(3_000);
    const stages = [
      { stage: 'publish', ms: 0 },
      { stage: 'queue', ms: 2_000 },
      { stage: 'build', ms: 7_000 },
      { stage: 'apply_queue', ms: 1_000 },
      { stage: 'apply', ms: 4_000 },
    ];
    const timesOf = async () => (await lab.history()).map((r) => r.attempts.map((a) => a.stages));
    const starting = (ms: number) => ({ stage: 'start', ms });
    expect(await timesOf(), 'what is under way counts up to now').toEqual([[[...stages, starting(3_000)]]]);
    await agent.heartbeat();
    await lab.tick(60_000);
    expect((await lab.outcomes())[0]).toBe('r1.a1 succeeded');
    expect(await timesOf()).toEqual([[[...stages, starting(3_000)]]]);
  });

  it('adds up the visits to one stage, for each attempt separately', async () => {
    const lab = newLab();
    await waiting(lab);
    const first = await lab.builder().take();
    await lab.tick(5_000);
    await first.release();
    await lab.tick(1_000);
    const second = await lab.builder('builder-b').take();
    await lab.tick(6_000);
    await second.fails();
    await lab.tick(10_000);
    await lab.retry();
    await lab.tick(500);
    const [attempts] = (await lab.history()).map((r) => r.attempts.map((a) => a.stages));
    expect(attempts).toEqual([
      [
        { stage: 'publish', ms: 0 },
        { stage: 'queue', ms: 1_000 },
        { stage: 'build', ms: 11_000 },
      ],
      [{ stage: 'publish', ms: 500 }],
    ]);
  });
});
