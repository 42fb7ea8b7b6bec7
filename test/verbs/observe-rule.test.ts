import { describe, expect, it } from 'vitest';
import { history } from '../../src/evidence/read.ts';
import { reportBeats } from '../../src/evidence/report/beats.ts';
import { setObservation } from '../../src/evidence/report/observation-rule.ts';
import { register } from '../../src/evidence/report/register.ts';
import { isIntactEntry, revisionView } from '../../src/server/reads/history.ts';
import { type Agent, instance } from './agent.ts';
import { newLab } from './driver.ts';
import { granted, ORG } from './names.ts';

const WEB = 'web.shop@lab';
const SHOP = { scope: 'ns/shop' };

/** A pod of the workload, as an agent in a cluster reports it: no stamp of ours, the hash of its template instead. */
const pod = (uid: string, changed: object = {}) =>
  instance(uid, {
    service: WEB,
    revision: null,
    attempt: null,
    fence: null,
    artifact: null,
    template: 'hash-1',
    ...changed,
  });

const workload = (changed: object = {}) => ({
  kind: 'Deployment',
  namespace: 'shop',
  name: 'web',
  uid: 'd-1',
  managedBy: 'Argo CD',
  ...changed,
});

const entry = (changed: object = {}) => ({
  service: WEB,
  template: 'hash-1',
  replicas: 1,
  workload: workload(),
  ...changed,
});

async function observing(
  rule = { namespaces: ['shop'] },
): Promise<{ lab: ReturnType<typeof newLab>; agent: Agent }> {
  const lab = newLab();
  await lab.observe(rule);
  const agent = await lab.agent('agent-1').register();
  return { lab, agent };
}

const transitions = (lab: ReturnType<typeof newLab>) => lab.rows('transitions').map(({ to }) => to);

async function runningThere() {
  const found = await observing();
  const { lab, agent } = found;
  await agent.sees([pod('p1')], [entry()], { ...SHOP, observation: 1 });
  await lab.tick(4_000);
  await agent.heartbeat({ ...SHOP, observation: 1 });
  expect(await lab.claim(WEB)).toMatchObject({ state: 'running' });
  return found;
}

describe('the rule of a target', () => {
  it('has a version, which grows with every change and stays when it is set again', async () => {
    const lab = newLab();
    expect(await lab.observe({ namespaces: ['shop', 'shop', 'bank'] })).toMatchObject({
      version: 1,
      namespaces: ['bank', 'shop'],
    });
    expect((await lab.observe({ namespaces: ['bank', 'shop'] })).version).toBe(1);
    expect(await lab.observe({ namespaces: ['bank', '*'] })).toMatchObject({ version: 2, namespaces: ['*'] });
    expect(await lab.observe(null)).toMatchObject({ version: 3, namespaces: null });
    const acted = lab.rows('ledger').filter(({ kind }) => kind === 'operator.acted');
    expect(acted.map(({ body }) => body)).toMatchObject([
      { action: 'observation.set', observation: { version: 1 } },
      { action: 'observation.set', observation: { version: 2 } },
      { action: 'observation.stopped', observation: { version: 3 } },
    ]);
  });

  it('ends where there is no target, which need not be registered, and makes none', async () => {
    const lab = newLab();
    const answer = await setObservation(lab.host, lab.caller('adam', 'admin'), 'nowhere', null);
    expect(answer).toMatchObject({ ok: true, rule: { version: 0, namespaces: null } });
    expect(lab.rows('targets').map(({ target }) => target)).not.toContain('nowhere');
  });

  it('is set by administrators alone', async () => {
    const lab = newLab();
    const answer = await setObservation(lab.host, lab.caller('olga', 'operator'), 'lab', {
      namespaces: ['*'],
    });
    expect(answer).toMatchObject({ ok: false, code: 'forbidden' });
  });

  it('reaches the agent with its registration and with every report', async () => {
    const lab = newLab();
    const agent = await lab.agent('agent-1').register();
    expect((await agent.sees([], [])).observation).toBeNull();
    await lab.observe({ namespaces: ['shop'], selector: 'app=web' });
    const rule = { version: 1, namespaces: ['shop'], selector: 'app=web' };
    expect((await agent.heartbeat()).observation).toMatchObject(rule);
    const { caller } = agent;
    const registration = { agent: 'agent-2', instance: 'i2', version: '1', identity: 'cluster-1' };
    expect(granted(await register(lab.host, caller, 'lab', registration))).toMatchObject({
      observation: rule,
    });
  });
});

