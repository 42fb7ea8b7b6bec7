import { describe, expect, it } from 'vitest';
import { entry, observing, pod, SHOP, WEB, workload } from './observed-workload.ts';

describe('a CronJob', () => {
  const cron = (job: string) =>
    entry({ job, workload: workload({ kind: 'CronJob', uid: 'c-1' }), template: 'hash-1' });
  it.each([
    ['active', 'running', 'running.job'],
    ['succeeded', 'running', 'running.job'],
    ['suspended', 'stopped', 'stopped.job_suspended'],
  ])('whose last Job is %s is %s', async (job, state, code) => {
    const { lab, agent } = await observing();
    await agent.sees([], [cron(job)], { ...SHOP, observation: 1 });
    await lab.tick(4_000);
    await agent.heartbeat({ ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({ state, message: { code } });
  });

  it('whose last Job failed, after one that did not, is degraded', async () => {
    const { lab, agent } = await observing();
    await agent.sees([], [cron('succeeded')], { ...SHOP, observation: 1 });
    await lab.tick(4_000);
    await agent.heartbeat({ ...SHOP, observation: 1 });
    await agent.sees([], [cron('failed')], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'degraded', cause: { code: 'job_failed' } });
  });

  it('that has no run yet names what keeps it from beginning', async () => {
    const { lab, agent } = await observing();
    const seen = { ...cron('none'), reason: 'older_run_in_the_way' };
    await agent.sees([], [seen], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      cause: { code: 'older_run_in_the_way' },
      next: { owner: 'user' },
    });
  });

  it('that is being deleted is stopping while a run of it ends', async () => {
    const { lab, agent } = await observing();
    await agent.sees([], [cron('succeeded')], { ...SHOP, observation: 1 });
    await lab.tick(4_000);
    await agent.heartbeat({ ...SHOP, observation: 1 });
    const deleting = entry({ workload: workload({ kind: 'CronJob', uid: 'c-1' }), replicas: 0 });
    await agent.sees([pod('p1', { phase: 'stopping', template: 'job-1' })], [deleting], {
      ...SHOP,
      observation: 1,
    });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopping', cause: { code: 'ending' } });
    await agent.sees([], [], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
  });
});

describe('a CronJob of which a run is under way', () => {
  const cron = (job: string, jobBefore?: string) =>
    entry({ job, jobBefore, workload: workload({ kind: 'CronJob', uid: 'c-1' }) });
  const shows = async ({ lab, agent }: Awaited<ReturnType<typeof observing>>, seen: object) => {
    await lab.tick(4_000);
    await agent.sees([], [seen], { ...SHOP, observation: 1 });
    return lab.claim(WEB);
  };

  it('is as its last finished run was: one that fails each time is never green', async () => {
    const seen = await observing();
    expect(await shows(seen, cron('failed')), 'nothing waits for a deadline').toMatchObject({
      state: 'failed',
      cause: { code: 'job_failed' },
    });
    expect(await shows(seen, cron('active', 'failed'))).toMatchObject({ state: 'failed' });
    expect(await shows(seen, cron('succeeded'))).toMatchObject({ state: 'running' });
    const degraded = { state: 'degraded', cause: { code: 'job_failed' }, message: { code: 'degraded.job' } };
    expect(await shows(seen, cron('failed'))).toMatchObject(degraded);
    expect(await shows(seen, cron('active', 'failed'))).toMatchObject(degraded);
    expect(await shows(seen, cron('active', 'succeeded'))).toMatchObject({ state: 'running' });
  });

  it('is starting while its first run is under way, however long that takes', async () => {
    const seen = await observing();
    const starting = { state: 'starting', cause: { code: 'first_run' }, message: { code: 'starting.job' } };
    expect(await shows(seen, cron('active', 'none'))).toMatchObject(starting);
    for (let minute = 0; minute < 8; minute++) {
      await seen.lab.tick(56_000);
      expect(await shows(seen, cron('active', 'none'))).toMatchObject(starting);
    }
    expect(await shows(seen, cron('succeeded'))).toMatchObject({ state: 'running' });
  });

  it('is starting before it too, however far that is: nothing proves that it can run', async () => {
    const seen = await observing();
    const waits = { state: 'starting', cause: { code: 'not_run_yet' }, next: { owner: 'platform' } };
    expect(await shows(seen, cron('none'))).toMatchObject({ ...waits, outcome: 'in_progress' });
    for (let minute = 0; minute < 8; minute++) {
      await seen.lab.tick(56_000);
      expect(await shows(seen, cron('none'))).toMatchObject(waits);
    }
    expect(await shows(seen, cron('active', 'none'))).toMatchObject({ state: 'starting' });
    await seen.lab.tick(60_000);
    expect((await seen.lab.claim(WEB)).state, 'a silence').toBe('unknown');
    expect(await shows(seen, cron('active', 'none')), 'is no failure').toMatchObject({
      state: 'starting',
      cause: { code: 'first_run' },
    });
    expect(await shows(seen, cron('failed'))).toMatchObject({ state: 'failed' });
  });

  it('is not green while that run does not get on, and unknown while its node is silent', async () => {
    const seen = await observing();
    const stuck = (reason: string, before = 'succeeded') => ({ ...cron('active', before), reason });
    expect(await shows(seen, stuck('image_not_found', 'none'))).toMatchObject({
      state: 'starting',
      cause: { code: 'image_not_found' },
      next: { owner: 'user' },
    });
    expect(await shows(seen, cron('succeeded'))).toMatchObject({ state: 'running' });
    expect(await shows(seen, stuck('image_not_found'))).toMatchObject({
      state: 'degraded',
      cause: { code: 'image_not_found' },
      message: { code: 'degraded.job' },
      next: { owner: 'user' },
    });
    expect(await shows(seen, cron('active', 'succeeded'))).toMatchObject({ state: 'running' });
    expect(await shows(seen, stuck('node_lost'))).toMatchObject({
      state: 'unknown',
      cause: { code: 'runtime_unreachable' },
    });
    expect(await shows(seen, cron('succeeded'))).toMatchObject({ state: 'running' });
    expect(await shows(seen, stuck('node_lost', 'failed')), 'a failure stays known').toMatchObject({
      state: 'degraded',
      cause: { code: 'job_failed' },
    });
  });
});
