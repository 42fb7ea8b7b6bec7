import { describe, expect, it } from 'vitest';
import { instance, route } from './agent.ts';
import { newLab, OTHER_DIGEST } from './driver.ts';
import { running, starting } from './life.ts';
import { settle, stageOf } from './settle.ts';

describe('the running contract', () => {
  it('broken by missing instances has the cause instances_gone, and none about placement', async () => {
    const lab = newLab();
    const agent = await running(lab, { replicas: 2 });
    await agent.sees([instance('u1')]);
    expect(await lab.claim()).toMatchObject({
      state: 'degraded',
      cause: { code: 'instances_gone', params: { ready: 1, wanted: 2 } },
      next: { owner: 'user', action: 'restart' },
    });
    await agent.sees([instance('u1'), instance('u2', { phase: 'stopping' })]);
    expect(await lab.claim()).toMatchObject({
      cause: { code: 'terminating' },
      next: { owner: 'platform', action: null },
    });
  });

  it.each([
    ['too few', [], ['starting', 'not_scheduled'], 'scheduling'],
    [
      'pending',
      [instance('u1', { phase: 'pending', ready: false })],
      ['starting', 'not_scheduled'],
      'scheduling',
    ],
    [
      'an image reason',
      [instance('u1', { phase: 'pending', ready: false, reason: 'image_denied' })],
      ['starting', 'image_denied'],
      'image',
    ],
    [
      'labels that no machine has',
      [instance('u1', { phase: 'pending', ready: false, reason: 'no_matching_node' })],
      ['starting', 'no_matching_node'],
      'scheduling',
    ],
    ['starting', [instance('u1', { phase: 'starting', ready: false })], ['starting', 'not_started'], 'start'],
    ['exited', [instance('u1', { phase: 'exited', ready: false })], ['starting', 'exited'], 'start'],
    [
      'failed',
      [instance('u1', { phase: 'failed', ready: false, reason: 'oom_killed' })],
      ['starting', 'oom_killed'],
      'start',
    ],
    ['not ready', [instance('u1', { ready: false })], ['starting', 'not_ready'], 'readiness'],
    ...(
      ['not_answering', 'port_taken', 'suspended', 'wrong_port', 'wrong_address', 'health_error'] as const
    ).map(
      (reason) =>
        [reason, [instance('u1', { ready: false, reason })], ['starting', reason], 'readiness'] as [
          string,
          object[],
          [string, string],
          string,
        ],
    ),
    [
      'another digest (F71)',
      [instance('u1', { artifact: OTHER_DIGEST })],
      ['starting', 'image_unverified'],
      'image',
    ],
    ['no digest', [instance('u1', { artifact: null })], ['starting', 'image_unverified'], 'image'],
    [
      'another revision’s stamp (F69)',
      [instance('u1', { revision: 7 })],
      ['starting', 'not_scheduled'],
      'scheduling',
    ],
    [
      'another attempt’s stamp',
      [instance('u1', { attempt: 2 })],
      ['starting', 'not_scheduled'],
      'scheduling',
    ],
    [
      'no stamp',
      [instance('u1', { revision: null, attempt: null })],
      ['starting', 'not_scheduled'],
      'scheduling',
    ],
    ['on its way out', [instance('u1', { phase: 'stopping' })], ['starting', 'terminating'], 'scheduling'],
  ])('is not met by %s, and the claim names the stage', async (_name, instances, expected, stage) => {
    const lab = newLab();
    expect(await settle(lab, await starting(lab), instances)).toEqual(expected);
    expect(await stageOf(lab)).toBe(stage);
  });

  it('without a digest the artifact is unproven, and not called another one (F71)', async () => {
    for (const artifact of [null, OTHER_DIGEST]) {
      const lab = newLab();
      await settle(lab, await starting(lab), [instance('u1', { artifact })]);
      expect((await lab.claim()).message.body).toContain(
        'could not verify that what runs is what you asked for',
      );
    }
  });

  it.each([
    ['init', 'init_failed'],
    ['sidecar', 'sidecar_failed'],
  ])('counts every %s container (F75)', async (kind, code) => {
    const lab = newLab();
    const containers = [{ name: 'proxy', kind, ready: false }];
    expect(await settle(lab, await starting(lab), [instance('u1', { containers })])).toEqual([
      'starting',
      code,
    ]);
  });

  it('shows ephemeral containers and does not judge them', async () => {
    const lab = newLab();
    const containers = [{ name: 'debug', kind: 'ephemeral', ready: false }];
    expect(await settle(lab, await starting(lab), [instance('u1', { containers })])).toEqual([
      'running',
      undefined,
    ]);
  });

  it('is not broken by a generation that grows and is not behind', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    const entry = (n: string) => ({ service: 'web@lab', generation: { desired: n, observed: n } });
    await agent.sees([instance('u1')], [entry('1')]);
    await lab.tick(3_000);
    await agent.sees([instance('u1')], [entry('2')]);
    expect((await lab.claim()).state).toBe('running');
    await agent.sees([instance('u1')], [entry('3')]);
    expect((await lab.claim()).state).toBe('running');
  });

  it('a generation first reported by a scope that had reported nothing contradicts nothing', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    const entry = (observed: string) => ({ service: 'web@lab', generation: { desired: '2', observed } });
    await agent.sees([instance('u1')], [], { scope: 'odd', seq: '1' });
    await lab.tick(2_900);
    await agent.sees([], [entry('2')], { scope: 'even', seq: '1' });
    await lab.tick(100);
    await agent.sees([instance('u1')], [], { scope: 'odd', seq: '2' });
    await agent.sees([], [entry('2')], { scope: 'even', seq: '2' });
    expect((await lab.claim()).state).toBe('running');
  });

  it('a generation that was behind counts, also where one report replaces those of the scopes', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    const entry = (observed: string) => ({ service: 'web@lab', generation: { desired: '2', observed } });
    await agent.sees([instance('u1')], [], { scope: 'odd', seq: '1' });
    await agent.sees([], [entry('1')], { scope: 'even', seq: '1' });
    await lab.tick(3_000);
    await agent.sees([instance('u1')], [entry('2')]);
    expect((await lab.claim()).state).toBe('starting');
    await lab.tick(3_000);
    await agent.heartbeat();
    expect((await lab.claim()).state).toBe('running');
  });

  it('is not met while the observed generation is behind (F70)', async () => {
    const lab = newLab();
    const entry = (observed: string) => ({ service: 'web@lab', generation: { desired: '10', observed } });
    const agent = await starting(lab);
    expect(await settle(lab, agent, [instance('u1')], [entry('9')])).toEqual([
      'starting',
      'generation_behind',
    ]);
    expect(await settle(lab, agent, [instance('u1')], [entry('10')])).toEqual(['running', undefined]);
  });

  it('with a port needs a route that answers for this revision', async () => {
    const lab = newLab();
    const agent = await starting(lab, { port: 8080 });
    const silent = { service: 'web@lab', route: { answers: false, revision: 1, attempt: 1 } };
    expect(await settle(lab, agent, [instance('u1')], [silent])).toEqual(['starting', 'route_silent']);
    expect(await stageOf(lab)).toBe('route');
    const down = (reason: string) => ({ service: 'web@lab', route: { answers: false, reason } });
    expect(await settle(lab, agent, [instance('u1')], [down('router_down')])).toEqual([
      'starting',
      'router_down',
    ]);
    expect(await settle(lab, agent, [instance('u1')], [down('oom_killed')]), 'no reason of a route').toEqual([
      'starting',
      'route_silent',
    ]);
    expect(await settle(lab, agent, [instance('u1')], [route(7)])).toEqual(['starting', 'route_silent']);
    expect((await lab.claim()).serving, 'nobody knows what that is').toBeNull();
    expect(lab.rows('alarms')).toMatchObject([{ code: 'unissued', service: 'web@lab' }]);
    expect(await settle(lab, agent, [instance('u1')], [route(1)])).toEqual(['running', undefined]);
    expect((await lab.claim()).serving).toMatchObject({ revision: 1, attempt: 1 });
  });

  it('shows the certificate of its route, warns before its end, and is broken after it', async () => {
    const lab = newLab();
    const agent = await starting(lab, { port: 8080 });
    const shown = (endsSoon: boolean, reason: string | null = null) => {
      const { service, route: answer } = route(1);
      const certificate = { notAfter: '2027-01-31T00:00:00.000Z', endsSoon };
      return { service, route: { ...answer, certificate, reason } };
    };
    expect(await settle(lab, agent, [instance('u1')], [shown(false)])).toEqual(['running', undefined]);
    const { certificate, message } = await lab.claim();
    expect([certificate?.notAfter, message.code]).toEqual(['2027-01-31T00:00:00.000Z', 'running']);
    await settle(lab, agent, [instance('u1')], [shown(true)]);
    expect(await lab.claim()).toMatchObject({
      state: 'running',
      certificate: { endsSoon: true },
      message: { body: expect.stringContaining('ends on 2027-01-31: renew it') },
    });
    await settle(lab, agent, [instance('u1')], [shown(false, 'certificate_expired')]);
    expect(await lab.claim()).toMatchObject({
      state: 'degraded',
      cause: { code: 'certificate_expired' },
      next: { owner: 'platform', action: 'renew_certificate' },
      serving: { revision: 1 },
    });
  });

  it('uses the port that the builder found', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy({ kind: 'source', digest: OTHER_DIGEST });
    await lab.publish();
    await (await lab.builder().take()).stored(undefined, { port: 3000 });
    await lab.publish();
    const agent = await lab.agent().register();
    await (await agent.take()).applied();
    expect(await settle(lab, agent, [instance('u1')])).toEqual(['starting', 'route_silent']);
  });

  it.each([
    ['other instances', instance('u2'), 3_000],
    ['a further restart (F74)', instance('u1', { restarts: 1 }), 6_000],
  ])('is not stable with %s in between', async (_name, other, windowMs) => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([instance('u1')]);
    await lab.tick(3_000);
    await agent.sees([other]);
    expect((await lab.claim()).state).toBe('starting');
    await lab.tick(windowMs);
    await agent.heartbeat();
    expect((await lab.claim()).state).toBe('running');
  });

  it('is not stable across a contrary report', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([instance('u1')]);
    await lab.tick(2_000);
    await agent.sees([instance('u1', { ready: false })]);
    await agent.sees([instance('u1')]);
    await lab.tick(1_000);
    await agent.heartbeat();
    expect((await lab.claim()).state).toBe('starting');
  });

  it.each([
    ['clears up', [instance('u1'), instance('u2', { phase: 'starting', ready: false })]],
    ['goes away', [instance('u1')]],
  ])(
    'is not stable while another instance cannot be judged; it counts from where that %s',
    async (_name, clear) => {
      const lab = newLab();
      const agent = await starting(lab);
      const strange = instance('u2', { phase: 'pending', ready: false, reason: 'gremlins' });
      await agent.sees([instance('u1'), strange]);
      await lab.tick(2_000);
      await agent.sees(clear);
      await lab.tick(2_999);
      await agent.heartbeat();
      expect((await lab.claim()).state).toBe('starting');
      await lab.tick(1);
      await agent.heartbeat();
      expect((await lab.claim()).state).toBe('running');
    },
  );

  it('holds in one scope while another is silent: its reports count when the other is back', async () => {
    const lab = newLab();
    const agent = await starting(lab, { replicas: 2, stabilityMs: 0 });
    const reportScope = (scope: string, uid: string, seq: string) =>
      agent.sees([instance(uid, { restarts: seq > '1' ? 1 : 0 })], [], { scope, seq });
    await reportScope('east', 'u1', '1');
    await reportScope('west', 'u2', '1');
    await lab.tick(1_000);
    await reportScope('east', 'u1', '2');
    await lab.tick(1_000);
    await reportScope('west', 'u2', '2');
    await lab.tick(15_000);
    await reportScope('east', 'u1', '3');
    expect((await lab.claim()).state).toBe('unknown');
    await lab.tick(1_000);
    await reportScope('west', 'u2', '3');
    expect((await lab.claim()).state).toBe('running');
  });

  it('counts an instance that a partial report first shows from that report, though the whole is older', async () => {
    const lab = newLab();
    const agent = await starting(lab, { replicas: 2 });
    await agent.sees([instance('u1'), instance('u2', { ready: false })]);
    await lab.tick(2_000);
    await agent.sees([instance('u2')], [], { complete: false });
    await lab.tick(2_999);
    await agent.sees([instance('u1'), instance('u2')]);
    expect((await lab.claim()).state).toBe('starting');
    await lab.tick(1);
    await agent.heartbeat();
    expect((await lab.claim()).state).toBe('running');
  });

  it('an instance recreated under the same name is another one (F67)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([instance('u2', { name: 'u1' })]);
    expect((await lab.claim()).state).toBe('degraded');
  });
});

