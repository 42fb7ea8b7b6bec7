import { describe, expect, it } from 'vitest';
import { history } from '../../src/evidence/read.ts';
import { isIntactEntry, revisionView } from '../../src/server/reads/history.ts';
import type { Agent } from './agent.ts';
import { newLab } from './driver.ts';
import { ORG } from './names.ts';
import { entry, observing, pod, runningThere, SHOP, WEB, workload } from './observed-workload.ts';

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

  it('is not said to be retried: its tool and its cluster try by themselves', async () => {
    const { lab, agent } = await observing();
    const seen = async (reason: string) => {
      await agent.sees([pod('p1', { phase: 'pending', ready: false, reason })], [entry()], {
        ...SHOP,
        observation: 1,
      });
      return lab.claim(WEB);
    };
    const unreachable = await seen('image_unreachable');
    expect(unreachable.message.body).toMatch(/The platform’s move: make the image registry reachable\.$/);
    expect(unreachable.next).toEqual({
      owner: 'platform',
      action: 'check_registry',
      retrySafe: true,
      elsewhere: true,
    });
    const missing = await seen('image_not_found');
    expect(missing.message.body).toMatch(/Your move: fix it with the tool that deploys it\.$/);
  });

  it('is nobody’s to mend here while its controllers replace a copy that is gone', async () => {
    const { lab, agent } = await runningThere();
    await lab.tick(1_000);
    await agent.sees([], [entry()], { ...SHOP, observation: 1 });
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'degraded',
      cause: { code: 'instances_gone' },
      next: { owner: 'platform', action: null },
    });
    await agent.sees([], [entry({ reason: 'not_replaced' })], { ...SHOP, observation: 1 });
    expect((await lab.claim(WEB)).next, 'they do not').toMatchObject({ action: 'check_runtime' });
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
