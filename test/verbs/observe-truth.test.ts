import { describe, expect, it } from 'vitest';
import { register } from '../../src/evidence/report/register.ts';
import type { Proven } from '../../src/projection/facts.ts';
import { wantedView } from '../../src/server/reads/wanted-view.ts';
import { readable } from '../../src/store/broken-row.ts';
import type { RevisionRow } from '../../src/store/schema.ts';
import { type Agent, instance } from './agent.ts';
import { newLab, ORG } from './driver.ts';
import { granted } from './names.ts';

const WEB = 'web.shop@lab';
const SHOP = { scope: 'ns/shop', observation: 1 };

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

const running = (digest: string) => ({ containers: [{ name: 'app', kind: 'main', ready: true, digest }] });
const LOST = { phase: 'unknown', ready: false, reason: 'node_lost' };

const entry = (changed: object = {}) => ({
  service: WEB,
  template: 'hash-1',
  replicas: 2,
  workload: { kind: 'Deployment', namespace: 'shop', name: 'web', uid: 'd-1', managedBy: 'Helm' },
  ...changed,
});

type Seen = { lab: ReturnType<typeof newLab>; agent: Agent };

/** Shows the same twice, further apart than the stability window. */
async function shows(
  { lab, agent }: Seen,
  pods: readonly ReturnType<typeof pod>[],
  entries: readonly ReturnType<typeof entry>[] = [entry()],
) {
  await agent.sees([...pods], [...entries], SHOP);
  await lab.tick(4_000);
  await agent.heartbeat(SHOP);
  return lab.claim(WEB);
}

async function runningThere(pods = [pod('p1'), pod('p2')]): Promise<Seen> {
  const lab = newLab();
  await lab.observe({ namespaces: ['shop'] });
  const seen = { lab, agent: await lab.agent('agent-1').register() };
  expect(await shows(seen, pods)).toMatchObject({ state: 'running', serving: { revision: 1 } });
  await lab.tick(1_000);
  return seen;
}

describe('what can no longer be judged', () => {
  const leftInDoubt = async (seen: Seen, pods: ReturnType<typeof pod>[], entries = [entry()]) => {
    for (let minute = 0; minute < 5; minute += 0.1) {
      await seen.lab.tick(6_000);
      await seen.agent.heartbeat(SHOP);
    }
    await seen.lab.tick(2_000);
    await seen.agent.sees(pods, entries, SHOP);
    return (await seen.lab.claim(WEB)).lastKnown;
  };

  it.each([
    ['its node is silent', [pod('p1', LOST), pod('p2', LOST)], [entry()]],
    ['its app hangs', [pod('p1'), pod('p2')], [entry({ contradiction: 'silent_port' })]],
  ])('is last known as of the report before, however long it held: %s', async (_, pods, entries) => {
    const seen = await runningThere();
    expect(await leftInDoubt(seen, pods, entries)).toMatchObject({ state: 'running', ageMs: 2_000 });
    await seen.lab.tick(4_000);
    await seen.agent.sees(pods, entries, SHOP);
    expect((await seen.lab.claim(WEB)).lastKnown).toMatchObject({ state: 'running', ageMs: 6_000 });
  });

  it('is last known as of before a silence, where a silence came first', async () => {
    const seen = await runningThere();
    await leftInDoubt(seen, [pod('p1'), pod('p2')]);
    await seen.lab.tick(60_000);
    await seen.lab.sweep();
    await seen.agent.sees([pod('p1', LOST)], [entry()], SHOP);
    expect((await seen.lab.claim(WEB)).lastKnown).toMatchObject({ state: 'running', ageMs: 60_000 });
  });

  it('was stopping and never degraded, where it was deleted and its copies were left', async () => {
    const seen = await runningThere();
    await seen.agent.sees([pod('p1'), pod('p2')], [entry({ replicas: 0, template: null })], SHOP);
    expect((await seen.lab.claim(WEB)).state).toBe('stopping');
    await seen.lab.tick(2_000);
    const left = entry({ contradiction: 'left_behind' });
    await seen.agent.sees([pod('p1'), pod('p2')], [left], SHOP);
    expect(await seen.lab.claim(WEB)).toMatchObject({
      state: 'unknown',
      cause: { code: 'contradictory' },
      lastKnown: { state: 'stopping', ageMs: 2_000 },
    });
  });

  it('is last known anew once it was judged again', async () => {
    const seen = await runningThere();
    await leftInDoubt(seen, [pod('p1', LOST), pod('p2', LOST)]);
    const broken = [pod('p1'), pod('p2', { ready: false })];
    expect(await shows(seen, broken)).toMatchObject({ state: 'degraded' });
    expect(await leftInDoubt(seen, [pod('p1', LOST), pod('p2', LOST)])).toMatchObject({
      state: 'failed',
      ageMs: 2_000,
    });
  });
});

