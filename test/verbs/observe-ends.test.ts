import { describe, expect, it } from 'vitest';
import { entry, observing, pod, runningThere, SHOP, WEB, workload } from './observed-workload.ts';

describe('the end of a workload', () => {
  it('is not proven by another cluster under the same name, which never had it (F61)', async () => {
    const { lab, agent } = await observing();
    const job = entry({ job: 'succeeded', workload: workload({ kind: 'CronJob', uid: 'c-1' }) });
    await agent.sees([], [job], { ...SHOP, observation: 1 });
    expect((await lab.claim(WEB)).state).toBe('running');
    const other = await lab.agent('agent-2').register('cluster-2');
    for (let n = 0; n < 3; n++) {
      await other.sees([], [], { ...SHOP, observation: 1 });
      await lab.tick(4_000);
    }
    expect((await lab.claim(WEB)).state).toBe('unknown');
    await other.sees([], [job], { ...SHOP, observation: 1 });
    expect((await lab.claim(WEB)).state).toBe('running');
    await other.sees([], [], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
  });

  it('is stopped, removed elsewhere, once a complete report under the same rule shows neither it nor its pods', async () => {
    const { lab, agent } = await runningThere();
    await lab.tick(1_000);
    await agent.sees([pod('p1', { phase: 'stopping' })], [], { ...SHOP, observation: 1 });
    expect((await lab.claim(WEB)).state, 'a pod is left').toBe('stopping');
    await lab.tick(1_000);
    await agent.sees([], [], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'stopped',
      cause: { code: 'removed_elsewhere' },
      next: { owner: 'none' },
    });
    await lab.tick(1_000);
    await agent.sees([pod('p2')], [entry({ workload: workload({ uid: 'd-2' }) })], {
      ...SHOP,
      observation: 1,
    });
    expect((await lab.claim(WEB)).state, 'created anew').not.toBe('stopped');
  });

  it('is not proven by an incomplete report', async () => {
    const { lab, agent } = await runningThere();
    await agent.sees([], [], { ...SHOP, observation: 1, complete: false });
    expect((await lab.claim(WEB)).state).toBe('running');
  });

  it('is unknown, not observed, and off the list, where the rule no longer covers it', async () => {
    const { lab, agent } = await runningThere();
    await lab.observe({ namespaces: ['bank'] });
    await lab.tick(1_000);
    await agent.sees([], [], { ...SHOP, observation: 2 });
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'unknown',
      cause: { code: 'not_observed' },
      lastKnown: { state: 'running' },
    });
    const { nothingServes, lastServing } = await lab.claim(WEB);
    expect(nothingServes, 'it may answer all the while').toBeUndefined();
    expect(lastServing).toMatchObject({ revision: 1 });
    expect(lab.rows('services')).toMatchObject([{ hidden: true }]);
    await lab.observe({ namespaces: ['*'] });
    await agent.sees([pod('p1')], [entry()], { ...SHOP, observation: 3 });
    expect((await lab.claim(WEB)).cause?.code).not.toBe('not_observed');
    expect((await lab.claim(WEB)).state, 'nobody has seen it broken').toBe('unknown');
    await lab.tick(4_000);
    await agent.heartbeat({ ...SHOP, observation: 3 });
    expect((await lab.claim(WEB)).state).toBe('running');
    expect(lab.rows('services')).toMatchObject([{ hidden: false }]);
  });

  it.each([
    ['ended', null, undefined, 1_000],
    ['was narrowed', { namespaces: ['bank'] }, 2, 1_000],
    ['was narrowed while the agent was away', { namespaces: ['bank'] }, undefined, 60_000],
  ])(
    'is not observed where the rule %s after it was removed, however long nobody looks',
    async (_, rule, observation, ms) => {
      const { lab, agent } = await runningThere();
      await lab.tick(1_000);
      await agent.sees([], [], { ...SHOP, observation: 1 });
      expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
      await lab.observe(rule);
      await lab.tick(ms);
      await lab.claim(WEB);
      await agent.sees([], [], { ...SHOP, ...(observation !== undefined && { observation }) });
      const uncovered = {
        state: 'unknown',
        cause: { code: 'not_observed' },
        lastKnown: { state: 'stopped' },
      };
      expect(await lab.claim(WEB), 'somebody may have created it anew').toMatchObject(uncovered);
      expect(lab.rows('services')).toMatchObject([{ hidden: true }]);
      await lab.tick(60_000);
      await agent.sees([], [], { scope: 'ns/bank', observation: 2 });
      expect(await lab.claim(WEB), 'no silence explains it').toMatchObject(uncovered);
      await lab.observe({ namespaces: ['*'] });
      await agent.sees([], [], { ...SHOP, observation: 3 });
      expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
      expect(lab.rows('services')).toMatchObject([{ hidden: false }]);
    },
  );

  it('under a changed rule that covered it until then is a removal', async () => {
    const { lab, agent } = await runningThere();
    await lab.observe({ namespaces: ['*'] });
    await lab.tick(1_000);
    await agent.sees([pod('p1')], [entry()], { ...SHOP, observation: 2 });
    await lab.tick(1_000);
    await agent.sees([], [], { ...SHOP, observation: 2 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
  });

  it('stays a removal under a later rule, whoever falls silent meanwhile', async () => {
    const { lab, agent } = await runningThere();
    await lab.tick(1_000);
    await agent.sees([], [], { ...SHOP, observation: 1 });
    const removed = { state: 'stopped', cause: { code: 'removed_elsewhere' } };
    expect(await lab.claim(WEB)).toMatchObject(removed);
    await lab.observe({ namespaces: ['*'] });
    await lab.tick(60_000);
    expect((await lab.claim(WEB)).state).toBe('unknown');
    await agent.sees([], [], { ...SHOP, observation: 2 });
    expect(await lab.claim(WEB)).toMatchObject(removed);
    expect(lab.rows('services')).toMatchObject([{ hidden: false }]);
  });

  it('is not proven where its labels were changed, so that the rule leaves out what is there', async () => {
    const { lab, agent } = await runningThere();
    await lab.observe({ namespaces: ['shop'], selector: 'app=web' });
    const shop = { ...SHOP, observation: 2 };
    await agent.sees([pod('p1')], [entry()], shop);
    await lab.tick(4_000);
    await agent.heartbeat(shop);
    expect((await lab.claim(WEB)).state).toBe('running');
    await agent.sees([], [], { ...shop, uncovered: ['d-1'] });
    const uncovered = { state: 'unknown', cause: { code: 'not_observed' }, lastKnown: { state: 'running' } };
    expect(await lab.claim(WEB)).toMatchObject(uncovered);
    expect(lab.rows('services')).toMatchObject([{ hidden: true }]);
    await lab.tick(4_000);
    await agent.heartbeat(shop);
    expect(await lab.claim(WEB), 'a heartbeat says what the full report said').toMatchObject(uncovered);
    await agent.changes({ instances: [pod('x1', { service: 'other@lab' })] }, {}, shop);
    expect(await lab.claim(WEB), 'a change speaks of what it names').toMatchObject(uncovered);
    await agent.sees([], [], { ...shop, uncovered: [] });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
    await agent.sees([], [], { ...shop, uncovered: ['d-1'] });
    expect((await lab.claim(WEB)).cause?.code, 'it is there after all').toBe('not_observed');
    await agent.sees([pod('p1')], [entry()], shop);
    expect((await lab.claim(WEB)).cause?.code).not.toBe('not_observed');
  });

  it('ends as a removal where somebody creates one of that name anew and a rule leaves it out', async () => {
    const { lab, agent } = await runningThere();
    await lab.observe({ namespaces: ['shop'], selector: 'app=web' });
    const shop = { ...SHOP, observation: 2 };
    await agent.sees([pod('p1')], [entry()], shop);
    await lab.tick(1_000);
    await agent.sees([], [], shop);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
    await agent.sees([], [], { ...shop, uncovered: ['Deployment/web'] });
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'unknown',
      cause: { code: 'not_observed' },
      lastKnown: { state: 'stopped' },
    });
    expect(lab.rows('services')).toMatchObject([{ hidden: true }]);
    await agent.sees([], [], { ...shop, uncovered: ['StatefulSet/web'] });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
  });

  it.each([1_000, 60_000])(
    'is found %d ms later, under a rule that covers its namespace again',
    async (ms) => {
      const { lab, agent } = await runningThere();
      await lab.observe({ namespaces: ['bank'] });
      await lab.tick(1_000);
      await agent.sees([], [], SHOP);
      expect(await lab.claim(WEB)).toMatchObject({ state: 'unknown', cause: { code: 'not_observed' } });
      await lab.observe({ namespaces: ['*'], selector: 'app=web' });
      await lab.tick(ms);
      await agent.sees([], [], { ...SHOP, observation: 3 });
      expect((await lab.claim(WEB)).cause?.code, 'it may have other labels').toBe('not_observed');
      await lab.observe({ namespaces: ['*'] });
      await lab.tick(1_000);
      await agent.sees([], [], { ...SHOP, observation: 3 });
      expect((await lab.claim(WEB)).cause?.code, 'the report follows the rule of before').toBe(
        'not_observed',
      );
      await agent.sees([], [], { ...SHOP, observation: 4 });
      const removed = { state: 'stopped', cause: { code: 'removed_elsewhere' } };
      expect(await lab.claim(WEB)).toMatchObject(removed);
      expect(lab.rows('services')).toMatchObject([{ hidden: false }]);
      await lab.tick(4_000);
      await agent.heartbeat({ ...SHOP, observation: 4 });
      expect(await lab.claim(WEB)).toMatchObject(removed);
    },
  );

  it('stays a removal under a later rule, though a report could not be read meanwhile', async () => {
    const { lab, agent } = await runningThere();
    await lab.tick(1_000);
    await agent.sees([], [], { ...SHOP, observation: 1 });
    await lab.observe({ namespaces: ['shop'], selector: 'app=web' });
    await lab.tick(1_000);
    await agent.sees([{ service: WEB }], [], { ...SHOP, observation: 2 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'unknown', cause: { code: 'evidence_corrupt' } });
    await lab.tick(1_000);
    await agent.sees([], [], { ...SHOP, observation: 2 });
    const { state, cause, lastServing } = await lab.claim(WEB);
    expect({ state, cause: cause?.code }).toEqual({ state: 'stopped', cause: 'removed_elsewhere' });
    expect(lastServing).toBeNull();
  });

  it.each([
    ['could not be read', [{ service: WEB }], true],
    ['was not of everything', [], false],
  ])('is none under a rule that only a report followed which %s', async (_, items, complete) => {
    const { lab, agent } = await runningThere();
    await lab.observe({ namespaces: ['shop'], selector: 'app=web' });
    await lab.tick(1_000);
    await agent.sees(items, [], { ...SHOP, observation: 2, complete });
    await agent.sees([], [], { ...SHOP, observation: 2 });
    expect(await lab.claim(WEB), 'its labels may be others').toMatchObject({
      state: 'unknown',
      cause: { code: 'not_observed' },
    });
  });

  it('is seen by reports that are older than their receipt', async () => {
    const { lab, agent } = await observing();
    await agent.sees([pod('p1')], [entry()], { ...SHOP, observation: 1, watchAgeMs: 9_000 });
    await agent.sees([], [], { ...SHOP, observation: 1, watchAgeMs: 5_000 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'removed_elsewhere' } });
  });

  it('is none under a later rule while a pod of it was left', async () => {
    const { lab, agent } = await runningThere();
    await lab.tick(1_000);
    await agent.sees([pod('p1', { phase: 'stopping' })], [], { ...SHOP, observation: 1 });
    await lab.observe({ namespaces: ['bank'] });
    await lab.tick(1_000);
    await agent.sees([], [], { ...SHOP, observation: 2 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'unknown', cause: { code: 'not_observed' } });
  });

  it('scaled to none is stopped while it is there', async () => {
    const { lab, agent } = await runningThere();
    await lab.tick(1_000);
    await agent.sees([pod('p1', { phase: 'stopping' })], [entry({ replicas: 0 })], {
      ...SHOP,
      observation: 1,
    });
    expect(await lab.claim(WEB), 'nothing is broken').toMatchObject({
      state: 'stopping',
      cause: { code: 'ending' },
      message: { code: 'stopping.elsewhere' },
    });
    await lab.tick(1_000);
    await agent.sees([], [entry({ replicas: 0 })], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'scaled_to_zero' } });
  });
});

