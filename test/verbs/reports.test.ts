import { describe, expect, it } from 'vitest';
import { beat } from '../../src/repair/beat.ts';
import { type Agent, instance, route } from './agent.ts';
import { DIGEST, image, type Lab, newLab, OBSERVE, SOURCE, T0 } from './driver.ts';
import { applying, artifactReady, running, starting } from './life.ts';
import { overtaken } from './overtaken.ts';

const state = async (lab: Lab, service?: string) => (await lab.claim(service)).state;

/** A second service beside the running `web`. */
async function two(lab: Lab): Promise<Agent> {
  const agent = await running(lab);
  await lab.deploy(image(`api@${DIGEST}`), {}, { service: 'api@lab' });
  await lab.publish();
  await (await agent.take()).applied();
  await agent.sees(both);
  await lab.tick(3_000);
  await agent.heartbeat();
  return agent;
}
const both = [instance('u1'), instance('a1', { service: 'api@lab' })];

describe('exchange 5: full, change and heartbeat', () => {
  it('an answer names the seq and the time', async () => {
    const lab = newLab();
    const agent = await lab.agent().register();
    expect(agent.epoch).toBe('1');
    expect(await agent.sees([])).toMatchObject({ seq: '1', now: T0, resync: false, rejected: [] });
  });

  it('a change updates and removes what it names, on its base', async () => {
    const lab = newLab();
    const agent = await two(lab);
    await agent.changes({ instances: [instance('u1', { ready: false })] });
    expect([await state(lab), await state(lab, 'api@lab')]).toEqual(['degraded', 'running']);
    await agent.changes({}, { instances: ['a1'] });
    expect(await state(lab, 'api@lab')).toBe('degraded');
  });

  it('another base: resync, and it refreshes nothing', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.tick(10_000);
    expect(await agent.heartbeat({ base: '77' })).toMatchObject({ resync: true });
    expect(await agent.changes({ instances: [] }, { instances: ['u1'] }, { base: '77' })).toMatchObject({
      resync: true,
    });
    await lab.tick(5_000);
    expect(await state(lab)).toBe('unknown');
    await agent.sees([instance('u1')]);
    expect(await state(lab)).toBe('running');
  });

  it('heartbeats do not count as a base', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.heartbeat();
    expect(await agent.heartbeat()).toMatchObject({ resync: false });
    expect(await agent.heartbeat({ base: String(agent.seq) })).toMatchObject({ resync: true });
  });

  it('an incomplete report adds and updates, never prunes, and is no base (F58)', async () => {
    const lab = newLab();
    const agent = await two(lab);
    await agent.sees([instance('u1', { ready: false })], [], { complete: false });
    expect([await state(lab), await state(lab, 'api@lab')]).toEqual(['degraded', 'running']);
    expect(await agent.heartbeat({ base: String(agent.seq) })).toMatchObject({ resync: true });
    expect((await agent.heartbeat()).resync, 'the last complete one still is').toBe(false);
  });

  it('an incomplete report refreshes only what it names', async () => {
    const lab = newLab();
    const agent = await two(lab);
    await lab.tick(10_000);
    await agent.sees([instance('u1')], [], { complete: false });
    await lab.tick(6_000);
    expect([await state(lab), await state(lab, 'api@lab')]).toEqual(['running', 'unknown']);
    expect((await lab.claim('api@lab')).cause?.code, 'the agent is alive').toBe('watch_stalled');
  });

  it('an older seq is out_of_order: the stored seq, and nothing changes (F20)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    const answer = await agent.sees([], [], { seq: '1' });
    expect(answer).toMatchObject({ seq: '2', resync: false });
    expect(await state(lab)).toBe('running');
    expect(lab.rows('ledger').at(-1)).toMatchObject({ verdict: 'rejected', reason: 'out_of_order' });
  });

  it('a rejected report is one row, then a counter', async () => {
    const lab = newLab();
    const agent = await running(lab);
    for (let n = 0; n < 5; n++) await agent.sees([], [], { seq: '1' });
    expect(lab.rows('ledger').filter((row) => row.verdict === 'rejected')).toHaveLength(1);
    expect(lab.rows('counters')).toMatchObject([{ reason: 'out_of_order', count: 5 }]);
  });

  it('scopes have their own seq and base, and only prune themselves', async () => {
    const lab = newLab();
    const agent = await starting(lab, { replicas: 2 });
    await agent.sees([instance('u1')], [], { scope: 'east', seq: '1' });
    await agent.sees([instance('u2')], [], { scope: 'west', seq: '1' });
    await lab.tick(3_000);
    await agent.sees([instance('u1')], [], { scope: 'east', seq: '2' });
    await agent.sees([instance('u2')], [], { scope: 'west', seq: '2' });
    expect(await state(lab)).toBe('running');
    await agent.sees([], [], { scope: 'west', seq: '3' });
    expect(await state(lab)).toBe('degraded');
  });
});