describe('an instance that cannot be judged', () => {
  it('a service that was degraded before has degraded as its last known state', async () => {
    const lab = newLab();
    const agent = await running(lab, { replicas: 2 });
    await agent.sees([instance('u1')]);
    const brokenAt = (await lab.claim()).since;
    await lab.tick(2_000);
    await agent.sees([instance('u1'), instance('u2', { phase: 'unknown', ready: false })]);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'runtime_unreachable' },
      lastKnown: { state: 'degraded', at: brokenAt },
    });
  });

  it('a service that had failed before has failed as its last known state', async () => {
    const lab = newLab();
    const opaque = [instance('u1'), instance('u2', { phase: 'unknown', ready: false })];
    const agent = await running(lab, { replicas: 2, deadlines: { degradedMs: 10_000 } });
    await agent.sees([instance('u1')]);
    await agent.watches(10_000);
    await agent.sees(opaque);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', lastKnown: { state: 'failed' } });
    const other = newLab();
    const watcher = await starting(other, { replicas: 2, deadlines: { startMs: 10_000 } });
    await watcher.sees([]);
    await watcher.watches(10_000);
    await watcher.sees(opaque);
    expect(await other.claim()).toMatchObject({ state: 'unknown', lastKnown: { state: 'failed' } });
  });

  it('breaks nothing: degraded begins with the first report that can be judged', async () => {
    const lab = newLab();
    const agent = await running(lab, { replicas: 2 });
    await agent.sees([instance('u1'), instance('u2', { phase: 'unknown', ready: false })]);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', lastKnown: { state: 'running' } });
    await lab.tick(2_000);
    await agent.sees([instance('u1'), instance('u2', { phase: 'unknown', ready: false, restarts: 1 })]);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', lastKnown: { state: 'running' } });
    await lab.tick(2_000);
    await agent.sees([instance('u1')]);
    expect(await lab.claim()).toMatchObject({ state: 'degraded', since: new Date(lab.now).toISOString() });
  });

  it('a reason outside the catalogue is unknown, unrecognised (F81)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([instance('u1', { phase: 'pending', ready: false, reason: 'gremlins' })]);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'unrecognised' },
      lastKnown: { state: 'running' },
    });
    expect(JSON.stringify(await lab.claim())).not.toContain('gremlins');
  });

  it('is judged where phase and readiness alone prove the contract broken', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([instance('u1', { phase: 'exited', ready: false, reason: 'gremlins' })]);
    expect((await lab.claim()).state).toBe('degraded');
    await agent.sees([instance('u1', { ready: false, reason: 'gremlins' })]);
    expect((await lab.claim()).state).toBe('degraded');
  });

  it('a lost node is runtime_unreachable (F73)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([instance('u1', { reason: 'node_lost' })]);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'runtime_unreachable' } });
  });

  it.each(['forbidden', 'runtime_unreachable'] as const)(
    'an agent that is alive and %s (F77)',
    async (unavailable) => {
      const lab = newLab();
      const agent = await running(lab);
      const cannotRead = async () => {
        for (let n = 0; n < 4; n++) {
          await lab.tick(5_000);
          await agent.heartbeat({ unavailable });
        }
        expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: unavailable } });
        return (await lab.claim()).lastKnown?.state;
      };
      expect(await cannotRead()).toBe('running');
      await agent.sees([instance('u1', { ready: false })]);
      expect(await cannotRead()).toBe('degraded');
      await agent.sees([instance('u1')]);
      await agent.watches(3_000);
      expect((await lab.claim()).state).toBe('running');
    },
  );

  it('a scope that the agent may not read says nothing about a service of another (F77)', async () => {
    const lab = newLab();
    await lab.deploy({ kind: 'observe' });
    const agent = await lab.agent().register();
    await agent.sees([instance('u1', { template: 'f00d' })], [], { scope: 'ns/shop' });
    for (let n = 0; n < 4; n++) {
      await lab.tick(5_000);
      await agent.sees([], [], { scope: 'ns/bank', unavailable: 'forbidden' });
    }
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'watch_stalled' } });
  });
});