describe('a pod by itself that ended badly', () => {
  it('is not called ending where nothing of it was ever seen: unknown, until a complete report shows no copy', async () => {
    const { lab, agent } = await observing();
    const shop = { ...SHOP, observation: 1 };
    await agent.sees([], [], shop);
    await lab.tick(1_000);
    await agent.changes({ services: [entry({ replicas: 0 })] }, {}, shop);
    const first = await lab.claim(WEB);
    expect(first).toMatchObject({
      state: 'unknown',
      cause: { code: 'absence_unproven', params: { by: 'unreported' } },
      next: { owner: 'platform' },
    });
    expect(first.message.body).toContain('no complete report has shown yet');
    await agent.sees([], [entry({ replicas: 0 })], shop);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'scaled_to_zero' } });
  });

  it('is failed at once, where nothing starts it again', async () => {
    const { lab, agent } = await observing();
    const ended = pod('p1', { phase: 'failed', ready: false, reason: 'exited' });
    await agent.sees([ended], [entry({ isOver: true })], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'failed', cause: { code: 'exited' } });
  });

  it('having run, is failed at once too', async () => {
    const { lab, agent } = await runningThere();
    const ended = pod('p1', { phase: 'failed', ready: false, reason: 'exited' });
    await agent.sees([ended], [entry({ isOver: true })], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'failed', cause: { code: 'exited' } });
  });
});

