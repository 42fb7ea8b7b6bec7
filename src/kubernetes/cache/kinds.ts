import type { ApiResource } from '../api/resources.ts';
import {
  type EndpointSliceRecord,
  type KubeServiceRecord,
  keepEndpointSlice,
  keepService,
  keepVolumeClaim,
  keepWarning,
  type VolumeClaimRecord,
  type WarningRecord,
} from './network.ts';
import { keepNode, keepNodeLease, type NodeLeaseRecord, type NodeRecord } from './node.ts';
import { keepPod, type PodRecord } from './pod.ts';
import {
  type ControllerRevisionRecord,
  type CronJobRecord,
  type DaemonSetRecord,
  type DeploymentRecord,
  type JobRecord,
  keepControllerRevision,
  keepCronJob,
  keepDaemonSet,
  keepDeployment,
  keepJob,
  keepReplicaSet,
  keepStatefulSet,
  type ReplicaSetRecord,
  type StatefulSetRecord,
} from './workloads.ts';

/** The records of each kind that the cache has. */
export interface CachedRecords {
  readonly Pod: PodRecord;
  readonly Deployment: DeploymentRecord;
  readonly ReplicaSet: ReplicaSetRecord;
  readonly StatefulSet: StatefulSetRecord;
  readonly DaemonSet: DaemonSetRecord;
  readonly ControllerRevision: ControllerRevisionRecord;
  readonly Job: JobRecord;
  readonly CronJob: CronJobRecord;
  readonly Service: KubeServiceRecord;
  readonly EndpointSlice: EndpointSliceRecord;
  readonly PersistentVolumeClaim: VolumeClaimRecord;
  readonly Event: WarningRecord;
  readonly Node: NodeRecord;
  readonly Lease: NodeLeaseRecord;
}
export type CachedKind = keyof CachedRecords;

interface CachedKindRow<K extends CachedKind> {
  readonly resource: ApiResource;
  readonly keep: (object: unknown) => CachedRecords[K] | null;
  readonly fieldSelector?: string;
  /**
   * `namespace`: a claim about a workload there needs it. `nodes`: a claim about any pod does. `facts`: shown beside a
   * claim; without it the claim is the same.
   */
  readonly needed: 'namespace' | 'nodes' | 'facts';
}

const core = (resource: string, kind: string, namespaced = true): ApiResource => ({
  group: '',
  version: 'v1',
  resource,
  kind,
  namespaced,
});
const of = (group: string, resource: string, kind: string): ApiResource => ({
  group,
  version: 'v1',
  resource,
  kind,
  namespaced: true,
});

/** Node leases have a namespace of their own. */
export const NODE_LEASES = 'kube-node-lease';

/** The kinds that are watched, and the fields that are kept. Served in these versions by 1.28 to 1.35. Secrets are not among them. */
export const CACHED_KINDS: { readonly [K in CachedKind]: CachedKindRow<K> } = {
  Pod: { resource: core('pods', 'Pod'), keep: keepPod, needed: 'namespace' },
  Deployment: {
    resource: of('apps', 'deployments', 'Deployment'),
    keep: keepDeployment,
    needed: 'namespace',
  },
  ReplicaSet: {
    resource: of('apps', 'replicasets', 'ReplicaSet'),
    keep: keepReplicaSet,
    needed: 'namespace',
  },
  StatefulSet: {
    resource: of('apps', 'statefulsets', 'StatefulSet'),
    keep: keepStatefulSet,
    needed: 'namespace',
  },
  DaemonSet: { resource: of('apps', 'daemonsets', 'DaemonSet'), keep: keepDaemonSet, needed: 'namespace' },
  ControllerRevision: {
    resource: of('apps', 'controllerrevisions', 'ControllerRevision'),
    keep: keepControllerRevision,
    needed: 'namespace',
  },
  Job: { resource: of('batch', 'jobs', 'Job'), keep: keepJob, needed: 'namespace' },
  CronJob: { resource: of('batch', 'cronjobs', 'CronJob'), keep: keepCronJob, needed: 'namespace' },
  Service: { resource: core('services', 'Service'), keep: keepService, needed: 'namespace' },
  EndpointSlice: {
    resource: of('discovery.k8s.io', 'endpointslices', 'EndpointSlice'),
    keep: keepEndpointSlice,
    needed: 'namespace',
  },
  PersistentVolumeClaim: {
    resource: core('persistentvolumeclaims', 'PersistentVolumeClaim'),
    keep: keepVolumeClaim,
    needed: 'facts',
  },
  Event: {
    resource: core('events', 'Event'),
    keep: keepWarning,
    // Thousands of normal ones come and go in an hour.
    fieldSelector: 'type!=Normal',
    needed: 'facts',
  },
  Node: { resource: core('nodes', 'Node', false), keep: keepNode, needed: 'nodes' },
  Lease: { resource: of('coordination.k8s.io', 'leases', 'Lease'), keep: keepNodeLease, needed: 'nodes' },
};
