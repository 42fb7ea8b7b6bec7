import { describe, expect, it } from 'vitest';
import { digestIn } from './instance.ts';
import { NO_LEASES, type NodeLeases } from './node-leases.ts';
import { podsRestored } from './restored-pods.ts';
import {
  deployment,
  IN,
  kept,
  LEASES_SILENT,
  leases,
  meta,
  NOW,
  OTHER_DIGEST,
  observe,
  only,
  POD_DIGEST,
  pod,
  replicaSet,
  type SampleObject,
  standingIn,
} from './samples.ts';
import { podDeleted, settleVanished } from './vanished-pods.ts';

describe('the revision of a pod (rule 3)', () => {
  const revisions = (samples: readonly SampleObject[]) =>
    Object.fromEntries(only(observe(samples)).instances.map(({ name, revision }) => [name, revision]));

  it('is that of its ReplicaSet, whatever its labels say', () => {
    const copied = { 'pod-template-hash': 'new' };
    const samples = [deployment('2'), replicaSet('old', '1', 'old'), replicaSet('new', '2', 'new')];
    const pods = [pod('p1', IN('old'), { labels: copied }), pod('p2', IN('new'))];
    expect(revisions([...samples, ...pods])).toEqual({ p1: 'superseded', p2: 'current' });
  });

  it('is unsettled until the controller has observed the generation', () => {
    const samples = [deployment('2', 0), replicaSet('new', '2', 'new'), pod('p1', IN('new'))];
    expect(revisions(samples)).toEqual({ p1: 'unsettled' });
    expect(only(observe(samples)).template).toBe('unsettled');
  });

  it('follows a rollback, which takes up an old ReplicaSet', () => {
    const samples = [deployment('3'), replicaSet('first', '3', 'a'), replicaSet('second', '2', 'b')];
    expect(revisions([...samples, pod('p1', IN('first')), pod('p2', IN('second'))])).toEqual({
      p1: 'current',
      p2: 'superseded',
    });
  });

  it('is that of a StatefulSet by its update revision', () => {
    const set: SampleObject & Record<string, unknown> = {
      kind: 'StatefulSet',
      metadata: meta('s1'),
      status: { observedGeneration: 1, updateRevision: 's1-b', currentRevision: 's1-a' },
    };
    const owner = { kind: 'StatefulSet', uid: 's1' };
    const of = (hash: string) => ({ labels: { 'controller-revision-hash': hash } });
    expect(revisions([set, pod('p0', owner, of('s1-a')), pod('p1', owner, of('s1-b'))])).toEqual({
      p0: 'superseded',
      p1: 'current',
    });
  });

  it('is that of a DaemonSet by the highest of its ControllerRevisions', () => {
    const owner = { kind: 'DaemonSet', uid: 'ds' };
    const set: SampleObject & Record<string, unknown> = {
      kind: 'DaemonSet',
      metadata: meta('ds'),
      status: { observedGeneration: 1, desiredNumberScheduled: 2 },
    };
    const made = (hash: string, number: number): SampleObject & Record<string, unknown> => ({
      kind: 'ControllerRevision',
      metadata: meta(hash, owner, { labels: { 'controller-revision-hash': hash } }),
      revision: number,
    });
    const of = (hash: string) => ({ labels: { 'controller-revision-hash': hash } });
    const samples = [set, made('a', 3), made('b', 2), pod('p1', owner, of('a')), pod('p2', owner, of('b'))];
    expect(revisions(samples)).toEqual({ p1: 'current', p2: 'superseded' });
  });

  it('is that of a ReplicaSet by itself, which nobody labelled with a hash', () => {
    const set: SampleObject & Record<string, unknown> = {
      kind: 'ReplicaSet',
      metadata: meta('bare'),
      spec: { replicas: 1 },
      status: { observedGeneration: 1 },
    };
    const workload = only(observe([set, pod('p1', IN('bare'))]));
    expect(workload.template).toEqual({ template: 'bare' });
    expect(workload.instances).toMatchObject([{ revision: 'current', template: 'bare' }]);
  });

  it('does not exist for a pod whose controller is not there (F68)', () => {
    expect(only(observe([deployment('1'), pod('p1', IN('elsewhere'))])).instances).toEqual([]);
  });

  it('leads through a Job to its CronJob; what nothing controls stands for itself', () => {
    const cron: SampleObject = { kind: 'CronJob', metadata: meta('c1') };
    const job: SampleObject = { kind: 'Job', metadata: meta('j1', { kind: 'CronJob', uid: 'c1' }) };
    const found = observe([cron, job, pod('p1', { kind: 'Job', uid: 'j1' }), pod('bare')]);
    expect(found.map(({ kind, instances }) => [kind, instances.map(({ name }) => name)])).toEqual([
      ['CronJob', ['p1']],
      ['Pod', ['bare']],
    ]);
  });
});

