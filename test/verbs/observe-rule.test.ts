import { describe, expect, it } from 'vitest';
import { setObservation } from '../../src/evidence/report/observation-rule.ts';
import { register } from '../../src/evidence/report/register.ts';
import { newLab } from './driver.ts';
import { granted } from './names.ts';
import { entry, observing, pod, runningThere, SHOP, WEB, workload } from './observed-workload.ts';

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

  it('that has never run is not called unheard of, once its node falls silent', async () => {
    const { lab, agent } = await observing();
    const shop = { ...SHOP, observation: 1 };
    await agent.sees([pod('p1', { phase: 'starting', ready: false })], [entry()], shop);
    await lab.tick(1_000);
    await agent.sees([pod('p1', { phase: 'unknown', ready: false, reason: 'node_lost' })], [entry()], shop);
    const { state, message } = await lab.claim(WEB);
    expect(state).toBe('unknown');
    expect(message.body).toContain('When last known, it was starting;');
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