describe('what a cluster says of itself weakens a claim', () => {
  it('is contradictory while copies of one template run two digests, and running once they agree (F71)', async () => {
    const seen = await runningThere([pod('p1', running('sha256:a')), pod('p2', running('sha256:a'))]);
    const two = [pod('p1', running('sha256:a')), pod('p2', running('sha256:b'))];
    expect(await shows(seen, two)).toMatchObject({ state: 'unknown', cause: { code: 'contradictory' } });
    await seen.lab.tick(1_000);
    const one = [pod('p1', running('sha256:b')), pod('p2', running('sha256:b'))];
    expect(await shows(seen, one)).toMatchObject({ state: 'running' });
  });

  it('does not hide a copy that is not ready behind two digests', async () => {
    const seen = await runningThere();
    const two = [pod('p1', running('sha256:a')), pod('p2', { ...running('sha256:b'), ready: false })];
    expect(await shows(seen, two)).toMatchObject({ state: 'degraded', cause: { code: 'not_ready' } });
  });

  it('shows a debugger’s image, and does not judge it', async () => {
    const seen = await runningThere([pod('p1', running('sha256:a')), pod('p2', running('sha256:a'))]);
    const { containers } = running('sha256:a');
    const debugged = [...containers, { name: 'app', kind: 'ephemeral', ready: false, digest: 'sha256:c' }];
    const pods = [pod('p1', running('sha256:a')), pod('p2', { containers: debugged })];
    expect(await shows(seen, pods)).toMatchObject({ state: 'running' });
  });

  it('is contradictory while its controller or its endpoints count fewer than there are', async () => {
    const seen = await runningThere();
    const contradicted = entry({ contradiction: 'controller' });
    expect(await shows(seen, [pod('p1'), pod('p2')], [contradicted])).toMatchObject({
      state: 'unknown',
      cause: { code: 'contradictory' },
      lastKnown: { state: 'running' },
    });
  });

  it('says so where a claim rests on the word of a node alone', async () => {
    const seen = await runningThere();
    const byNode = await shows(seen, [
      pod('p1', { saidBy: 'kubelet', probed: true }),
      pod('p2', { saidBy: 'kubelet' }),
    ]);
    expect(byNode.message.body).toContain('its node says so and is alive');
    await seen.lab.tick(1_000);
    const asked = await shows(seen, [
      pod('p1', { saidBy: 'kubelet', probed: true }),
      pod('p2', { saidBy: 'request' }),
    ]);
    expect(asked.message).toMatchObject({ code: 'running', title: 'Running' });
  });
});