describe('an instance', () => {
  it('is known by its kubelet while its node is alive', () => {
    expect(standingIn([pod('p')])).toMatchObject({ kind: 'known', ready: true, by: 'kubelet' });
  });

  it.each([['True'], ['False']])(
    'is unknown on a silent node, though it says Ready=%s (rule 5, F73)',
    (ready) => {
      expect(standingIn([pod('p', undefined, { ready })], { leases: LEASES_SILENT })).toMatchObject({
        why: 'node_silent',
      });
    },
  );

  it('is unknown when the controller manager wrote Ready=False about a node it did not hear', () => {
    expect(standingIn([pod('p', undefined, { ready: 'False' })])).toMatchObject({ why: 'not_by_kubelet' });
    const said = { ready: 'False', reason: 'ContainersNotReady' };
    expect(standingIn([pod('p', undefined, said)])).toMatchObject({ kind: 'known', ready: false });
  });

  it('is unknown where no lease can be read', () => {
    expect(standingIn([pod('p')], { leases: NO_LEASES })).toMatchObject({ why: 'no_lease' });
  });

  it('is not ready while its native sidecar is not', () => {
    expect(standingIn([pod('p', undefined, { sidecar: false })])).toMatchObject({
      kind: 'known',
      ready: false,
    });
    expect(standingIn([pod('p', undefined, { sidecar: true })])).toMatchObject({ ready: true });
  });

  it('shows an ephemeral container and does not judge it (rule 14)', () => {
    const { instances } = only(observe([pod('p', undefined, { isDebugged: true })]));
    expect(instances[0]?.standing).toMatchObject({ ready: true });
    expect(instances[0]?.containers.at(-1)).toMatchObject({ name: 'debug', isJudged: false });
  });

  it('counts once it has been ready for as long as its workload wants', () => {
    const patient = { ...deployment('1'), spec: { replicas: 1, minReadySeconds: 120 } };
    const ready = pod('p', IN('r'), { readySince: '2026-01-01T00:00:00Z' });
    const samples = [patient, replicaSet('r', '1', 'h'), ready];
    const at = (seconds: number) =>
      only(observe(samples, { wallNow: Date.parse('2026-01-01T00:00:00Z') + seconds * 1_000 })).instances[0];
    expect(at(119)).toMatchObject({
      standing: { kind: 'known', ready: false },
      countsFrom: Date.parse('2026-01-01T00:02:00Z'),
    });
    expect(at(120)).toMatchObject({ standing: { kind: 'known', ready: true }, countsFrom: null });
    const silent = only(observe(samples, { leases: LEASES_SILENT })).instances[0];
    expect(silent?.standing, 'a silent node').toMatchObject({ kind: 'unknown' });
  });

  it('that terminates says so, though it is ready still', () => {
    expect(only(observe([pod('p', undefined, { deleting: true })])).instances[0]).toMatchObject({
      isTerminating: true,
      standing: { ready: true },
    });
  });

  it('is unknown after a restore until its kubelet writes, or until it answers (rule 1)', () => {
    const restored = podsRestored([kept(pod('p'))]);
    expect(standingIn([pod('p')], { restored })).toMatchObject({ why: 'store_recovered' });
    expect(standingIn([pod('p', undefined, { wroteAt: 't2' })], { restored })).toMatchObject({
      kind: 'known',
    });
    expect(standingIn([pod('new')], { restored })).toMatchObject({ kind: 'known' });
  });
});