describe('a route', () => {
  it('without a port breaks nothing when it falls silent', async () => {
    const lab = newLab();
    const agent = await running(lab, { port: null });
    const entry = { ...route(1), generation: { desired: '1', observed: '1' } };
    await agent.sees([instance('u1')], [entry]);
    await agent.sees([instance('u1')], [{ ...entry, route: { answers: false } }]);
    expect((await lab.claim()).state).toBe('running');
    await agent.sees([instance('u1')], [{ ...entry, generation: { desired: '2', observed: '1' } }]);
    expect(await lab.claim()).toMatchObject({ state: 'degraded', cause: { code: 'generation_behind' } });
    expect(await settle(lab, agent, [instance('u1')], [entry])).toEqual(['running', undefined]);
  });

  it('that moves between the stamps which a scale accepts breaks nothing', async () => {
    const lab = newLab();
    const agent = await starting(lab, { port: 8080 });
    expect(await settle(lab, agent, [instance('u1')], [route(1)])).toEqual(['running', undefined]);
    await lab.scale(2);
    await lab.publish();
    await (await agent.take()).applied();
    const both = [instance('u1'), instance('u2', { revision: 2 })];
    expect(await settle(lab, agent, both, [route(1)])).toEqual(['running', undefined]);
    await agent.sees(both, [route(2)]);
    expect((await lab.claim()).state).toBe('running');
    await agent.sees(both, [route(7)]);
    expect(await lab.claim()).toMatchObject({ state: 'degraded', cause: { code: 'route_silent' } });
    await agent.sees(both, [route(2)]);
    expect(await lab.claim(), 'and one lucky sample is not enough').toMatchObject({ state: 'degraded' });
  });
});

describe('scaled to zero (F76)', () => {
  it('instances that still run are no progress towards none', async () => {
    const lab = newLab();
    const agent = await running(lab, { deadlines: { startMs: 10_000 } });
    await lab.scale(0);
    await lab.publish();
    await (await agent.take()).applied();
    await agent.watches(5_000);
    await agent.sees([instance('u1', { restarts: 1 })]);
    await agent.watches(5_000);
    expect((await lab.claim()).state).toBe('failed');
  });
});