describe('exchange 5: calm costs no row', () => {
  it('heartbeats and repeated snapshots of what is known write no ledger row', async () => {
    const lab = newLab();
    const agent = await two(lab);
    const before = [lab.count('ledger'), lab.count('transitions'), lab.count('spans')];
    for (let n = 0; n < 20; n++) {
      await agent.watches(5_000);
      await agent.sees(both);
    }
    expect([lab.count('ledger'), lab.count('transitions'), lab.count('spans')]).toEqual(before);
    expect([await state(lab), await state(lab, 'api@lab')]).toEqual(['running', 'running']);
  });

  it('one row for the service that changed, and none for its neighbours', async () => {
    const lab = newLab();
    const agent = await two(lab);
    const rows = lab.count('ledger');
    await agent.sees([instance('u1', { restarts: 1 }), instance('a1', { service: 'api@lab' })]);
    expect(lab.count('ledger')).toBe(rows + 1);
    expect(lab.rows('ledger').at(-1)).toMatchObject({ kind: 'runtime.observed', service: 'web@lab' });
  });
});

describe('exchange 5: a report that came before its service', () => {
  const api = 'api@lab';
  const stray = instance('a1', { service: api });
  const nothing = { replicas: 0, port: null };

  /** Nothing of `api` is wanted, and its agent has said so: now a complete snapshot would prove it. */
  async function isStillSeen(lab: Lab, agent: Agent) {
    await lab.publish();
    await lab.tick(1_000);
    await (await agent.take()).applied();
    const { resync } = await agent.heartbeat();
    expect(await state(lab, api), 'its base showed an instance that nobody has taken down').toBe('starting');
    expect(resync).toBe(true);
    await agent.sees([instance('u1'), stray]);
    expect(await state(lab, api)).toBe('starting');
    await agent.sees([instance('u1')]);
    expect(await state(lab, api)).toBe('stopped');
    expect(await agent.heartbeat()).toMatchObject({ resync: false });
  }

  it('proves nothing of it: a calm one that overtakes the deploy', async () => {
    const lab = newLab();
    const agent = await running(lab);
    const { server, stopped, goOn } = overtaken(lab, (_, table) => table === 'revisions');
    lab.sleep(1_000);
    const deployed = server.deploy(image(`api@${DIGEST}`), nothing, { service: api });
    await stopped;
    lab.sleep(1_000);
    await agent.sees([instance('u1'), stray]);
    goOn();
    await deployed;
    await isStillSeen(lab, agent);
  });

  it('proves nothing of it: one of the same millisecond', async () => {
    const lab = newLab();
    const agent = await running(lab);
    lab.sleep(1_000);
    await agent.sees([instance('u1'), stray], [route(1)]);
    await lab.deploy(image(`api@${DIGEST}`), nothing, { service: api });
    await isStillSeen(lab, agent);
  });

  it('proves nothing of it: one that was received before the clock was set back', async () => {
    const lab = newLab();
    const agent = await running(lab);
    lab.sleep(3_000);
    await agent.sees([instance('u1'), stray], [route(1)]);
    lab.sleep(-4_000);
    await lab.deploy(image(`api@${DIGEST}`), nothing, { service: api });
    lab.sleep(4_000);
    await isStillSeen(lab, agent);
  });
});

