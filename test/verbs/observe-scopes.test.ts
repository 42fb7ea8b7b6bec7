import { describe, expect, it } from 'vitest';
import { reportBeats } from '../../src/evidence/report/beats.ts';
import type { newLab } from './driver.ts';
import { granted } from './names.ts';
import { entry, observing, pod, runningThere, SHOP, WEB, workload } from './observed-workload.ts';

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
    await agent.changes({ instances: [pod('p1')] }, {}, { ...shop, base: String(agent.seq) });
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

  it('proves that nothing serves there, though another one may not be read', async () => {
    const { lab, agent } = await bothRunning();
    await lab.tick(1_000);
    await agent.sees([bankPod({ ready: false })], [bankEntry()], bank);
    expect((await lab.claim(BANK)).nothingServes).toBeDefined();
    await agent.sees([], [], { ...shop, complete: false, unavailable: 'forbidden' });
    await lab.tick(11_000);
    await agent.heartbeat({ ...bank, base: '5' });
    await lab.tick(5_000);
    const closed = await lab.claim(WEB);
    expect(closed).toMatchObject({ state: 'unknown', cause: { params: { namespace: 'shop' } } });
    expect(closed.message.body).toContain('not allowed to look at namespace shop of the target');
    expect(closed.message.body, 'its role may have gone with it').toContain('evident observe');
    expect(closed.nothingServes).toBeUndefined();
    expect((await lab.claim(BANK)).nothingServes).toBeDefined();
    const third = { scope: 'ns/third', observation: 1, complete: false, unavailable: 'forbidden' } as const;
    await agent.sees([], [], third);
    expect((await lab.claim(BANK)).nothingServes, 'one that could never be read').toBeDefined();
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

  it('begins no service with a report that says that the agent cannot look, whatever else that names', async () => {
    const { lab, agent } = await observing();
    const said = { ...SHOP, observation: 1 };
    await agent.sees([pod('p1')], [entry()], { ...said, unavailable: 'runtime_unreachable' });
    expect(lab.rows('services')).toEqual([]);
    await agent.sees([pod('p1')], [entry()], said);
    expect(lab.rows('services')).toHaveLength(1);
  });
});