describe('an app that was asked and no longer answers', () => {
  const asked = (uid: string, saidBy: string) => pod(uid, { saidBy });
  const silent = [entry({ contradiction: 'silent_port' })];

  it('serves nobody as far as is known, and is remembered as the last that did', async () => {
    const seen = await runningThere([asked('p1', 'request'), asked('p2', 'request')]);
    const claim = await shows(seen, [asked('p1', 'kubelet'), asked('p2', 'kubelet')], silent);
    expect(claim).toMatchObject({
      state: 'unknown',
      cause: { code: 'contradictory', params: { by: 'silent_port' } },
      serving: null,
      lastServing: { revision: 1 },
    });
    expect(claim.message.body).toContain('The app answered requests, and does not any more');
  });

  it('serves by the copies that answer', async () => {
    const seen = await runningThere([asked('p1', 'request'), asked('p2', 'request')]);
    const claim = await shows(seen, [asked('p1', 'request'), asked('p2', 'kubelet')], silent);
    expect(claim).toMatchObject({ state: 'unknown', serving: { revision: 1 } });
  });
});

describe('copies and their numbers', () => {
  it('are all counted where some keep an older template on purpose', async () => {
    const seen = await runningThere();
    const kept = entry({ template: 'hash-2', replicas: 1, heldBack: { declared: 3, kept: 2, ready: 2 } });
    const pods = [pod('p1'), pod('p2'), pod('p3', { template: 'hash-2' })];
    const claim = await shows(seen, pods, [kept]);
    expect(claim).toMatchObject({ state: 'running', desired: { revision: 2 } });
    expect(claim.message.body).toContain('3 of 3 ready');
    await seen.lab.tick(1_000);
    const broken = entry({ template: 'hash-2', replicas: 3, heldBack: { declared: 3, kept: 2, ready: 1 } });
    const worse = await shows(seen, [pod('p1', { ready: false }), ...pods.slice(1)], [broken]);
    expect(worse).toMatchObject({ state: 'degraded', cause: { params: { ready: 2, wanted: 3 } } });
  });

  it('fail by no deadline while they are ready, and only have to be so for long', async () => {
    const lab = newLab();
    await lab.observe({ namespaces: ['shop'] });
    const seen = { lab, agent: await lab.agent('agent-1').register() };
    const waits = { ready: false, countsFrom: '2030-01-01T00:00:00.000Z' };
    const pods = [pod('p1', waits), pod('p2', waits)];
    for (let minute = 0; minute < 8; minute++) {
      expect(await shows(seen, pods)).toMatchObject({ state: 'starting', cause: { code: 'settling' } });
      for (let s = 0; s < 60; s += 10) {
        await lab.tick(10_000);
        await seen.agent.heartbeat(SHOP);
      }
      await lab.sweep();
    }
    const one = [pod('p1', waits), pod('p2', { ready: false })];
    expect(await shows(seen, one), 'one is not').toMatchObject({ cause: { code: 'not_ready' } });
  });

  it('that are gone say so until their node was heard, and then that nothing replaces them', async () => {
    const seen = await runningThere();
    const gone = { phase: 'unknown', ready: false, reason: 'vanished' };
    const doubted = await shows(seen, [pod('p1', gone), pod('p2', gone)]);
    expect(doubted).toMatchObject({
      state: 'unknown',
      cause: { code: 'absence_unproven', params: { by: 'vanished' } },
      next: { owner: 'platform', action: null },
    });
    expect(doubted.message.body).toContain('Copies are gone');
    await seen.lab.tick(1_000);
    const left = await shows(seen, [], [entry({ reason: 'not_replaced' })]);
    expect(left).toMatchObject({
      state: 'degraded',
      cause: { code: 'not_replaced' },
      next: { owner: 'platform', action: 'check_runtime' },
    });
    expect(left.message.body).toContain('what should replace them at their target does not act');
  });

  it('that no controller has looked at are not called missing', async () => {
    const seen = await runningThere();
    const behind = entry({ replicas: 3, generation: { desired: '2', observed: '1' } });
    expect(await shows(seen, [pod('p1'), pod('p2')], [behind])).toMatchObject({
      cause: { code: 'generation_behind' },
      next: { owner: 'platform' },
    });
  });
});

