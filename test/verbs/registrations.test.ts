import { describe, expect, it } from 'vitest';
import { beat } from '../../src/repair/beat.ts';
import { evidencePage } from '../../src/server/reads/records.ts';
import { isIntact, readable } from '../../src/store/broken-row.ts';
import { type Agent, instance, route } from './agent.ts';
import { type Lab, newLab, OBSERVE, SOURCE } from './driver.ts';
import { applying, artifactReady, running, runningTwo, starting } from './life.ts';
import { visible } from './visible.ts';

const state = async (lab: Lab, service?: string) => (await lab.claim(service)).state;

describe('protocol 5: registrations', () => {
  it('the current instance gets the same epoch again; a newer one fences it (F64, F65)', async () => {
    const lab = newLab();
    const first = await running(lab);
    await first.register();
    expect(first.epoch).toBe('1');
    const second = await lab.agent('agent-lab', 'agent-2').register();
    expect(second.epoch).toBe('2');
    expect(await state(lab), 'earlier observations stand').toBe('running');
    const speaks = { holder: { agent: 'agent-lab', instance: 'agent-2' } };
    await expect(first.sees([])).rejects.toMatchObject({ code: 'stale_epoch', params: speaks });
    await expect(first.register()).rejects.toMatchObject({
      code: 'instance_fenced',
      params: { holder: { epoch: '2' } },
    });
    await expect(first.acquire()).rejects.toMatchObject({ code: 'stale_epoch', params: speaks });
    expect(await state(lab)).toBe('running');
    expect(lab.rows('ledger').at(-1)).toMatchObject({ reason: 'stale_epoch' });
    await second.sees([instance('u1')]);
    expect(await state(lab)).toBe('running');
    await second.sees([]);
    expect(await state(lab)).toBe('degraded');
  });

  it('sequence numbers of an earlier epoch do not carry over: the first answer has 0', async () => {
    const lab = newLab();
    await (await running(lab)).heartbeat();
    const second = await lab.agent('agent-lab', 'agent-2').register();
    expect(await second.heartbeat({ base: '1' })).toMatchObject({ seq: '0', resync: true });
    expect(await second.sees([instance('u1')], [], { seq: '5' })).toMatchObject({ seq: '5', resync: false });
    expect(await second.heartbeat({ seq: '6', base: '1' })).toMatchObject({ seq: '5', resync: true });
  });

  it('the same instance keeps its identity: another identity needs a new instance (F61)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    const { epoch } = agent;
    expect((await agent.register()).epoch).toBe(epoch);
    await expect(agent.register('cluster-2')).rejects.toMatchObject({ code: 'instance_fenced' });
    expect((await agent.register()).epoch).toBe(epoch);
    expect((await lab.claim()).state).toBe('running');
  });

  it('with the same identity earlier observations stand only until stale', async () => {
    const lab = newLab();
    await running(lab);
    await lab.agent('agent-lab', 'agent-2').register();
    await lab.tick(15_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'stale_runtime' } });
  });

  it('with another identity nothing serves that only a scope showed which has not reported since', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([instance('u1')], [], { scope: 'east', seq: '1' });
    await lab.deploy(SOURCE);
    expect((await lab.claim()).serving).toMatchObject({ revision: 1 });
    const other = await lab.agent('agent-2').register('cluster-2');
    await other.sees([], [], { scope: 'west', seq: '1' });
    expect(await lab.claim()).toMatchObject({ state: 'accepted', serving: null });
  });

  it('with another identity every claim is unknown at once, whatever the new place reports (F61, F114)', async () => {
    const lab = newLab();
    await runningTwo(lab);
    const second = await lab.agent('agent-lab', 'agent-2').register('cluster-2');
    for (const service of ['web@lab', 'api@lab'])
      expect(await lab.claim(service)).toMatchObject({
        state: 'unknown',
        cause: { code: 'identity_changed' },
        serving: null,
      });
    expect((await lab.path()).at(-1)).toBe('unknown by agent');
    await second.sees([], [], { complete: false });
    expect(await state(lab)).toBe('unknown');
    await second.sees([]);
    expect(await state(lab)).toBe('unknown');
    await lab.retire('cluster-1');
    expect(await state(lab)).toBe('degraded');
  });

  it('evidence that a claim or a transition cites can be read, also where it is about the target (S14)', async () => {
    const lab = newLab();
    await lab.agent('agent-lab', 'agent-0').register();
    await lab.sleep(20_000);
    await beat(lab.host, 'server-1');
    await runningTwo(lab);
    await lab.agent('agent-lab', 'agent-2').register();
    await lab.agent('agent-lab', 'agent-3').register('cluster-2');
    const { proof } = await lab.claim();
    const [moved] = (await lab.transitions()).slice(-1);
    expect(moved).toMatchObject({ to: 'unknown', evidence: proof.evidence.at(-1) });
    const pages = async (limit: number) => {
      const found = [];
      for (let after = '0'; ; ) {
        const page = await evidencePage(lab.host, visible(lab), after, limit, undefined);
        found.push(...page);
        if (page.length < limit) return found;
        after = readable(page.at(-1)).position ?? '';
      }
    };
    const all = await pages(200);
    const ids = all.filter(isIntact).map(({ id }) => id);
    expect(ids).toEqual(expect.arrayContaining([...proof.evidence]));
    const above = all.filter(isIntact).filter(({ service }) => service === null);
    expect(above, 'who else has registered, and what was before it, is not about it').toMatchObject([
      { kind: 'agent.heartbeat', target: 'lab', body: { identity: 'cluster-2' } },
    ]);
    for (const limit of [1, 2, 7])
      expect((await pages(limit)).filter(isIntact).map(({ id }) => id)).toEqual(ids);
    const refused = await evidencePage(lab.host, visible(lab), '0', 200, 'rejected');
    expect(refused).toEqual([]);
    await lab.sleep(60_000);
    await beat(lab.host, 'server-1');
    expect((await pages(200)).at(-1)).toMatchObject({ kind: 'platform.blind', service: null });
  });

  it('a service that is younger than the other cluster cites its registration too', async () => {
    const lab = newLab();
    await lab.agent('agent-lab', 'agent-0').register();
    await lab.agent('agent-lab', 'agent-1').register('cluster-2');
    await lab.deploy(OBSERVE);
    const { cause, proof } = await lab.claim();
    expect(cause?.code).toBe('identity_changed');
    for (const limit of [1, 200]) {
      const [first] = await evidencePage(lab.host, visible(lab), '0', limit, undefined);
      expect(first).toMatchObject({ kind: 'agent.heartbeat', id: proof.evidence.at(-1) });
    }
    const own = await evidencePage(lab.host, visible(lab), '2', 200, undefined);
    expect(own.filter(isIntact).map(({ kind }) => kind)).toEqual(['intent.recorded']);
  });

  it('no deadline fails a service that cannot be judged: its last known state is the one observed before (S1)', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 8_000 } });
    await agent.sees([instance('u1', { phase: 'dancing' })]);
    await agent.watches(10_000);
    const abandoned = { state: 'unknown', outcome: 'abandoned', lastKnown: { state: 'starting' } };
    expect(await lab.claim()).toMatchObject({ ...abandoned, cause: { code: 'evidence_corrupt' } });
    const other = newLab();
    await starting(other, { deadlines: { startMs: 8_000 } });
    await other.tick(5_000);
    await other.agent('agent-lab', 'agent-2').register('cluster-2');
    await other.tick(5_000);
    expect(await other.claim()).toMatchObject({ ...abandoned, cause: { code: 'identity_changed' } });
  });

  it('a deadline that is recorded late fails the service at an instant at which it was observed', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 14_000 } });
    await agent.sees([]);
    await lab.tick(13_000);
    lab.sleep(4_000);
    await lab.sweep();
    const { lastKnown, since } = await lab.claim();
    expect(lastKnown?.state).toBe('failed');
    expect(Date.parse(lastKnown?.at ?? '')).toBe(Date.parse(since) - 1);
  });

  it('an attempt abandoned while nothing could be judged does not become failed later (S1)', async () => {
    const lab = newLab();
    await artifactReady(lab, { deadlines: { startMs: 4_000 } });
    await lab.agent().register();
    const agent = await lab.agent('agent-lab', 'agent-2').register('cluster-2');
    await (await agent.take()).applied();
    await lab.tick(16_000);
    expect(await lab.claim()).toMatchObject({ outcome: 'abandoned', cause: { code: 'identity_changed' } });
    await agent.sees([], [], { watchAgeMs: 20_000 });
    expect(await lab.claim(), 'the place that it has now took the apply').toMatchObject({
      state: 'unknown',
      cause: { code: 'watch_stalled' },
      lastKnown: { state: 'starting' },
    });
  });

  it('an attempt abandoned unobserved does not become failed by a late report that shows the same (S1)', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 20_000 } });
    const unready = [instance('u1', { ready: false })];
    await lab.tick(5_000);
    await agent.sees(unready);
    await lab.tick(16_000);
    expect(await lab.claim()).toMatchObject({ outcome: 'abandoned', lastKnown: { state: 'starting' } });
    await lab.tick(9_000);
    await agent.sees(unready, [], { watchAgeMs: 17_000 });
    expect(await lab.claim()).toMatchObject({ state: 'unknown', lastKnown: { state: 'starting' } });
  });

  it.each([
    ['came late', { restarts: 1 }, { watchAgeMs: 16_000 }, 'watch_stalled'],
    ['cannot be judged', { phase: 'unknown' }, {}, 'runtime_unreachable'],
  ])(
    'an attempt abandoned unobserved, then observed to fail: last known is failed when the report %s',
    async (_, change, options, code) => {
      const lab = newLab();
      const agent = await starting(lab, { deadlines: { startMs: 20_000 } });
      const unready = { ready: false };
      await agent.sees([instance('u1', unready)]);
      await lab.tick(20_000);
      expect((await lab.claim()).outcome).toBe('abandoned');
      await agent.sees([instance('u1', unready)]);
      await lab.tick(5_000);
      expect(await state(lab)).toBe('failed');
      await lab.tick(35_000);
      await agent.sees([instance('u1', { ...unready, ...change })], [], options);
      expect(await lab.claim()).toMatchObject({
        state: 'unknown',
        cause: { code },
        lastKnown: { state: 'failed' },
      });
    },
  );

  it('an attempt abandoned at the instant of its next report, then observed to fail: last known is failed', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 20_000 } });
    await agent.sees([instance('u1', { ready: false })]);
    for (let s = 0; s < 21; s++) {
      lab.sleep(1_000);
      await beat(lab.host, 'server-1');
    }
    await agent.sees([instance('u1', { ready: false })]);
    expect(await lab.claim()).toMatchObject({ state: 'starting', outcome: 'abandoned' });
    await lab.tick(10_000);
    expect(await state(lab)).toBe('failed');
    await lab.tick(10_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', lastKnown: { state: 'failed' } });
  });

  it('a service deployed at the instant of the new identity’s first report is recorded as it is judged (S9)', async () => {
    const lab = newLab();
    await lab.agent().register();
    const agent = await lab.agent('agent-lab', 'agent-2').register('cluster-2');
    await agent.sees([]);
    await lab.deploy(OBSERVE, {});
    const { state: now } = await lab.claim();
    expect((await lab.transitions()).at(-1)?.to).toBe(now);
    expect(now).toBe('unknown');
    await lab.tick(1_000);
    await agent.sees([]);
    expect(await state(lab)).toBe('starting');
  });

  it('with another identity the same instance must become stable again: it was of another cluster (F61)', async () => {
    const lab = newLab();
    await running(lab);
    await lab.tick(1_000);
    const other = await lab.agent('agent-lab', 'agent-2').register('cluster-2');
    await other.sees([instance('u1')]);
    expect(await lab.claim()).toMatchObject({ state: 'degraded', cause: { code: 'settling' } });
    await lab.tick(2_999);
    await other.heartbeat();
    expect((await lab.claim()).state).toBe('degraded');
    await lab.tick(1);
    await other.heartbeat();
    expect((await lab.claim()).state).toBe('running');
  });

  it('with another identity a report of one scope does not cover another scope', async () => {
    const lab = newLab();
    const agent = await starting(lab, { replicas: 2, stabilityMs: 0 });
    const reportScope = (by: Agent, scope: string, instances: object[]) =>
      by.sees(instances, [], { scope, seq: '1' });
    await reportScope(agent, 'east', [instance('u1')]);
    await reportScope(agent, 'west', [instance('u2')]);
    expect(await state(lab)).toBe('running');
    const second = await lab.agent('agent-lab', 'agent-2').register('cluster-2');
    await reportScope(second, 'east', []);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'identity_changed' },
      serving: null,
    });
    await reportScope(second, 'west', []);
    expect(await state(lab)).toBe('unknown');
    await lab.retire('cluster-1');
    expect(await state(lab)).toBe('degraded');
  });

  it('with another identity an earlier report of a scope is no progress of what starts now', async () => {
    const lab = newLab();
    const { agent, apply } = await applying(lab, { replicas: 2, deadlines: { startMs: 10_000 } });
    await agent.sees([], [route(1)], { scope: 'east', seq: '1' });
    await agent.sees([instance('u1')], [], { scope: 'west', seq: '1' });
    await apply.applied();
    await lab.tick(4_000);
    const second = await lab.agent('agent-lab', 'agent-2').register('cluster-2');
    await second.sees([], [], { scope: 'east', seq: '1' });
    await second.sees([], [], { scope: 'west', seq: '1' });
    await lab.retire('cluster-1');
    expect(await state(lab)).toBe('starting');
    await lab.tick(5_999);
    expect(await state(lab)).toBe('starting');
    await lab.tick(1);
    expect(await lab.claim()).toMatchObject({ state: 'failed', timeout: { stage: 'scheduling' } });
  });

  it('with another identity an incomplete report counts as progress once a complete one follows', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 10_000 } });
    await agent.sees([]);
    await lab.tick(4_000);
    const second = await lab.agent('agent-lab', 'agent-2').register('cluster-2');
    const up = [instance('u1', { ready: false })];
    await second.sees(up, [], { complete: false });
    await second.sees(up);
    expect(await state(lab)).toBe('starting');
    await lab.tick(9_999);
    expect(await state(lab)).toBe('starting');
    await lab.tick(1);
    expect(await state(lab)).toBe('failed');
  });

  it('an epoch that was never issued is refused, and an alarm raised', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await expect(agent.sees([], [], { epoch: '9' })).rejects.toMatchObject({ code: 'stale_epoch' });
    expect(lab.rows('alarms')).toMatchObject([{ code: 'unissued' }]);
  });
});