describe('a workload that the rule covers', () => {
  it('is a service from the report that first shows it, without anybody deploying it', async () => {
    const { lab, agent } = await observing();
    await agent.sees([pod('p1')], [entry()], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'starting', cause: { code: 'settling' } });
    await lab.tick(4_000);
    await agent.heartbeat({ ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'running',
      desired: { revision: 1 },
      serving: { revision: 1 },
    });
    await lab.tick(1_000);
    await agent.sees([pod('p2', { template: 'hash-2', ready: false })], [entry({ template: 'hash-2' })], {
      ...SHOP,
      observation: 1,
    });
    expect(await lab.claim(WEB), 'another template is another revision').toMatchObject({
      state: 'starting',
      desired: { revision: 2 },
    });
  });

  it.each([
    ['the report follows an older rule', { observation: 1 }, { namespaces: ['shop', 'bank'] }],
    ['the report follows no rule', {}, null],
    ['it is in another namespace', { observation: 2 }, { namespaces: ['bank'] }],
  ])('is no service if %s', async (_, options, next) => {
    const { lab, agent } = await observing();
    if (next !== null) await lab.observe(next);
    await agent.sees([pod('p1')], [entry()], { ...SHOP, ...options });
    expect(lab.rows('services')).toEqual([]);
  });

  it('keeps its name for ever: another one of that name is told so, and harms nothing', async () => {
    const { lab, agent } = await runningThere();
    const other = entry({ workload: workload({ kind: 'StatefulSet', uid: 's-1' }) });
    const answer = await agent.sees([pod('p9', { ready: false })], [other], { ...SHOP, observation: 1 });
    expect(answer.rejected).toMatchObject([
      { service: WEB, errors: [expect.stringContaining('name_taken')] },
    ]);
    await agent.sees([], [{ ...other, service: 'web-statefulset.shop@lab', replicas: 0 }], {
      ...SHOP,
      observation: 1,
    });
    expect(lab.rows('services').map(({ service }) => service)).toEqual([WEB, 'web-statefulset.shop@lab']);
    const registration = { agent: 'agent-2', instance: 'i2', version: '1', identity: 'cluster-1' };
    expect(granted(await register(lab.host, agent.caller, 'lab', registration)).names).toMatchObject([
      { service: 'web-statefulset.shop@lab', workload: { kind: 'StatefulSet' } },
    ]);
  });
});

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

describe('what another tool scales up', () => {
  const at = { ...SHOP, observation: 1 };
  const young = (uid: string) => pod(uid, { phase: 'starting', ready: false });

  it('is starting more copies while all that were wanted are ready, and running once they are', async () => {
    const { lab, agent } = await runningThere();
    await lab.tick(1_000);
    await agent.sees([pod('p1')], [entry({ replicas: 3 })], at);
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      cause: { code: 'more_wanted', params: { from: 1, ready: 1, wanted: 3 } },
      message: { code: 'starting.more', body: expect.stringContaining('3 copies are wanted, after 1.') },
      next: { owner: 'platform' },
      serving: { revision: 1 },
    });
    await lab.tick(1_000);
    await agent.sees([pod('p1'), pod('p2'), young('p3')], [entry({ replicas: 3 })], at);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'starting', cause: { code: 'more_wanted' } });
    await lab.tick(1_000);
    await agent.sees([pod('p1'), pod('p2'), pod('p3')], [entry({ replicas: 3 })], at);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'starting', cause: { code: 'settling' } });
    await lab.tick(4_000);
    await agent.heartbeat(at);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'running' });
    expect(transitions(lab)).not.toContain('degraded');
  });

  it('is degraded as soon as one that was wanted before breaks', async () => {
    const { lab, agent } = await runningThere();
    await agent.sees([pod('p1'), young('p2')], [entry({ replicas: 2 })], at);
    await lab.tick(1_000);
    await agent.sees([pod('p1', { ready: false }), young('p2')], [entry({ replicas: 2 })], at);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'degraded', cause: { code: 'not_ready' } });
  });

  it('is degraded when they have not come by the deadline, and names what stops them before', async () => {
    const { lab, agent } = await runningThere();
    await agent.sees([pod('p1')], [entry({ replicas: 2, reason: 'quota_exceeded' })], at);
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      cause: { code: 'quota_exceeded' },
      next: { owner: 'user' },
    });
    for (let s = 0; s < 310; s += 10) {
      await lab.tick(10_000);
      await agent.heartbeat(at);
      await lab.sweep();
    }
    expect(await lab.claim(WEB)).toMatchObject({ state: 'degraded', cause: { code: 'quota_exceeded' } });
  });

  it('from none is starting', async () => {
    const { lab, agent } = await runningThere();
    await agent.sees([], [entry({ replicas: 0 })], at);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'stopped' });
    await lab.tick(1_000);
    await agent.sees([], [entry({ replicas: 2 })], at);
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      message: { body: expect.stringContaining('after none') },
    });
  });
});