describe('a change that waits', () => {
  it('is named, and what runs is running', async () => {
    const seen = await runningThere();
    const pods = [pod('p1'), pod('p2')];
    await shows(seen, pods, [entry({ changeWaits: true })]);
    await seen.lab.tick(4_000);
    const claim = await shows(seen, pods, [entry({ changeWaits: true })]);
    expect(claim).toMatchObject({ state: 'running', message: { code: 'running.change_waits' } });
    expect(claim.message.body).toContain('Your move: resume its rollout.');
    expect(claim.next).toMatchObject({ owner: 'user', action: 'resume_rollout' });
    await seen.lab.tick(1_000);
    expect((await shows(seen, pods)).message.code).not.toBe('running.change_waits');
  });
});

describe('a health check that fails', () => {
  it('is nobody’s move at first, and the user’s after a minute', async () => {
    const lab = newLab();
    await lab.observe({ namespaces: ['shop'] });
    const seen = { lab, agent: await lab.agent('agent-1').register() };
    const failing = [pod('p1', { ready: false, reason: 'probe_failed' })];
    expect(await shows(seen, failing)).toMatchObject({ state: 'starting', next: { owner: 'platform' } });
    for (let s = 0; s < 70; s += 10) {
      await lab.tick(10_000);
      await seen.agent.heartbeat(SHOP);
    }
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      next: { owner: 'user', action: 'mend_there' },
    });
  });
});

describe('an app that does not listen yet', () => {
  it('is nobody’s move until its deadline: it may still be loading', async () => {
    const lab = newLab();
    await lab.observe({ namespaces: ['shop'] });
    const seen = { lab, agent: await lab.agent('agent-1').register() };
    const loading = [pod('p1', { ready: false, reason: 'not_listening' })];
    await shows(seen, loading);
    for (let s = 0; s < 70; s += 10) {
      await lab.tick(10_000);
      await seen.agent.heartbeat(SHOP);
    }
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'starting',
      cause: { code: 'not_listening' },
      next: { owner: 'platform', action: null },
    });
  });
});

it('is stopping and not failed where it is deleted before it ever ran', async () => {
  const lab = newLab();
  await lab.observe({ namespaces: ['shop'] });
  const seen = { lab, agent: await lab.agent('agent-1').register() };
  const stuck = { ready: false, phase: 'pending', reason: 'image_not_found' };
  expect((await shows(seen, [pod('p1', stuck)])).state).toBe('starting');
  const leaving = { ready: false, phase: 'stopping', reason: 'terminating' };
  expect(await shows(seen, [pod('p1', leaving)], [entry({ replicas: 0 })])).toMatchObject({
    state: 'stopping',
    cause: { code: 'ending' },
    outcome: 'in_progress',
  });
  for (let minute = 0; minute < 4; minute++) {
    for (let s = 0; s < 60; s += 10) {
      await lab.tick(10_000);
      await seen.agent.heartbeat(SHOP);
    }
    expect((await lab.claim(WEB)).state).toBe('stopping');
  }
  expect(await shows(seen, [], [])).toMatchObject({
    state: 'stopped',
    cause: { code: 'removed_elsewhere' },
  });
});

it('names the probe for which copies are ended again and again, also while they are up', async () => {
  const seen = await runningThere([pod('p1'), pod('p2')]);
  for (const restarts of [1, 2, 3])
    await shows(
      seen,
      [pod('p1', { restarts }), pod('p2', { restarts })],
      [entry({ reason: 'liveness_failed' })],
    );
  expect(await seen.lab.claim(WEB)).toMatchObject({ state: 'failed', cause: { code: 'liveness_failed' } });
});

