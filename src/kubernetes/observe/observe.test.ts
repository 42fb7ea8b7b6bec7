import { describe, expect, it } from 'vitest';
import { CACHED_KINDS, type CachedKind, type CachedRecords } from '../cache/kinds.ts';
import { keepPod, type PodRecord } from '../cache/pod.ts';
import { digestIn } from './instance.ts';
import { NO_LEASES, type NodeLeases, observeLeases } from './node-leases.ts';
import type { ClusterRecords } from './records.ts';
import { podsRestored, type RestoredPods } from './restored-pods.ts';
import { podDeleted, settleVanished, type VanishedPods } from './vanished-pods.ts';
import { type ObservedWorkload, observeWorkloads } from './workload.ts';

type Sample = {
  readonly kind: CachedKind;
  readonly metadata: { readonly uid: string } & Record<string, unknown>;
};

/** Records of sample objects, read as the cache reads them. */
function recordsOf(samples: readonly Sample[]): ClusterRecords {
  const kept = samples.map((sample) => {
    const record = CACHED_KINDS[sample.kind].keep(sample);
    if (record === null) throw new Error(`${sample.kind} ${sample.metadata.uid} cannot be read`);
    return { kind: sample.kind, record };
  });
  const all = <K extends CachedKind>(kind: K) =>
    kept.filter((one) => one.kind === kind).map(({ record }) => record as CachedRecords[K]);
  return {
    records: (kind, namespace) =>
      all(kind).filter((record) => namespace === undefined || record.namespace === namespace),
    record: (kind, uid) => all(kind).find((record) => record.uid === uid) ?? null,
  };
}

const meta = (uid: string, owner?: { kind: string; uid: string }, more = {}) => ({
  uid,
  name: uid,
  namespace: 'shop',
  resourceVersion: '1',
  generation: 1,
  ...(owner === undefined ? {} : { ownerReferences: [{ ...owner, name: owner.uid, controller: true }] }),
  ...more,
});
const revision = (value: string) => ({ annotations: { 'deployment.kubernetes.io/revision': value } });
const DIGEST = `sha256:${'a'.repeat(64)}`;
const OTHER_DIGEST = `sha256:${'b'.repeat(64)}`;

function pod(
  uid: string,
  owner?: { kind: string; uid: string },
  more: PodMore = {},
): Sample & Record<string, unknown> {
  const {
    ready = 'True',
    reason,
    digest = DIGEST,
    labels = {},
    containers = ['app'],
    deleting,
    wroteAt = 't1',
  } = more;
  return {
    kind: 'Pod',
    metadata: {
      ...meta(uid, owner, { labels }),
      ...(deleting ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
      managedFields: [{ manager: 'kubelet', subresource: 'status', time: wroteAt, fieldsV1: {} }],
    },
    spec: {
      nodeName: 'n1',
      containers: containers.map((name) => ({ name, image: 'app:1' })),
      initContainers: more.sidecar === undefined ? [] : [{ name: 'proxy', restartPolicy: 'Always' }],
      ephemeralContainers: more.isDebugged ? [{ name: 'debug' }] : [],
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready, ...(reason ? { reason } : {}) }],
      initContainerStatuses: more.sidecar === undefined ? [] : [{ name: 'proxy', ready: more.sidecar }],
      containerStatuses: containers.map((name) => ({
        name,
        ready: ready === 'True',
        imageID: `registry.example/app@${digest}`,
        state: more.hasEnded
          ? { terminated: { exitCode: 0 } }
          : { running: { startedAt: '2026-01-01T00:00:00Z' } },
      })),
    },
  };
}
interface PodMore {
  readonly ready?: string;
  readonly reason?: string;
  readonly digest?: string;
  readonly labels?: Record<string, string>;
  readonly containers?: readonly string[];
  readonly deleting?: boolean;
  readonly sidecar?: boolean;
  readonly isDebugged?: boolean;
  readonly hasEnded?: boolean;
  readonly wroteAt?: string;
}