describe('a pod by itself that ended badly', () => {
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

describe('heartbeats of several scopes in one request', () => {
  it('are judged and answered by scope: one on another base harms no other', async () => {
    const { lab, agent } = await runningThere();
    await agent.sees([], [], { scope: 'nodes' });
    const beat = (scope: string, base: string) => ({ scope, seq: '50', base, watchAgeMs: 0, observation: 1 });
    await lab.tick(14_000);
    const answer = granted(
      await reportBeats(lab.host, agent.caller, 'lab', {
        epoch: agent.epoch,
        beats: [beat('ns/shop', '1'), beat('nodes', '40')],
      }),
    );
    expect(answer).toMatchObject({
      observation: { version: 1 },
      beats: [
        { scope: 'ns/shop', seq: '50', resync: false },
        { scope: 'nodes', resync: true },
      ],
    });
    await lab.tick(10_000);
    expect((await lab.claim(WEB)).state).toBe('running');
  });

  it('share one transaction where they are calm', async () => {
    const { lab, agent } = await observing();
    const scopes = Array.from({ length: 20 }, (_, n) => `ns/n${n}`);
    for (const scope of scopes) await agent.sees([], [], { scope, observation: 1 });
    await lab.tick(5_000);
    let transactions = 0;
    const store = Object.create(lab.host.store, {
      transact: {
        value: (...args: Parameters<typeof lab.host.store.transact>) => {
          transactions += 1;
          return lab.host.store.transact(...args);
        },
      },
    });
    const beats = scopes.map((scope, n) => ({ scope, seq: '50', base: String(n + 1), observation: 1 }));
    const answer = granted(
      await reportBeats({ ...lab.host, store }, agent.caller, 'lab', { epoch: agent.epoch, beats }),
    );
    expect(answer.beats).toEqual(scopes.map((scope) => ({ scope, seq: '50', resync: false })));
    expect(transactions).toBe(1);
    expect(lab.rows('scopes').map(({ seq }) => seq)).toEqual(scopes.map(() => '50'));
  });

  it('of a former epoch are refused', async () => {
    const { lab, agent } = await runningThere();
    await lab.agent('agent-2').register();
    const beats = [{ scope: 'ns/shop', seq: '50', base: '1' }];
    const answer = await reportBeats(lab.host, agent.caller, 'lab', { epoch: agent.epoch, beats });
    expect(answer).toMatchObject({ ok: false, code: 'stale_epoch' });
  });
});

describe('where a revision comes from', () => {
  const FROM = {
    fieldManager: 'argocd-controller',
    release: 'web (web-1.4.2)',
    images: [{ container: 'app', image: 'shop/web:1' }],
  };
  const shows = (agent: Agent, more: object, template = 'hash-1') =>
    agent.sees([pod('p1', { template })], [entry({ template, workload: workload({ ...FROM, ...more }) })], {
      ...SHOP,
      observation: 1,
    });
  const revisions = async (lab: ReturnType<typeof newLab>) =>
    (await history(lab.host, ORG, WEB, 10)).filter(isIntactEntry).map(revisionView);

  it('is on record with it, and its commit as soon as the cluster names one', async () => {
    const { lab, agent } = await observing();
    await shows(agent, {});
    expect(await revisions(lab)).toMatchObject([
      { provenance: { ...FROM, managedBy: 'Argo CD', commit: null } },
    ]);
    await shows(agent, { commit: 'aaaaaaa' });
    await shows(agent, { commit: 'bbbbbbb' });
    expect(await revisions(lab), 'the first that was named').toMatchObject([
      { provenance: { commit: 'aaaaaaa' } },
    ]);
    await shows(agent, { images: [{ container: 'app', image: 'shop/web:2' }] }, 'hash-2');
    await shows(agent, { commit: 'ccccccc' }, 'hash-2');
    expect(await revisions(lab)).toMatchObject([
      { revision: 2, provenance: { commit: 'ccccccc' } },
      { revision: 1, provenance: { commit: 'aaaaaaa', images: FROM.images } },
    ]);
  });

  it('is no reason to count the window anew', async () => {
    const { lab, agent } = await runningThere();
    await shows(agent, { commit: 'aaaaaaa' });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'running' });
  });
});