describe('a rollout that does not come up', () => {
  it('says why copies are missing, and that the old revision serves (F69)', async () => {
    const seen = await runningThere();
    const claim = await shows(
      seen,
      [pod('p1'), pod('p2')],
      [entry({ template: 'hash-2', reason: 'quota_exceeded' })],
    );
    expect(claim).toMatchObject({
      state: 'starting',
      desired: { revision: 2 },
      cause: { code: 'quota_exceeded' },
      serving: { revision: 1 },
    });
    expect(claim.message.body).toContain('The quota is used up.');
    await seen.lab.tick(1_000);
    const mixed = [pod('p1'), pod('p3', { template: 'hash-2' })];
    expect(await shows(seen, mixed, [entry({ template: 'hash-2' })])).toMatchObject({
      serving: { revision: 2 },
    });
    await seen.lab.tick(1_000);
    const strange = [pod('p1'), pod('p4', { template: 'hash-0' })];
    expect(await shows(seen, strange, [entry({ template: 'hash-2' })]), 'two of before').toMatchObject({
      serving: null,
    });
  });

  it.each(['oom_killed', 'start_failed'])('names a loop by what ends it: %s', async (reason) => {
    const seen = await runningThere();
    const rolled = entry({ template: 'hash-2', replicas: 1 });
    const ended = (restarts: number) =>
      pod('p3', { template: 'hash-2', phase: 'exited', ready: false, reason, restarts });
    for (const restarts of [1, 2, 3, 4]) await shows(seen, [pod('p1'), ended(restarts)], [rolled]);
    const claim = await seen.lab.claim(WEB);
    expect(claim).toMatchObject({ state: 'failed', cause: { code: reason } });
    if (reason === 'start_failed') {
      expect(claim.message.body, 'a command that cannot run never exits').not.toContain('exited');
      return;
    }
    expect(claim.message.title).toBe('The app does not stay up');
    expect(claim.message.body).toContain('The app used more memory than it may. p3 exited 4 times');
  });

  it('says of what it ended while it is up again: the number alone mends nothing', async () => {
    const seen = await runningThere();
    const again = [pod('p1', { restarts: 1 })];
    await seen.lab.tick(1_000);
    const claim = await shows(seen, again, [entry({ replicas: 1, reason: 'oom_killed' })]);
    expect(claim).toMatchObject({
      state: 'degraded',
      cause: { code: 'unsteady', params: { by: 'oom_killed' } },
    });
    expect(claim.message.body).toContain('The app used more memory than it may. p1 exited once.');
  });
});

it('keeps what an agent says of a scope beside its contents until the next full report', async () => {
  const { lab, agent } = await runningThere();
  const notes = async () => {
    const row = await lab.store.read((tx) => tx.get('scopes', { org: ORG, target: 'lab', scope: 'ns/shop' }));
    return readable(row).notes;
  };
  const denied = [{ verb: 'list', resource: 'jobs.batch' }];
  await agent.sees([], [], { ...SHOP, complete: false, unavailable: 'forbidden', denied });
  expect(await notes()).toEqual({ denied, absent: false });
  await agent.sees([], [], { ...SHOP, denied: [{ verb: 'steal', resource: 'x' }], absent: true });
  expect(await notes(), 'a permission that is not understood counts as none').toEqual({
    denied: [],
    absent: true,
  });
  await agent.heartbeat(SHOP);
  expect(await notes()).toMatchObject({ absent: true });
  await agent.sees([], [], SHOP);
  expect(await notes()).toBeNull();
});