const replicaSet = (uid: string, number: string, hash: string, owner = 'd1'): Sample => ({
  kind: 'ReplicaSet',
  metadata: meta(
    uid,
    { kind: 'Deployment', uid: owner },
    { ...revision(number), labels: { 'pod-template-hash': hash } },
  ),
});
const deployment = (number: string, observed = 1, status = {}): Sample & Record<string, unknown> => ({
  kind: 'Deployment',
  metadata: meta('d1', undefined, revision(number)),
  spec: { replicas: 2 },
  status: { observedGeneration: observed, ...status },
});
const IN = (uid: string) => ({ kind: 'ReplicaSet', uid });

/** A node that was heard a moment ago, or fell silent long ago. */
function leases(renewals: readonly (readonly [number, string])[], now: number): NodeLeases {
  let state = NO_LEASES;
  let renewed = 'never';
  for (let at = 0; at <= now; at += 1_000) {
    renewed = renewals.findLast(([from]) => from <= at)?.[1] ?? renewed;
    const lease = CACHED_KINDS.Lease.keep({
      metadata: { ...meta('n1'), namespace: 'kube-node-lease' },
      spec: { renewTime: renewed, leaseDurationSeconds: 4 },
    });
    state = observeLeases(state, lease === null ? [] : [lease], at, at);
  }
  return state;
}
const NOW = 60_000;
const ALIVE = leases(
  [
    [0, 'a'],
    [59_000, 'b'],
  ],
  NOW,
);
const SILENT = leases(
  [
    [0, 'a'],
    [1_000, 'b'],
  ],
  NOW,
);

function observe(
  samples: readonly Sample[],
  more: { leases?: NodeLeases; vanished?: VanishedPods; restored?: RestoredPods; now?: number } = {},
): ObservedWorkload[] {
  return observeWorkloads('shop', {
    records: recordsOf(samples),
    places: new Map(),
    leases: more.leases ?? ALIVE,
    vanished: more.vanished ?? new Map(),
    restored: more.restored ?? new Map(),
    now: more.now ?? NOW,
  });
}
const only = (workloads: readonly ObservedWorkload[]) => {
  expect(workloads.length).toBe(1);
  return workloads[0] as ObservedWorkload;
};
const standing = (samples: readonly Sample[], more: Parameters<typeof observe>[1] = {}) =>
  only(observe(samples, more)).instances[0]?.standing;
const kept = (sample: unknown): PodRecord => keepPod(sample) as PodRecord;

describe('the revision of a pod (rule 3)', () => {
  const revisions = (samples: readonly Sample[]) =>
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
    const set: Sample & Record<string, unknown> = {
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
    const set: Sample & Record<string, unknown> = {
      kind: 'DaemonSet',
      metadata: meta('ds'),
      status: { observedGeneration: 1, desiredNumberScheduled: 2 },
    };
    const made = (hash: string, number: number): Sample & Record<string, unknown> => ({
      kind: 'ControllerRevision',
      metadata: meta(hash, owner, { labels: { 'controller-revision-hash': hash } }),
      revision: number,
    });
    const of = (hash: string) => ({ labels: { 'controller-revision-hash': hash } });
    const samples = [set, made('a', 3), made('b', 2), pod('p1', owner, of('a')), pod('p2', owner, of('b'))];
    expect(revisions(samples)).toEqual({ p1: 'current', p2: 'superseded' });
  });

  it('does not exist for a pod whose controller is not there (F68)', () => {
    expect(only(observe([deployment('1'), pod('p1', IN('elsewhere'))])).instances).toEqual([]);
  });

  it('leads through a Job to its CronJob; what nothing controls stands for itself', () => {
    const cron: Sample = { kind: 'CronJob', metadata: meta('c1') };
    const job: Sample = { kind: 'Job', metadata: meta('j1', { kind: 'CronJob', uid: 'c1' }) };
    const found = observe([cron, job, pod('p1', { kind: 'Job', uid: 'j1' }), pod('bare')]);
    expect(found.map(({ kind, instances }) => [kind, instances.map(({ name }) => name)])).toEqual([
      ['CronJob', ['p1']],
      ['Pod', ['bare']],
    ]);
  });
});

