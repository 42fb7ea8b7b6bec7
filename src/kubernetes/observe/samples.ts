import { expect } from 'vitest';
import { CACHED_KINDS, type CachedKind, type CachedRecords } from '../cache/kinds.ts';
import { keepPod, type PodRecord } from '../cache/pod.ts';
import type { KnownPlace } from './known-place.ts';
import { NO_LEASES, type NodeLeases, observeLeases } from './node-leases.ts';
import type { ClusterRecords } from './records.ts';
import type { RestoredPods } from './restored-pods.ts';
import type { VanishedPods } from './vanished-pods.ts';
import { type ObservedWorkload, observeWorkloads } from './workload.ts';

/** Objects of a cluster as its API shows them, and what is observed of them: for the tests beside. */

export type SampleObject = {
  readonly kind: CachedKind;
  readonly metadata: { readonly uid: string } & Record<string, unknown>;
};

/** Records of sample objects, read as the cache reads them. */
function recordsOf(samples: readonly SampleObject[]): ClusterRecords {
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

export const meta = (uid: string, owner?: { kind: string; uid: string }, more = {}) => ({
  uid,
  name: uid,
  namespace: 'shop',
  resourceVersion: '1',
  generation: 1,
  ...(owner === undefined ? {} : { ownerReferences: [{ ...owner, name: owner.uid, controller: true }] }),
  ...more,
});
const revision = (value: string) => ({ annotations: { 'deployment.kubernetes.io/revision': value } });
export const POD_DIGEST = `sha256:${'a'.repeat(64)}`;
export const OTHER_DIGEST = `sha256:${'b'.repeat(64)}`;

export function pod(
  uid: string,
  owner?: { kind: string; uid: string },
  more: PodMore = {},
): SampleObject & Record<string, unknown> {
  const {
    ready = 'True',
    reason,
    digest = POD_DIGEST,
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
      conditions: [
        { type: 'Ready', status: ready, lastTransitionTime: more.readySince, ...(reason ? { reason } : {}) },
      ],
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
  readonly readySince?: string;
}

export const replicaSet = (uid: string, number: string, hash: string, owner = 'd1'): SampleObject => ({
  kind: 'ReplicaSet',
  metadata: meta(
    uid,
    { kind: 'Deployment', uid: owner },
    { ...revision(number), labels: { 'pod-template-hash': hash } },
  ),
});
export const deployment = (
  number: string,
  observed = 1,
  status = {},
): SampleObject & Record<string, unknown> => ({
  kind: 'Deployment',
  metadata: meta('d1', undefined, revision(number)),
  spec: { replicas: 2 },
  status: { observedGeneration: observed, ...status },
});
export const IN = (uid: string) => ({ kind: 'ReplicaSet', uid });

/** A node that was heard a moment ago, or fell silent long ago. */
export function leases(renewals: readonly (readonly [number, string])[], now: number): NodeLeases {
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
export const NOW = 60_000;
export const LEASES_ALIVE = leases(
  [
    [0, 'a'],
    [59_000, 'b'],
  ],
  NOW,
);
export const LEASES_SILENT = leases(
  [
    [0, 'a'],
    [1_000, 'b'],
  ],
  NOW,
);

interface ObservedMore {
  readonly leases?: NodeLeases;
  readonly vanished?: VanishedPods;
  readonly restored?: RestoredPods;
  readonly places?: ReadonlyMap<string, KnownPlace>;
  readonly now?: number;
  readonly wallNow?: number;
}

export function observe(samples: readonly SampleObject[], more: ObservedMore = {}): ObservedWorkload[] {
  return observeWorkloads('shop', {
    records: recordsOf(samples),
    places: more.places ?? new Map(),
    leases: more.leases ?? LEASES_ALIVE,
    vanished: more.vanished ?? new Map(),
    restored: more.restored ?? new Map(),
    now: more.now ?? NOW,
    wallNow: more.wallNow ?? 0,
  });
}
export const only = (workloads: readonly ObservedWorkload[]) => {
  expect(workloads.length).toBe(1);
  return workloads[0] as ObservedWorkload;
};
export const standingIn = (samples: readonly SampleObject[], more: Parameters<typeof observe>[1] = {}) =>
  only(observe(samples, more)).instances[0]?.standing;
export const kept = (sample: unknown): PodRecord => keepPod(sample) as PodRecord;