describe('what rests at its target is stopped, and never red by a deadline', () => {
  it('a pod by itself that ran and ended well is completed', async () => {
    const { lab, agent } = await runningThere();
    await agent.sees([], [entry({ job: 'succeeded', replicas: 0 })], { ...SHOP, observation: 1 });
    const completed = {
      state: 'stopped',
      cause: { code: 'completed' },
      message: { code: 'stopped.completed' },
    };
    expect(await lab.claim(WEB)).toMatchObject(completed);
  });

  it.each([
    ['scaled to none', entry({ replicas: 0 }), 'scaled_to_zero'],
    ['suspended', entry({ replicas: 1, job: 'suspended' }), 'job_suspended'],
  ])('what is %s when it is first seen is stopped at once', async (_, seen, code) => {
    const { lab, agent } = await observing();
    await agent.sees([], [seen], { ...SHOP, observation: 1, watchAgeMs: 2_000 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code } });
  });

  it('a Deployment that is paused before its first rollout is suspended until somebody resumes it', async () => {
    const { lab, agent } = await observing();
    await agent.sees([], [entry({ job: 'suspended', template: null })], { ...SHOP, observation: 1 });
    for (let minute = 0; minute < 7; minute += 1) {
      await lab.tick(60_000);
      await agent.sees([], [entry({ job: 'suspended', template: null })], { ...SHOP, observation: 1 });
    }
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped', cause: { code: 'job_suspended' } });
    await agent.sees([pod('p1')], [entry()], { ...SHOP, observation: 1 });
    await lab.tick(4_000);
    await agent.heartbeat({ ...SHOP, observation: 1 });
    expect(await lab.claim(WEB), 'nothing was changed').toMatchObject({
      state: 'running',
      desired: { revision: 1 },
      serving: { revision: 1 },
    });
    await agent.sees([pod('p1')], [entry({ template: 'hash-2' })], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB), 'now it was').toMatchObject({ desired: { revision: 2 } });
  });
});