describe('a workload that somebody wants to act on here', () => {
  it('is left to the tool that manages it, by name: for every verb and every button (rule 16)', async () => {
    const { lab } = await runningThere();
    const refused = 'managed_elsewhere: Argo CD manages this service; act there.';
    await expect(lab.restart(WEB)).rejects.toThrow(refused);
    await expect(lab.scale(2, WEB)).rejects.toThrow(refused);
    await expect(lab.rollback(1, WEB)).rejects.toThrow(refused);
    await expect(lab.retry(WEB)).rejects.toThrow(refused);
    await expect(lab.teardown(undefined, WEB)).rejects.toThrow(
      /managed_elsewhere: Argo CD manages this service: tear it down there\./,
    );
    const { actions } = await lab.claim(WEB);
    expect(actions.map(({ allowed }) => allowed)).not.toContain(true);
  });

  it('is to be mended there when it is broken: no move is named that would be refused here', async () => {
    const { lab, agent } = await runningThere();
    await agent.sees([pod('p1', { ready: false })], [entry()], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'degraded',
      next: { owner: 'user', action: 'mend_there' },
    });
  });

  it('takes no deploy either, while it is there', async () => {
    const lab = newLab();
    await lab.observe({ namespaces: ['shop'] });
    const agent = await lab.agent('agent-1').register();
    const service = 'web@lab';
    const items = { service, workload: workload({ managedBy: 'Helm (web)' }) };
    await agent.sees([pod('p1', { service })], [entry(items)], { ...SHOP, observation: 1 });
    await expect(lab.deploy({ kind: 'image', image: 'shop/web:2' }, {}, { service })).rejects.toThrow(
      'managed_elsewhere: Helm (web) manages this service; act there.',
    );
  });

  it('calls free text no name of a tool (S15)', async () => {
    const { lab, agent } = await observing();
    const strange = workload({ managedBy: 'x\u202e<script>' });
    await agent.sees([pod('p1')], [entry({ workload: strange })], { ...SHOP, observation: 1 });
    await expect(lab.restart(WEB)).rejects.toThrow('Another tool manages this service; act there.');
  });
});

describe('warnings of the cluster beside a claim', () => {
  const warning = (at: string, reason = 'FailedCreate') => ({
    about: 'ReplicaSet/web-1',
    reason,
    message: 'exceeded quota, token=hunter2hunter2hunter2',
    at,
  });
  const rows = (lab: ReturnType<typeof newLab>) =>
    lab.rows('ledger').filter(({ kind }) => kind === 'runtime.observed' || kind === 'route.observed').length;

  it('name the cause where no pod is there to do so, and make nothing ready', async () => {
    const { lab, agent } = await observing();
    const missing = entry({ reason: 'quota_exceeded', warnings: [warning('2026-01-01T00:00:00.000Z')] });
    await agent.sees([], [missing], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      cause: { code: 'quota_exceeded' },
      next: { owner: 'user' },
    });
    await agent.sees([pod('p1')], [missing], { ...SHOP, observation: 1 });
    await lab.tick(4_000);
    await agent.sees([pod('p1')], [missing], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB), 'nor does it make anything worse (F72)').toMatchObject({ state: 'running' });
  });

  it('have no deadline where a rollout is paused midway: paused is not failed', async () => {
    const { lab, agent } = await observing();
    const paused = entry({ replicas: 2, reason: 'rollout_paused' });
    for (let report = 0; report < 90; report++) {
      await agent.sees([pod('p1')], [paused], { ...SHOP, observation: 1 });
      await lab.tick(5_000);
    }
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      outcome: 'in_progress',
      cause: { code: 'rollout_paused', params: { ready: 1, wanted: 2 } },
      next: { owner: 'user', action: 'resume_rollout' },
    });
  });

  it('that repeat are not recorded each time', async () => {
    const { lab, agent } = await runningThere();
    const at = (minute: number) =>
      agent.sees([pod('p1')], [entry({ warnings: [warning(`2026-01-01T00:0${minute}:00.000Z`)] })], {
        ...SHOP,
        observation: 1,
      });
    await at(0);
    const before = rows(lab);
    await at(1);
    await at(4);
    expect(rows(lab)).toBe(before);
    await at(5);
    expect(rows(lab)).toBe(before + 1);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'running' });
  });
});