describe('exchange 5: what cannot be read', () => {
  it('a corrupt item makes its service evidence_corrupt, and no other (F56)', async () => {
    const lab = newLab();
    const agent = await two(lab);
    const answer = await agent.sees([instance('u1', { phase: 'dancing' }), both[1]]);
    expect(answer.rejected).toEqual([
      { index: 0, uid: 'u1', service: 'web@lab', errors: [expect.stringContaining('phase')] },
    ]);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'evidence_corrupt' },
      serving: null,
      lastKnown: { state: 'running' },
    });
    expect(await state(lab, 'api@lab')).toBe('running');
    await agent.sees(both);
    expect(await state(lab)).toBe('running');
  });

  it('nothing is pruned by a report that could not be read', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([instance('other', { phase: 'dancing' })]);
    expect((await lab.store.tables.services.get('default|web@lab'))?.proven).toMatchObject({
      observed: { parts: [{ instances: [{ uid: 'u1' }] }] },
    });
  });

  it('what could not be read stays so until a complete report: a partial one shows only what it names', async () => {
    const lab = newLab();
    const agent = await two(lab);
    await lab.tick(10_000);
    await agent.sees([instance('u1', { phase: 'dancing' }), both[1]]);
    await lab.tick(1_000);
    await agent.sees([instance('u2', { ready: false })], [], { complete: false });
    expect(await lab.claim()).toMatchObject({ cause: { code: 'evidence_corrupt' }, serving: null });
    await agent.sees([...both, instance('u2', { ready: false })]);
    expect(await state(lab)).toBe('running');
  });

  it('a scope of which nothing could be read is not made good by another', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([instance('u2', { phase: 'dancing' })], [], { scope: 'west', seq: '1' });
    await agent.sees([instance('u1')], [], { scope: 'east', seq: '1' });
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'evidence_corrupt' } });
    await agent.sees([], [], { scope: 'west', seq: '2' });
    expect(await state(lab)).toBe('starting');
  });

  it('what was first shown beside something unreadable is stable from the first report that could be read (S1)', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([instance('u2', { phase: 'dancing' })]);
    await agent.sees([instance('u1')], [], { complete: false });
    await lab.tick(3_000);
    await agent.sees([instance('u1')]);
    expect(await state(lab)).toBe('starting');
    await lab.tick(2_999);
    await agent.heartbeat();
    expect(await state(lab)).toBe('starting');
    await lab.tick(1);
    await agent.heartbeat();
    expect(await state(lab)).toBe('running');
  });

  it('what was known before the clock was set back was known by now at the latest (F35)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    lab.sleep(2_000);
    await agent.heartbeat();
    lab.sleep(-1_500);
    await agent.sees([instance('u1', { phase: 'dancing' })]);
    const { lastKnown, freshness, now } = await lab.claim();
    expect(lastKnown).toEqual({ state: 'running', at: now, ageMs: 0 });
    expect(Date.parse(freshness.asOf ?? '')).toBeLessThanOrEqual(Date.parse(now));
  });

  it('an item whose service cannot be read taints all', async () => {
    const lab = newLab();
    const agent = await two(lab);
    await agent.sees([...both, { uid: 'x', phase: 'running' }]);
    for (const service of ['web@lab', 'api@lab'])
      expect((await lab.claim(service)).cause?.code).toBe('evidence_corrupt');
  });

  it('an instance of another target is refused', async () => {
    const lab = newLab();
    const agent = await running(lab);
    const answer = await agent.sees([instance('u1'), instance('u2', { service: 'web@prod' })]);
    expect(answer.rejected).toMatchObject([{ index: 1, uid: 'u2' }]);
  });
});