describe('a pod that vanished (rule 6)', () => {
  const samples = [deployment('1'), replicaSet('r', '1', 'h')];
  const gone = podDeleted(new Map(), kept(pod('p', IN('r'))), 30_000);

  it('is unknown while its node is silent', () => {
    const vanished = settleVanished(gone, LEASES_SILENT, NOW);
    expect(only(observe(samples, { vanished })).instances).toMatchObject([
      { uid: 'p', revision: 'current', standing: { kind: 'unknown', why: 'vanished', lastReady: true } },
    ]);
  });

  it('is not proven gone while its node, back from a silence, is not given other pods yet', () => {
    const heard: NodeLeases = {
      ...leases(
        [
          [0, 'a'],
          [31_000, 'b'],
        ],
        32_000,
      ),
      provenAt: 32_000,
    };
    const waiting = settleVanished(gone, heard, 32_000);
    const [name = '', state] = [...heard.nodes][0] ?? [];
    if (state === undefined) throw new Error('no lease');
    const backAt = (backSince: number | null): NodeLeases => ({
      ...heard,
      nodes: new Map([[name, { ...state, renewTime: 'c', backSince }]]),
    });
    expect(settleVanished(waiting, backAt(heard.provenMs), 33_000).has('p')).toBe(true);
    expect(settleVanished(waiting, backAt(null), 33_000).has('p')).toBe(false);
  });

  it('is not proven gone by a renewal of before that arrives late', () => {
    // Renewed at 29 s by the node; the copy shows it at 31 s and is proven as of 20 s only.
    const late: NodeLeases = {
      ...leases(
        [
          [0, 'a'],
          [31_000, 'b'],
        ],
        32_000,
      ),
      provenAt: 20_000,
    };
    const waiting = settleVanished(gone, late, 32_000);
    expect(waiting.get('p')?.renewTime).toBeUndefined();
    const proven = settleVanished(waiting, { ...late, provenAt: 31_500 }, 33_000);
    expect(proven.get('p')?.renewTime).toBe('b');
    expect(
      settleVanished(
        proven,
        leases(
          [
            [0, 'a'],
            [31_000, 'b'],
          ],
          40_000,
        ),
        40_000,
      ).has('p'),
    ).toBe(true);
  });

  it('is gone once its node was renewed afterwards', () => {
    const proven = settleVanished(
      gone,
      leases(
        [
          [0, 'a'],
          [31_000, 'b'],
        ],
        35_000,
      ),
      35_000,
    );
    const after = settleVanished(
      proven,
      leases(
        [
          [0, 'a'],
          [31_000, 'b'],
          [36_000, 'c'],
        ],
        40_000,
      ),
      40_000,
    );
    expect([...after.keys()]).toEqual([]);
  });

  it('is gone at once by its kubelet’s word, when every container had ended', () => {
    expect(podDeleted(new Map(), kept(pod('p', undefined, { hasEnded: true })), 0).size).toBe(0);
  });
});

describe('a workload', () => {
  const samples = [deployment('1', 1, { readyReplicas: 2 }), replicaSet('r', '1', 'h')];

  it('is counted by its pods, whatever its status says (rule 8)', () => {
    const workload = only(
      observe([...samples, pod('p', IN('r'), { ready: 'False', reason: 'ContainersNotReady' })]),
    );
    expect(workload).toMatchObject({ desired: 2, saidReady: 2 });
    expect(workload.instances.map(({ standing }) => standing)).toMatchObject([
      { kind: 'known', ready: false },
    ]);
  });

  it('of every node is wanted where it is until it is told to go, whatever the controller counts (rule 5)', () => {
    const owner = { kind: 'DaemonSet', uid: 'ds' };
    const set: SampleObject & Record<string, unknown> = {
      kind: 'DaemonSet',
      metadata: meta('ds'),
      status: { observedGeneration: 1, desiredNumberScheduled: 0, numberMisscheduled: 1 },
    };
    expect(only(observe([set, pod('p', owner)], { leases: LEASES_SILENT })).desired).toBe(1);
    expect(only(observe([set, pod('p', owner, { deleting: true })])).desired).toBe(0);
  });

  it('names containers of one template that run under two digests (rule 15)', () => {
    const pods = [pod('p1', IN('r')), pod('p2', IN('r'), { digest: OTHER_DIGEST })];
    expect(only(observe([...samples, ...pods])).contradictory).toEqual(['app']);
    expect(only(observe([...samples, pod('p1', IN('r')), pod('p2', IN('r'))])).contradictory).toEqual([]);
  });

  it.each([
    [`registry.example/app@${POD_DIGEST}`, POD_DIGEST],
    [`docker-pullable://registry.example/app@${POD_DIGEST}`, POD_DIGEST],
    [POD_DIGEST, POD_DIGEST],
    [`docker://${POD_DIGEST}`, POD_DIGEST],
    ['registry.example/app:1', null],
    ['', null],
    [null, null],
  ])('reads the digest of %s', (imageId, digest) => {
    expect(digestIn(imageId)).toBe(digest);
  });
});
