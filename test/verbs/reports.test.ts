import { describe, expect, it } from 'vitest';
import { report } from '../../src/evidence/report/report.ts';
import { type Agent, instance, route } from './agent.ts';
import { DIGEST, image, type Lab, newLab, T0 } from './driver.ts';
import { BOTH, running, runningTwo, starting } from './life.ts';
import { overtaken } from './overtaken.ts';

const state = async (lab: Lab, service?: string) => (await lab.claim(service)).state;

describe('protocol 5: full, change and heartbeat', () => {
  it('an answer has the seq and the time', async () => {
    const lab = newLab();
    const agent = await lab.agent().register();
    expect(agent.epoch).toBe('1');
    expect(await agent.sees([])).toMatchObject({ seq: '1', now: T0, resync: false, rejected: [] });
  });

  it('a change updates and removes what it names, on its base', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    await agent.changes({ instances: [instance('u1', { ready: false })] });
    expect([await state(lab), await state(lab, 'api@lab')]).toEqual(['degraded', 'running']);
    await agent.changes({}, { instances: ['a1'] });
    expect(await state(lab, 'api@lab')).toBe('degraded');
  });

  it('a change on another base is answered with resync, and refreshes nothing', async () => {
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

  it('a change through the door at once is answered as after a look whether it is calm, and as calm costs no row', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.tick(10_000);
    const rows = async () => (await lab.evidence()).length;
    const before = await rows();
    const change = (seq: number, base: number, ready: boolean) =>
      report(
        lab.host,
        agent.caller,
        'lab',
        {
          ...{ epoch: agent.epoch, seq: String(seq), base: String(base) },
          changed: { instances: [instance('u1', { ready })], services: [] },
          removed: { instances: [], services: [] },
        },
        { mayBeCalm: () => false },
      );
    const calm = await change(agent.seq + 1, Number(agent.base), true);
    expect(calm).toMatchObject({ ok: true, resync: false });
    expect([await rows(), await state(lab)]).toEqual([before, 'running']);
    expect(await change(agent.seq + 2, agent.seq + 1, false)).toMatchObject({ ok: true, resync: false });
    expect([await rows(), await state(lab)]).toEqual([before + 1, 'degraded']);
  });

  it('heartbeats do not count as a base', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.heartbeat();
    expect(await agent.heartbeat()).toMatchObject({ resync: false });
    expect(await agent.heartbeat({ base: String(agent.seq) })).toMatchObject({ resync: true });
  });

  it('a complete report without `instances` proves no absence (F82)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    const body = { epoch: agent.epoch, seq: '9', complete: true, instance: [instance('u1')], services: [] };
    const details = await report(lab.host, agent.caller, 'lab', body);
    expect(details).toMatchObject({
      ok: false,
      code: 'invalid_request',
      params: { errors: [expect.stringMatching(/^instances: required/)] },
    });
    expect((await lab.claim()).state).toBe('running');
    expect(await report(lab.host, agent.caller, 'lab', { ...body, complete: false })).toMatchObject({
      ok: true,
    });
    expect((await lab.claim()).state).toBe('running');
  });

  it('an incomplete report adds and updates, removes nothing, and is no base (F58)', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    await agent.sees([instance('u1', { ready: false })], [], { complete: false });
    expect([await state(lab), await state(lab, 'api@lab')]).toEqual(['degraded', 'running']);
    expect(await agent.heartbeat({ base: String(agent.seq) })).toMatchObject({ resync: true });
    expect((await agent.heartbeat()).resync, 'the last complete one still is').toBe(false);
  });

  it('an incomplete report refreshes only what it names', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
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

  it('a rejected report is one row at first, then a counter', async () => {
    const lab = newLab();
    const agent = await running(lab);
    for (let n = 0; n < 5; n++) await agent.sees([], [], { seq: '1' });
    expect(lab.rows('ledger').filter((row) => row.verdict === 'rejected')).toHaveLength(1);
    expect(lab.rows('counters')).toMatchObject([{ reason: 'out_of_order', count: 5 }]);
  });

  it('scopes have their own seq and base, and each removes only its own instances', async () => {
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

describe('protocol 5: a scope that is no longer used', () => {
  it('ends with a complete empty report: the scope that replaces it then counts alone', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    const sees = (by: Agent, scope: string, instances: readonly object[]) =>
      by.sees(instances, [], { scope, seq: String(by.seq + 1) });
    for (let times = 0; times < 2; times++) {
      await sees(agent, 'old', [instance('u1')]);
      await lab.tick(3_000);
    }
    expect(await state(lab)).toBe('running');
    const next = await lab.agent('agent-2').register();
    await sees(next, 'new', [instance('u1')]);
    await sees(next, 'old', []);
    for (let times = 0; times < 12; times++) {
      await lab.tick(5_000);
      await sees(next, 'new', [instance('u1')]);
      expect(await state(lab), `${times}`).toBe('running');
    }
  });
});

describe('protocol 5: calm costs no row', () => {
  it('heartbeats and repeated snapshots without a change write no ledger row', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    const before = [lab.count('ledger'), lab.count('transitions'), lab.count('spans')];
    for (let n = 0; n < 20; n++) {
      await agent.watches(5_000);
      await agent.sees(BOTH);
    }
    expect([lab.count('ledger'), lab.count('transitions'), lab.count('spans')]).toEqual(before);
    expect([await state(lab), await state(lab, 'api@lab')]).toEqual(['running', 'running']);
  });

  it('a heartbeat opens no service that only news can make ready, and each that time may', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 600_000 } });
    await agent.sees([instance('u1', { phase: 'running', ready: false })]);
    const saved = () => lab.rows('services').map(({ settledTo, awaitsReport }) => [settledTo, awaitsReport]);
    const before = saved();
    expect(before).toMatchObject([[expect.anything(), false]]);
    for (let n = 0; n < 5; n++) {
      await agent.watches(5_000);
      expect(await agent.heartbeat()).toMatchObject({ resync: false });
    }
    expect([await state(lab), saved()]).toEqual(['starting', before]);
    await agent.changes({ instances: [instance('u1')] });
    expect([await state(lab), saved()]).toMatchObject(['starting', [[expect.anything(), true]]]);
    await agent.watches(3_000);
    await agent.heartbeat();
    expect(await state(lab)).toBe('running');
    await agent.changes({ instances: [instance('u1', { ready: false })] });
    const broken = saved();
    await agent.watches(4_000);
    await agent.heartbeat();
    expect([await state(lab), saved()]).toEqual(['degraded', broken]);
  });

  it('one row for the service that changed, and none for its neighbours', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    const rows = lab.count('ledger');
    await agent.sees([instance('u1', { restarts: 1 }), instance('a1', { service: 'api@lab' })]);
    expect(lab.count('ledger')).toBe(rows + 1);
    expect(lab.rows('ledger').at(-1)).toMatchObject({ kind: 'runtime.observed', service: 'web@lab' });
  });

  const HOME = 'http://web.localhost:7718/';
  const log = (reason?: string) => [{ name: 'log', kind: 'ephemeral', ready: false, reason }];
  /** A reported detail, before and after its change. */
  const DETAILS: readonly (readonly [string, string, object, object])[] = [
    ['where it answers', 'route.observed', {}, { urls: ['http://web.localhost:9000/'] }],
    ['that it answers nowhere', 'route.observed', {}, { urls: [] }],
    ['its node', 'runtime.observed', { node: 'n1' }, { node: 'n2' }],
    ['its name', 'runtime.observed', {}, { name: 'web-2' }],
    ['its message', 'runtime.observed', {}, { message: 'asked 3 times' }],
    ['a debugging container', 'runtime.observed', {}, { containers: log() }],
    ['why a container ended', 'runtime.observed', { containers: log() }, { containers: log('exited') }],
  ];
  it.each(DETAILS)(
    '%s is recorded once, though it does not change the claim',
    async (_, kind, before, after) => {
      const lab = newLab();
      const agent = await running(lab, { port: 3000 });
      const sees = ({ urls = [HOME], ...details }: { urls?: readonly string[] }) =>
        agent.sees([instance('u1', details)], [{ ...route(1), urls }]);
      await sees(before);
      await agent.watches(30_000);
      const [claim, rows] = [await lab.claim(), lab.count('ledger')];
      expect(claim.state).toBe('running');
      await sees(after);
      expect(lab.count('ledger')).toBe(rows + 1);
      expect(lab.rows('ledger').at(-1)).toMatchObject({ kind, service: 'web@lab' });
      await sees(after);
      expect(lab.count('ledger')).toBe(rows + 1);
      const { state: now, since } = await lab.claim();
      expect({ now, since }, 'stability goes on').toEqual({ now: 'running', since: claim.since });
    },
  );
});

