import { describe, expect, it } from 'vitest';
import type { Spec } from '../../src/contract/intent.ts';
import { register } from '../../src/evidence/report/register.ts';
import { requestDeploy } from '../../src/intent/request-deploy.ts';
import { instance, route } from './agent.ts';
import { ARTIFACT, DIGEST, image, newLab, ORG, SOURCE, T0, WEB } from './driver.ts';
import { running, starting, waiting } from './life.ts';

const iso = (ms: number) => new Date(ms).toISOString();

describe('protocol 1: a source, from intent to running', () => {
  it('shows at every step exactly what is proven', async () => {
    const lab = newLab();
    await lab.sweep();
    const deployed = await lab.deploy(SOURCE, { replicas: 2 });
    expect(deployed).toMatchObject({ service: 'web@lab', revision: 1, attempt: 1, replayed: false });
    expect(deployed.claim).toMatchObject({ state: 'accepted', outcome: 'in_progress', cause: null });
    expect(deployed.claim.proof.reached).toEqual(['accepted']);

    await lab.publish();
    expect(await lab.claim()).toMatchObject({
      state: 'waiting_for_worker',
      since: iso(T0),
      desired: { revision: 1, attempt: 1, artifact: null, replicas: 2 },
      cause: { code: 'no_worker_online', params: { kind: 'build' } },
      expecting: { evidence: 'command.acknowledged', from: 'worker', by: iso(T0 + 600_000) },
      next: { owner: 'platform', action: 'start_worker', retrySafe: true },
      proof: { reached: ['accepted', 'waiting_for_worker'], stoppedAt: 'waiting_for_worker' },
    });

    const build = await lab.builder().take();
    expect(await lab.claim()).toMatchObject({
      state: 'building',
      cause: null,
      expecting: { evidence: 'artifact.stored', from: 'worker', by: iso(T0 + 900_000) },
      proof: { stoppedAt: 'building' },
    });

    expect(await build.stored()).toMatchObject({ verdict: 'admitted' });
    expect(await lab.claim()).toMatchObject({
      state: 'artifact_ready',
      desired: { artifact: DIGEST },
      cause: { code: 'no_worker_online', params: { kind: 'apply' } },
      expecting: { evidence: 'command.acknowledged', from: 'agent' },
    });

    const agent = await lab.agent().register();
    expect(await agent.acquire(), 'a follow-up command is published before it is handed out').toBeNull();
    await lab.publish();
    const apply = await agent.take();
    expect(await lab.claim()).toMatchObject({
      state: 'applying_runtime_state',
      expecting: { evidence: 'runtime.applied', from: 'agent', by: iso(T0 + 120_000) },
    });

    await apply.applied();
    expect(await lab.claim()).toMatchObject({
      state: 'starting',
      serving: null,
      expecting: { evidence: 'runtime.observed', from: 'watcher' },
    });

    await agent.sees([instance('u1'), instance('u2')]);
    expect(await lab.claim()).toMatchObject({ state: 'starting', serving: { revision: 1, attempt: 1 } });
    await lab.tick(2_999);
    await agent.heartbeat();
    expect(await lab.claim()).toMatchObject({ state: 'starting' });
    await lab.tick(1);
    expect(await lab.claim(), 'a clock alone never makes anything green').toMatchObject({
      state: 'starting',
    });
    await agent.heartbeat();
    const claim = await lab.claim();
    expect(claim).toMatchObject({
      state: 'running',
      outcome: 'succeeded',
      cause: null,
      serving: { revision: 1, attempt: 1, validUntil: iso(T0 + 18_000) },
      proof: { stoppedAt: null },
      freshness: { asOf: iso(T0 + 3_000), ageMs: 0, freshForMs: 15_000, validUntil: iso(T0 + 18_000) },
      next: { owner: 'none', action: null },
    });
    expect(claim.proof.reached).toEqual([
      'accepted',
      'waiting_for_worker',
      'building',
      'artifact_ready',
      'applying_runtime_state',
      'starting',
      'running',
    ]);
    expect(await lab.path()).toEqual([
      'accepted by api',
      'waiting_for_worker by publisher',
      'building by worker',
      'artifact_ready by worker',
      'applying_runtime_state by agent',
      'starting by agent',
      'running by watcher',
    ]);
    expect((await lab.transitions())[0]?.from).toBeNull();
    expect(await lab.outcomes()).toEqual(['r1.a1 succeeded']);
  });

  it('belongs to a target that need not exist yet, `local` by default', async () => {
    const lab = newLab();
    expect(await lab.deploy(SOURCE, {}, { service: 'web' })).toMatchObject({ service: 'web@local' });
    await expect(lab.deploy(SOURCE, {}, { service: 'Web!' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('protocol 1: an image, an artifact', () => {
  const ref = `registry.example/web@${DIGEST}`;

  it('an image by digest waits for the target’s agent, and needs no build', async () => {
    const lab = newLab();
    await lab.deploy(image(ref));
    await lab.publish();
    expect(await lab.claim()).toMatchObject({
      state: 'waiting_for_worker',
      desired: { artifact: DIGEST },
      cause: { code: 'no_worker_online', params: { kind: 'apply' } },
      expecting: { evidence: 'command.acknowledged', from: 'agent', by: iso(T0 + 120_000) },
    });
    expect(await lab.builder().acquire()).toBeNull();
    const agent = await lab.agent().register();
    await (await agent.take()).applied();
    await agent.sees([instance('u1', { artifact: ref })]);
    await lab.tick(3_000);
    await agent.heartbeat();
    const claim = await lab.claim();
    expect(claim).toMatchObject({ state: 'running', outcome: 'succeeded' });
    expect(claim.proof.reached).toEqual([
      'accepted',
      'waiting_for_worker',
      'applying_runtime_state',
      'starting',
      'running',
    ]);
  });

  it('an image by tag gets its digest from runtime.applied, and nothing else proves it', async () => {
    const lab = newLab();
    await lab.deploy(image('web:1.2'));
    await lab.publish();
    expect((await lab.claim()).desired.artifact).toBe('web:1.2');
    const agent = await lab.agent().register();
    await (await agent.take()).applied(DIGEST);
    expect((await lab.claim()).desired.artifact).toBe(DIGEST);
    await agent.sees([instance('u1', { artifact: `sha256:${'f'.repeat(64)}` })]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await lab.claim()).toMatchObject({ state: 'starting', cause: { code: 'image_unverified' } });
    await agent.sees([instance('u1')]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect((await lab.claim()).state).toBe('running');
  });

  it('an artifact that the store holds is artifact_ready; another is refused', async () => {
    const lab = newLab();
    await expect(lab.deploy(ARTIFACT)).rejects.toMatchObject({ code: 'artifact_missing' });
    await lab.holds(DIGEST);
    expect((await lab.deploy(ARTIFACT)).claim.state).toBe('accepted');
    await lab.publish();
    expect(await lab.claim()).toMatchObject({
      state: 'artifact_ready',
      proof: { reached: ['accepted', 'artifact_ready'], stoppedAt: 'artifact_ready' },
    });
    expect(await lab.path()).toEqual(['accepted by api', 'artifact_ready by publisher']);
  });
});

describe('the configuration of a service', () => {
  it('needs the route of the port that the build found, in every revision that runs its artifact', async () => {
    const lab = newLab();
    await waiting(lab);
    await (await lab.builder().take()).stored(DIGEST, { command: null, port: 8080 });
    await lab.deploy(null, { port: 9000 });
    expect((await lab.history())[0]?.intent.port).toBe(9000);
    await lab.deploy(null, { env: { A: 'b' } });
    expect((await lab.history())[0]?.intent).toMatchObject({ kind: 'config', port: 9000 });
    await lab.deploy(null, { port: 'auto' });
    expect((await lab.history())[0]?.intent).toMatchObject({ kind: 'config', port: 8080 });
    await lab.publish();
    const agent = await lab.agent().register();
    await (await agent.take()).applied();
    const copies = [instance('u1', { revision: 4 })];
    await agent.sees(copies);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await lab.claim()).toMatchObject({ state: 'starting', cause: { code: 'route_silent' } });
    await agent.sees(copies, [route(4)]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect((await lab.claim()).state).toBe('running');
    await lab.deploy(null, { port: null });
    expect((await lab.history())[0]?.intent.port, 'none was requested').toBeNull();
    await lab.deploy({ kind: 'artifact', digest: DIGEST }, { port: 'auto' });
    expect((await lab.history())[0]?.intent.port, 'the same bytes, named by digest').toBe(8080);
  });

  it('a spec alone is a config revision with the current artifact, and builds nothing', async () => {
    const lab = newLab();
    await expect(lab.deploy(null, { replicas: 2 })).rejects.toMatchObject({ code: 'not_found' });
    await running(lab);
    await lab.deploy(null, { replicas: 2 });
    await lab.publish();
    expect(await lab.claim()).toMatchObject({
      state: 'artifact_ready',
      desired: { artifact: DIGEST, replicas: 2 },
    });
    expect((await lab.history())[0]?.intent.kind).toBe('config');
  });

  it('refuses a spec with unknown fields', async () => {
    const lab = newLab();
    await expect(lab.deploy(SOURCE, { replicas: -1 })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(lab.deploy(SOURCE, { nonsense: 1 } as object)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(lab.count('services')).toBe(0);
  });

  it('refuses a source where Kubernetes runs it: by the spec, or else as the target was declared', async () => {
    const lab = newLab();
    const request = (spec: Spec) =>
      requestDeploy(lab.host, lab.caller('ana', 'deployer'), { service: WEB, origin: SOURCE, spec });
    expect(await request({ runtime: 'kubernetes' })).toMatchObject({ code: 'image_required' });
    const declared = {
      runtime: 'kubernetes',
      createdAt: T0,
      removedAt: null,
      observation: null,
      defaultNamespace: null,
    } as const;
    await lab.store.transact((tx) => tx.insert('targets', { org: ORG, target: 'lab', ...declared }));
    expect(await request({})).toMatchObject({ code: 'image_required' });
    expect(lab.count('services')).toBe(0);
    expect(await request({ runtime: 'process' })).toMatchObject({ ok: true, revision: 1 });
    // Its agent has registered with the namespace of a cluster, and nobody has declared it.
    const registered = { runtime: null, defaultNamespace: 'apps' };
    await lab.store.transact((tx) => tx.update('targets', { org: ORG, target: 'lab' }, {}, registered));
    expect(await request({})).toMatchObject({ code: 'image_required' });
  });

  it('refuses what is deployed to a target that only observes, whatever it is made from', async () => {
    const lab = newLab();
    const registration = {
      agent: 'a',
      version: '1',
      identity: 'cluster-1',
      instance: 'i-1',
      observeOnly: true,
    };
    await register(lab.host, lab.caller('agent-1', 'agent', { target: 'lab' }), 'lab', registration);
    for (const origin of [SOURCE, { kind: 'image', image: 'app:1' }] as const)
      expect(
        await requestDeploy(lab.host, lab.caller('ana', 'deployer'), { service: WEB, origin }),
      ).toMatchObject({
        code: 'observe_only',
        detail: expect.stringContaining('lab observes what other tools deploy there'),
        params: { cause: 'observe_only' },
      });
    expect(lab.count('services')).toBe(0);
  });

  it('has no route without a port, and needs one with a port', async () => {
    const lab = newLab();
    const agent = await starting(lab, { port: 8080 });
    await agent.sees([instance('u1')]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await lab.claim()).toMatchObject({
      state: 'starting',
      cause: { code: 'route_silent' },
      serving: null,
    });
  });

  it('a deployment without any worker online waits: the example of the protocol', async () => {
    const lab = newLab();
    await waiting(lab, { port: 8080, replicas: 2, stabilityMs: 1_000, deadlines: { queueMs: 60_000 } });
    expect(await lab.claim()).toMatchObject({
      freshness: { freshForMs: null, validUntil: iso(T0 + 60_000) },
      message: { code: 'waiting.no_worker', title: 'Waiting for a builder' },
    });
  });
});