describe('exchange 5: registrations', () => {
  it('the current instance again gets its epoch again; a newer one fences it (F64, F65)', async () => {
    const lab = newLab();
    const first = await running(lab);
    await first.register();
    expect(first.epoch).toBe('1');
    const second = await lab.agent('agent-lab', 'agent-2').register();
    expect(second.epoch).toBe('2');
    expect(await state(lab), 'earlier observations stand').toBe('running');
    await expect(first.sees([])).rejects.toMatchObject({ code: 'stale_epoch' });
    await expect(first.register()).rejects.toMatchObject({
      code: 'instance_fenced',
      params: { holder: { epoch: '2' } },
    });
    await expect(first.ask()).rejects.toMatchObject({ code: 'stale_epoch' });
    expect(await state(lab)).toBe('running');
    expect(lab.rows('ledger').at(-1)).toMatchObject({ reason: 'stale_epoch' });
    await second.sees([instance('u1')]);
    expect(await state(lab)).toBe('running');
    await second.sees([]);
    expect(await state(lab)).toBe('degraded');
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

  it('with another identity everything is unknown at once, until its first complete report (F61)', async () => {
    const lab = newLab();
    await two(lab);
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
    expect(await state(lab)).toBe('degraded');
  });

  it('no deadline fails what cannot be judged: last known is what was seen before (S1)', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 8_000 } });
    await agent.sees([instance('u1', { phase: 'dancing' })]);
    await agent.watches(10_000);
    const known = { state: 'unknown', outcome: 'abandoned', lastKnown: { state: 'starting' } };
    expect(await lab.claim()).toMatchObject({ ...known, cause: { code: 'evidence_corrupt' } });
    const other = newLab();
    await starting(other, { deadlines: { startMs: 8_000 } });
    await other.tick(5_000);
    await other.agent('agent-lab', 'agent-2').register('cluster-2');
    await other.tick(5_000);
    expect(await other.claim()).toMatchObject({ ...known, cause: { code: 'identity_changed' } });
  });

  it('a deadline that is recorded late failed it while it was seen, and not when nothing was', async () => {
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

  it('what was given up because nothing could be judged is not known as failed later (S1)', async () => {
    const lab = newLab();
    await artifactReady(lab, { deadlines: { startMs: 4_000 } });
    await lab.agent().register();
    const agent = await lab.agent('agent-lab', 'agent-2').register('cluster-2');
    await (await agent.take()).applied();
    await lab.tick(16_000);
    expect(await lab.claim()).toMatchObject({ outcome: 'abandoned', cause: { code: 'identity_changed' } });
    await agent.sees([], [], { watchAgeMs: 20_000 });
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'watch_stalled' },
      lastKnown: { state: 'starting' },
    });
  });

  it('what was given up unseen is not known as failed by a report that shows the same, and comes late (S1)', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 20_000 } });
    const seen = [instance('u1', { ready: false })];
    await lab.tick(5_000);
    await agent.sees(seen);
    await lab.tick(16_000);
    expect(await lab.claim()).toMatchObject({ outcome: 'abandoned', lastKnown: { state: 'starting' } });
    await lab.tick(9_000);
    await agent.sees(seen, [], { watchAgeMs: 17_000 });
    expect(await lab.claim()).toMatchObject({ state: 'unknown', lastKnown: { state: 'starting' } });
  });

  it.each([
    ['came late', { restarts: 1 }, { watchAgeMs: 16_000 }, 'watch_stalled'],
    ['cannot be judged', { phase: 'unknown' }, {}, 'runtime_unreachable'],
  ])(
    'given up unseen, then seen to fail: known as failed when what is shown %s',
    async (_, change, told, code) => {
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
      await agent.sees([instance('u1', { ...unready, ...change })], [], told);
      expect(await lab.claim()).toMatchObject({
        state: 'unknown',
        cause: { code },
        lastKnown: { state: 'failed' },
      });
    },
  );

  it('given up in the very instant in which it is seen again, then seen to fail: known as failed', async () => {
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

  it('a service asked for in the very instant of the new identity’s first report is judged as it is read (S9)', async () => {
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

  it('with another identity one scope does not speak for what another scope showed before', async () => {
    const lab = newLab();
    const agent = await starting(lab, { replicas: 2, stabilityMs: 0 });
    const seen = (by: Agent, scope: string, instances: object[]) =>
      by.sees(instances, [], { scope, seq: '1' });
    await seen(agent, 'east', [instance('u1')]);
    await seen(agent, 'west', [instance('u2')]);
    expect(await state(lab)).toBe('running');
    const second = await lab.agent('agent-lab', 'agent-2').register('cluster-2');
    await seen(second, 'east', []);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'identity_changed' },
      serving: null,
    });
    await seen(second, 'west', []);
    expect(await state(lab)).toBe('degraded');
  });

  it('with another identity what a scope showed before is no progress of what starts now', async () => {
    const lab = newLab();
    const { agent, apply } = await applying(lab, { replicas: 2, deadlines: { startMs: 10_000 } });
    await agent.sees([], [route(1)], { scope: 'east', seq: '1' });
    await agent.sees([instance('u1')], [], { scope: 'west', seq: '1' });
    await apply.applied();
    await lab.tick(4_000);
    const second = await lab.agent('agent-lab', 'agent-2').register('cluster-2');
    await second.sees([], [], { scope: 'east', seq: '1' });
    await second.sees([], [], { scope: 'west', seq: '1' });
    expect(await state(lab)).toBe('starting');
    await lab.tick(5_999);
    expect(await state(lab)).toBe('starting');
    await lab.tick(1);
    expect(await lab.claim()).toMatchObject({ state: 'failed', timeout: { stage: 'scheduling' } });
  });

  it('with another identity what it shows before it has told everything is progress once it has', async () => {
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

  it('an epoch that was never handed out is refused, and an alarm', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await expect(agent.sees([], [], { epoch: '9' })).rejects.toMatchObject({ code: 'stale_epoch' });
    expect(lab.rows('alarms')).toMatchObject([{ code: 'unissued' }]);
  });
});