describe('a namespace beside others', () => {
  const BANK = 'web.bank@lab';
  const bank = { scope: 'ns/bank', observation: 1 };
  const shop = { ...SHOP, observation: 1 };
  const bankEntry = (changed: object = {}) =>
    entry({ service: BANK, workload: workload({ namespace: 'bank', uid: 'd-2' }), ...changed });
  const bankPod = (changed: object = {}) => pod('b1', { service: BANK, ...changed });
  const head = (lab: ReturnType<typeof newLab>) => lab.rows('heads').map(({ position }) => position);

  /** Both run; the base of each scope is the sequence number of its full report. */
  async function bothRunning() {
    const { lab, agent } = await observing({ namespaces: ['shop', 'bank'] });
    await agent.sees([pod('p1')], [entry()], shop);
    await agent.sees([bankPod()], [bankEntry()], bank);
    await lab.tick(4_000);
    await agent.sees([pod('p1')], [entry()], shop);
    await agent.sees([bankPod()], [bankEntry()], bank);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'running' });
    expect(await lab.claim(BANK)).toMatchObject({ state: 'running' });
    return { lab, agent };
  }

  it('opens no service of theirs: what awaits a report there makes no work here', async () => {
    const { lab, agent } = await bothRunning();
    await agent.changes({ instances: [pod('p1', { ready: false })] }, {}, { ...shop, base: '3' });
    expect(await lab.claim(WEB)).toMatchObject({ state: 'degraded' });
    expect(lab.rows('services')).toMatchObject([
      { service: WEB, scope: 'ns/shop', awaitsReport: true },
      { service: BANK, scope: 'ns/bank', awaitsReport: false },
    ]);
    const before = lab.rows('services').find(({ service }) => service === WEB)?.settledTo;
    await lab.tick(1_000);
    await agent.changes({ instances: [bankPod({ restarts: 1 })] }, {}, { ...bank, base: '4' });
    expect(lab.rows('services').find(({ service }) => service === WEB)?.settledTo).toBe(before);
    const calm = head(lab);
    await agent.heartbeat({ ...bank, base: String(agent.seq) });
    expect(head(lab)).toEqual(calm);
  });

  it('requests no full report of the others for a workload that begins here', async () => {
    const { lab, agent } = await bothRunning();
    await lab.tick(1_000);
    const second = 'api.bank@lab';
    const begun = bankEntry({
      service: second,
      workload: workload({ namespace: 'bank', name: 'api', uid: 'd-3' }),
    });
    await agent.changes({ services: [begun] }, {}, { ...bank, base: '4' });
    expect(lab.rows('services').map(({ service }) => service)).toContain(second);
    expect(await agent.heartbeat({ ...shop, base: '3' })).toMatchObject({ resync: false });
  });

  it('falls silent alone, and comes back alone', async () => {
    const { lab, agent } = await bothRunning();
    for (let beats = 0; beats < 5; beats++) {
      await lab.tick(4_000);
      await agent.heartbeat({ ...bank, base: '4' });
    }
    await lab.sweep();
    expect(await lab.claim(WEB)).toMatchObject({ state: 'unknown' });
    expect(await lab.claim(BANK)).toMatchObject({ state: 'running' });
    const recorded = () => lab.rows('services').map(({ state }) => state);
    expect(recorded()).toEqual(['unknown', 'running']);
    await agent.sees([pod('p1')], [entry()], shop);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'running' });
    expect(recorded()).toEqual(['running', 'running']);
  });

  it('is believed about a service that another scope showed before', async () => {
    const { lab, agent } = await bothRunning();
    await lab.tick(1_000);
    const elsewhere = { scope: 'ns/other', observation: 1 };
    await agent.sees([pod('p1', { ready: false })], [entry()], elsewhere);
    expect(await lab.claim(WEB)).not.toMatchObject({ state: 'running' });
    expect(lab.rows('services').find(({ service }) => service === WEB)?.scope).toBe('*');
    await lab.tick(1_000);
    await agent.sees([pod('p1')], [entry()], elsewhere);
    expect(await lab.claim(WEB)).toMatchObject({ cause: { code: 'settling' } });
  });
});