describe('what is not proven gone', () => {
  it('is counted neither as ready nor as not ready while its node is silent', async () => {
    const seen = await runningThere();
    const copies = () => {
      const proven = seen.lab.rows('services')[0]?.proven ?? null;
      const row = seen.lab.rows('revisions').at(-1);
      return wantedView(proven as Proven | null, row as RevisionRow | undefined)?.copies;
    };
    expect(copies()).toEqual({ ready: 2, wanted: 2 });
    await shows(seen, [pod('p1', LOST), pod('p2')]);
    expect(copies()).toBeNull();
  });

  it('is unknown and not stopped where its workload is deleted and its node is silent (F73)', async () => {
    const seen = await runningThere();
    const claim = await shows(seen, [pod('p1', LOST), pod('p2', LOST)], []);
    expect(claim).toMatchObject({ state: 'unknown', cause: { code: 'runtime_unreachable' } });
    await seen.lab.tick(1_000);
    expect(await shows(seen, [], [])).toMatchObject({
      state: 'stopped',
      cause: { code: 'removed_elsewhere' },
    });
  });

  it('is unknown, store_recovered, while the cluster was restored under it (F61)', async () => {
    const seen = await runningThere();
    const restored = { phase: 'unknown', ready: false, reason: 'store_recovered' };
    expect(await shows(seen, [pod('p1', restored), pod('p2')])).toMatchObject({
      state: 'unknown',
      cause: { code: 'store_recovered' },
      serving: null,
    });
  });
});

describe('what was never seen broken', () => {
  it('is unknown until it has held its window again after a doubt, and not degraded (F73)', async () => {
    const seen = await runningThere();
    const { lab, agent } = seen;
    await agent.sees([pod('p1', LOST), pod('p2', LOST)], [entry()], SHOP);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'unknown' });
    await lab.tick(1_000);
    await agent.sees([pod('p1'), pod('p2')], [entry()], SHOP);
    expect(await lab.claim(WEB), 'back').toMatchObject({ state: 'unknown', lastKnown: { state: 'running' } });
    await lab.tick(4_000);
    await agent.heartbeat(SHOP);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'running' });
    await lab.tick(1_000);
    await agent.sees([pod('p1'), pod('p2', { ready: false })], [entry()], SHOP);
    await lab.tick(1_000);
    await agent.sees([pod('p1'), pod('p2')], [entry()], SHOP);
    expect(await lab.claim(WEB), 'it was seen broken').toMatchObject({
      state: 'degraded',
      cause: { code: 'settling' },
    });
  });

  it('was running when last known, though news of it came too old to count (F66)', async () => {
    const { lab, agent } = await runningThere();
    await lab.tick(20_000);
    await agent.sees([pod('p1', { message: 'a word' }), pod('p2')], [entry()], {
      ...SHOP,
      watchAgeMs: 20_500,
    });
    expect(await lab.claim(WEB)).toMatchObject({
      state: 'unknown',
      cause: { code: 'watch_stalled' },
      lastKnown: { state: 'running' },
    });
    await agent.sees([pod('p1', LOST), pod('p2', LOST)], [entry()], SHOP);
    expect(await lab.claim(WEB)).toMatchObject({ state: 'unknown', lastKnown: { state: 'running' } });
  });
});

describe('the default namespace of a target', () => {
  it('is the one of its first registration, whatever a later agent says', async () => {
    const lab = newLab();
    const { caller } = await lab.agent('agent-1').register();
    const registers = (instance: string, defaultNamespace?: string) =>
      register(lab.host, caller, 'lab', {
        agent: 'agent-1',
        instance,
        version: '1',
        identity: 'cluster-1',
        ...(defaultNamespace !== undefined && { defaultNamespace }),
      });
    expect(granted(await registers('i1'))).toMatchObject({ defaultNamespace: null });
    await lab.observe({ namespaces: ['*'] });
    expect(granted(await registers('i2', 'shop'))).toMatchObject({ defaultNamespace: 'shop' });
    expect(granted(await registers('i3', 'bank'))).toMatchObject({ defaultNamespace: 'shop' });
    expect(granted(await registers('i3', 'bank')), 'again').toMatchObject({ defaultNamespace: 'shop' });
    expect(granted(await registers('i4'))).toMatchObject({ defaultNamespace: 'shop' });
    expect((await lab.observe({ namespaces: ['shop'], ask: true })).ask).toBe(true);
  });
});