describe('protocol 5: a report that came before its service', () => {
  const api = 'api@lab';
  const stray = instance('a1', { service: api });
  const nothing = { replicas: 0, port: null };

  /**
   * Checks, with no replica of `api` wanted and that applied, that a stray instance keeps it starting until a
   * complete snapshot lacks it.
   */
  async function expectStartingUntilGone(lab: Lab, agent: Agent) {
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

  it('proves nothing about it: a calm report that overtakes the deploy', async () => {
    const lab = newLab();
    const agent = await running(lab);
    // An instance of an unknown service raises an alarm the first time, and is calm from then on.
    await agent.sees([instance('u1'), stray]);
    const { server, stopped, resume } = overtaken(lab, (_, table) => table === 'revisions');
    lab.sleep(1_000);
    const deployed = server.deploy(image(`api@${DIGEST}`), nothing, { service: api });
    await stopped;
    lab.sleep(1_000);
    await agent.sees([instance('u1'), stray]);
    resume();
    await deployed;
    await expectStartingUntilGone(lab, agent);
  });

  it('proves nothing about it: a report of the same millisecond', async () => {
    const lab = newLab();
    const agent = await running(lab);
    lab.sleep(1_000);
    await agent.sees([instance('u1'), stray], [route(1)]);
    await lab.deploy(image(`api@${DIGEST}`), nothing, { service: api });
    await expectStartingUntilGone(lab, agent);
  });

  it('proves nothing about it: a report received before the clock was set back', async () => {
    const lab = newLab();
    const agent = await running(lab);
    lab.sleep(3_000);
    await agent.sees([instance('u1'), stray], [route(1)]);
    lab.sleep(-4_000);
    await lab.deploy(image(`api@${DIGEST}`), nothing, { service: api });
    lab.sleep(4_000);
    await expectStartingUntilGone(lab, agent);
  });
});

describe('protocol 5: a report that cannot be read', () => {
  it('makes the service of a corrupt item evidence_corrupt, and no other (F56)', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    const answer = await agent.sees([instance('u1', { phase: 'dancing' }), BOTH[1]]);
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
    await agent.sees(BOTH);
    expect(await state(lab)).toBe('running');
  });

  it('removes no instance', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([instance('other', { phase: 'dancing' })]);
    expect((await lab.store.tables.services.get('default|web@lab'))?.proven).toMatchObject({
      observed: { parts: [{ instances: [{ uid: 'u1' }] }] },
    });
  });

  it('taints its service until a complete report: a partial one covers only what it names', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    await lab.tick(10_000);
    await agent.sees([instance('u1', { phase: 'dancing' }), BOTH[1]]);
    await lab.tick(1_000);
    await agent.sees([instance('u2', { ready: false })], [], { complete: false });
    expect(await lab.claim()).toMatchObject({ cause: { code: 'evidence_corrupt' }, serving: null });
    await agent.sees([...BOTH, instance('u2', { ready: false })]);
    expect(await state(lab)).toBe('running');
  });

  it('of one scope is not mended by another scope', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([instance('u2', { phase: 'dancing' })], [], { scope: 'west', seq: '1' });
    await agent.sees([instance('u1')], [], { scope: 'east', seq: '1' });
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'evidence_corrupt' } });
    await agent.sees([], [], { scope: 'west', seq: '2' });
    expect(await state(lab)).toBe('starting');
  });

  it('an instance first reported beside something unreadable is stable from the first readable report (S1)', async () => {
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

  it('a report that proves stability and arrives stale is recorded (F35)', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 600_000 } });
    await agent.sees([instance('u1')]);
    await lab.tick(30_000);
    await agent.sees([instance('u1')], [], { watchAgeMs: 20_000 });
    const { state, lastKnown } = await lab.claim();
    const at = new Date(T0 + 10_000).toISOString();
    expect([state, lastKnown]).toMatchObject(['unknown', { state: 'running', at }]);
    // Without the row a clock that is set back would make the observation of the scope fresh, which the ledger
    // lacks.
    expect(lab.rows('ledger').at(-1)).toMatchObject({
      kind: 'runtime.observed',
      body: { asOf: T0 + 10_000 },
    });
  });

  it('an observation from before the clock was set back counts as of now at the latest (F35)', async () => {
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

  it('an item whose service cannot be read taints all services', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    await agent.sees([...BOTH, { uid: 'x', phase: 'running' }]);
    for (const service of ['web@lab', 'api@lab'])
      expect((await lab.claim(service)).cause?.code).toBe('evidence_corrupt');
  });

  it('an instance of two services in one report proves neither', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    const other = { index: 1, uid: 'u1', service: 'api@lab', errors: ['uid: twice in one report'] };
    const claimed = [instance('u1'), instance('u1', { service: 'api@lab' })];
    const unknown = { state: 'unknown', cause: { code: 'evidence_corrupt' } };
    for (const tell of [() => agent.sees(claimed), () => agent.changes({ instances: claimed })]) {
      expect((await tell()).rejected).toEqual([other]);
      for (const service of ['web@lab', 'api@lab']) expect(await lab.claim(service)).toMatchObject(unknown);
      await agent.sees(BOTH);
      for (const service of ['web@lab', 'api@lab']) expect(await state(lab, service)).toBe('running');
    }
  });

  it('an instance that is reported for another service has left the earlier one', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    const moved = instance('u1', { service: 'api@lab' });
    for (const tell of [
      () => agent.changes({ instances: [moved] }),
      () => agent.sees([moved], [], { complete: false }),
    ]) {
      expect((await tell()).rejected).toEqual([]);
      expect(await lab.claim('web@lab')).toMatchObject({
        state: 'degraded',
        cause: { code: 'instances_gone' },
      });
      expect(await state(lab, 'api@lab')).toBe('running');
      await agent.sees(BOTH);
      expect(await state(lab, 'web@lab')).not.toBe('unknown');
      await lab.tick(3_000);
      await agent.heartbeat();
      expect(await state(lab, 'web@lab')).toBe('running');
    }
  });

  it('an instance that is reported for an unknown service has left the earlier one, also the second time', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    const ghosts = (uids: string[]) => uids.map((uid) => instance(uid, { service: 'ghost@lab' }));
    await agent.changes({ instances: ghosts(['g1']) });
    expect(await state(lab, 'web@lab')).toBe('running');
    await agent.changes({ instances: ghosts(['g1', 'u1']) });
    expect(await lab.claim('web@lab')).toMatchObject({
      state: 'degraded',
      cause: { code: 'instances_gone' },
    });
    expect(await state(lab, 'api@lab')).toBe('running');
  });

  it('an instance that is changed and removed in one report proves nothing', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    const { rejected } = await agent.changes({ instances: [instance('u1')] }, { instances: ['u1'] });
    expect(rejected).toMatchObject([{ uid: 'u1', errors: ['uid: changed and removed in one report'] }]);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'evidence_corrupt' } });
    expect(await state(lab, 'api@lab')).toBe('running');
  });

  it('two entries for one service prove neither, and another service is not affected', async () => {
    const lab = newLab();
    const agent = await runningTwo(lab);
    const entry = (answers: boolean) => ({
      service: 'web@lab',
      route: { answers, revision: 1, attempt: 1 },
    });
    for (const answers of [true, false]) {
      const answer = await agent.sees(BOTH, [entry(!answers), entry(answers)]);
      expect(answer.rejected).toEqual([
        { index: 1, service: 'web@lab', errors: ['service: twice in one report'] },
      ]);
      expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'evidence_corrupt' } });
      expect(await state(lab, 'api@lab')).toBe('running');
      await agent.sees(BOTH);
      expect(await state(lab)).toBe('running');
    }
  });

  it('a revision number that is observed running is not issued again after a restore: that instance is not the new revision (F24)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([instance('u9', { revision: 2 })]);
    await lab.deploy(image('registry.example/other'));
    expect((await lab.claim()).desired.revision).toBe(3);
    await agent.sees([instance('u9', { revision: 2 })]);
    expect((await lab.claim()).serving, 'nor is it a revision that serves').toBeNull();
    await lab.deploy(image('registry.example/third'));
    expect((await lab.claim()).desired.revision).toBe(4);
    expect((await lab.claim()).serving, 'nor later, when what jumped over it is history').toBeNull();
    await agent.watches(10_000);
    expect(await state(lab)).not.toBe('running');
  });

  it('an instance of a revision that was never issued raises one alarm, and counts for nothing (F24)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    const forged = instance('u9', { revision: 999 });
    await agent.sees([instance('u1'), forged]);
    expect(await lab.claim()).toMatchObject({ state: 'running', serving: { revision: 1, attempt: 1 } });
    await agent.sees([instance('u1'), forged]);
    await agent.sees([forged]);
    expect((await lab.claim()).serving).toBeNull();
    expect(lab.rows('alarms')).toMatchObject([{ code: 'unissued', service: 'web@lab' }]);
    expect(await state(lab)).toBe('degraded');
  });

  it('an instance of another target is rejected, and taints nothing of this one', async () => {
    const lab = newLab();
    const agent = await running(lab);
    const answer = await agent.sees([instance('u1'), instance('u2', { service: 'web@prod' })]);
    expect(answer.rejected).toMatchObject([{ index: 1, uid: 'u2', service: 'web@prod' }]);
    expect(await state(lab)).toBe('running');
  });
});