describe('an instance', () => {
  it('is known by its kubelet while its node is alive', () => {
    expect(standing([pod('p')])).toMatchObject({ kind: 'known', ready: true, by: 'kubelet' });
  });

  it.each([['True'], ['False']])(
    'is unknown on a silent node, though it says Ready=%s (rule 5, F73)',
    (ready) => {
      expect(standing([pod('p', undefined, { ready })], { leases: SILENT })).toMatchObject({
        why: 'node_silent',
      });
    },
  );

  it('is unknown when the controller manager wrote Ready=False about a node it did not hear', () => {
    expect(standing([pod('p', undefined, { ready: 'False' })])).toMatchObject({ why: 'not_by_kubelet' });
    const said = { ready: 'False', reason: 'ContainersNotReady' };
    expect(standing([pod('p', undefined, said)])).toMatchObject({ kind: 'known', ready: false });
  });

  it('is unknown where no lease can be read', () => {
    expect(standing([pod('p')], { leases: NO_LEASES })).toMatchObject({ why: 'no_lease' });
  });

  it('is not ready while its native sidecar is not', () => {
    expect(standing([pod('p', undefined, { sidecar: false })])).toMatchObject({
      kind: 'known',
      ready: false,
    });
    expect(standing([pod('p', undefined, { sidecar: true })])).toMatchObject({ ready: true });
  });

  it('shows an ephemeral container and does not judge it (rule 14)', () => {
    const { instances } = only(observe([pod('p', undefined, { isDebugged: true })]));
    expect(instances[0]?.standing).toMatchObject({ ready: true });
    expect(instances[0]?.containers.at(-1)).toMatchObject({ name: 'debug', isJudged: false });
  });

  it('that terminates says so, though it is ready still', () => {
    expect(only(observe([pod('p', undefined, { deleting: true })])).instances[0]).toMatchObject({
      isTerminating: true,
      standing: { ready: true },
    });
  });

  it('is unknown after a restore until its kubelet writes, or until it answers (rule 1)', () => {
    const restored = podsRestored([kept(pod('p'))]);
    expect(standing([pod('p')], { restored })).toMatchObject({ why: 'store_recovered' });
    expect(standing([pod('p', undefined, { wroteAt: 't2' })], { restored })).toMatchObject({ kind: 'known' });
    expect(standing([pod('new')], { restored })).toMatchObject({ kind: 'known' });
  });
});

describe('a pod that vanished (rule 6)', () => {
  const samples = [deployment('1'), replicaSet('r', '1', 'h')];
  const gone = podDeleted(new Map(), kept(pod('p', IN('r'))), 30_000);

  it('is unknown while its node is silent', () => {
    const vanished = settleVanished(gone, SILENT, NOW);
    expect(only(observe(samples, { vanished })).instances).toMatchObject([
      { uid: 'p', revision: 'current', standing: { kind: 'unknown', why: 'vanished', lastReady: true } },
    ]);
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

  it('names containers of one template that run under two digests (rule 15)', () => {
    const pods = [pod('p1', IN('r')), pod('p2', IN('r'), { digest: OTHER_DIGEST })];
    expect(only(observe([...samples, ...pods])).contradictory).toEqual(['app']);
    expect(only(observe([...samples, pod('p1', IN('r')), pod('p2', IN('r'))])).contradictory).toEqual([]);
  });

  it.each([
    [`registry.example/app@${DIGEST}`, DIGEST],
    [`docker-pullable://registry.example/app@${DIGEST}`, DIGEST],
    [DIGEST, DIGEST],
    [`docker://${DIGEST}`, DIGEST],
    ['registry.example/app:1', null],
    ['', null],
    [null, null],
  ])('reads the digest of %s', (imageId, digest) => {
    expect(digestIn(imageId)).toBe(digest);
  });
});
