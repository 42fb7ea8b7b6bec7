import { describe, expect, it } from 'vitest';
import { judgeObject } from '../judge-object.ts';
import { NO_OBJECTS } from '../objects.ts';

type Fields = Readonly<Record<string, unknown>>;
type Row = readonly [of: string, status: Fields, expected: string, spec?: Fields];

const is = (type: string, status: string, reason?: string, message?: string) => ({
  type,
  status,
  reason,
  message,
});
const having = (...conditions: readonly object[]) => ({ conditions });

/** The verdict for each word of one field of a status, `a.b` for a field in a field. */
const words = (
  of: string,
  path: string,
  expected: Readonly<Record<string, string>>,
  besides: Fields = {},
): Row[] =>
  Object.entries(expected).flatMap(([list, verdict]) =>
    list.split('|').map((word): Row => [of, nested(path, word, besides), verdict]),
  );

function nested(path: string, word: string, besides: Fields): Fields {
  const [first = '', ...rest] = path.split('.');
  return { ...besides, [first]: rest.length === 0 ? word : nested(rest.join('.'), word, {}) };
}

const WORDS: readonly Row[] = [
  ...words('acid.zalan.do/v1 postgresql', 'PostgresClusterStatus', {
    Running: 'ready',
    'Creating|Updating': 'progressing',
    'CreateFailed|UpdateFailed|SyncFailed|Invalid': 'failed',
    Dreaming: 'unknown',
  }),
  ...words(
    'elasticsearch.k8s.elastic.co/v1 Elasticsearch',
    'health',
    { green: 'ready', yellow: 'degraded', red: 'failed', unknown: 'unknown' },
    { phase: 'Ready', availableNodes: 3 },
  ),
  ...words(
    'elasticsearch.k8s.elastic.co/v1 Elasticsearch',
    'phase',
    { 'ApplyingChanges|MigratingData': 'progressing', Invalid: 'failed' },
    { health: 'green' },
  ),
  ...words('beat.k8s.elastic.co/v1 Beat', 'health', { green: 'ready', yellow: 'degraded', red: 'failed' }),
  ...words('kibana.k8s.elastic.co/v1 Kibana', 'health', { green: 'ready', red: 'failed' }),
  ...words('psmdb.percona.com/v1 PerconaServerMongoDB', 'state', {
    ready: 'ready',
    'initializing|stopping': 'progressing',
    error: 'failed',
    paused: 'suspended',
  }),
  ...words('ceph.rook.io/v1 CephCluster', 'ceph.health', {
    HEALTH_OK: 'ready',
    HEALTH_WARN: 'degraded',
    HEALTH_ERR: 'failed',
  }),
  ...words('ceph.rook.io/v1 CephObjectStore', 'phase', {
    Ready: 'ready',
    'Pending|Progressing': 'progressing',
    Failure: 'failed',
  }),
  ...words('minio.min.io/v2 Tenant', 'currentState', {
    Initialized: 'ready',
    'Tenant credentials are not set properly': 'failed',
    'Something else': 'unknown',
  }),
  ...words(
    'minio.min.io/v2 Tenant',
    'healthStatus',
    { green: 'ready', yellow: 'degraded', red: 'failed' },
    { currentState: 'Initialized' },
  ),
  ...words('objectbucket.io/v1alpha1 ObjectBucketClaim', 'phase', {
    Bound: 'ready',
    Pending: 'progressing',
    Failed: 'failed',
  }),
  ...words('clickhouse.altinity.com/v1 ClickHouseInstallation', 'status', {
    Completed: 'ready',
    InProgress: 'progressing',
    'Failed|Aborted': 'failed',
  }),
  ...words('platform.confluent.io/v1beta1 Kafka', 'phase', {
    RUNNING: 'ready',
    PROVISIONING: 'progressing',
    ERROR: 'failed',
  }),
  ...words('trident.netapp.io/v1 TridentOrchestrator', 'status', {
    Installed: 'ready',
    Installing: 'progressing',
    'Failed|Error': 'failed',
  }),
  ...words(
    'trident.netapp.io/v1 TridentBackendConfig',
    'lastOperationStatus',
    { Success: 'ready', Progressing: 'progressing', Failed: 'failed' },
    { phase: 'Bound' },
  ),
  ...words('velero.io/v1 Backup', 'phase', {
    Completed: 'ready',
    'New|InProgress|Finalizing': 'progressing',
    PartiallyFailed: 'degraded',
    'Failed|FailedValidation': 'failed',
  }),
  ...words('velero.io/v1 BackupStorageLocation', 'phase', { Available: 'ready', Unavailable: 'failed' }),
  ...words('argoproj.io/v1alpha1 AnalysisRun', 'phase', {
    Successful: 'ready',
    'Pending|Running': 'progressing',
    'Failed|Error': 'failed',
    Inconclusive: 'unknown',
  }),
  ...words('argoproj.io/v1alpha1 Experiment', 'phase', {
    Successful: 'ready',
    Running: 'progressing',
    Failed: 'failed',
  }),
  ...words('flagger.app/v1beta1 Canary', 'phase', {
    'Initialized|Succeeded': 'ready',
    'Initializing|Progressing|Promoting|Finalising|WaitingPromotion': 'progressing',
    Failed: 'degraded',
  }),
  ...words('lifecycle.keptn.sh/v1 KeptnTask', 'status', {
    Succeeded: 'ready',
    Progressing: 'progressing',
    Failed: 'failed',
  }),
  ...words('tower.ansible.com/v1alpha1 AnsibleJob', 'ansibleJobResult.status', {
    successful: 'ready',
    'new|pending|waiting|running': 'progressing',
    'failed|error|canceled': 'failed',
  }),
  ...words('sparkoperator.k8s.io/v1beta2 SparkApplication', 'applicationState.state', {
    COMPLETED: 'ready',
    'RUNNING|SUBMITTED|PENDING_RERUN': 'progressing',
    'FAILED|SUBMISSION_FAILED': 'failed',
  }),
  ...words('flink.apache.org/v1beta1 FlinkDeployment', 'jobManagerDeploymentStatus', {
    READY: 'ready',
    'DEPLOYING|DEPLOYED_NOT_READY|MISSING': 'progressing',
    ERROR: 'failed',
  }),
  ...words('operators.coreos.com/v1alpha1 ClusterServiceVersion', 'phase', {
    Succeeded: 'ready',
    'Pending|Installing|Replacing': 'progressing',
    Failed: 'failed',
  }),
  ...words('operators.coreos.com/v1alpha1 InstallPlan', 'phase', {
    Complete: 'ready',
    'Installing|RequiresApproval': 'progressing',
    Failed: 'failed',
  }),
  ...words('operators.coreos.com/v1alpha1 Subscription', 'state', {
    AtLatestKnown: 'ready',
    'UpgradePending|UpgradeAvailable': 'progressing',
    UpgradeFailed: 'failed',
  }),
  ...words('install.istio.io/v1alpha1 IstioOperator', 'status', {
    HEALTHY: 'ready',
    'UPDATING|RECONCILING': 'progressing',
    ERROR: 'failed',
  }),
  ...words('jaegertracing.io/v1 Jaeger', 'phase', { Running: 'ready', Failed: 'failed' }),
  ...words('networking.gke.io/v1 ManagedCertificate', 'certificateStatus', {
    Active: 'ready',
    Provisioning: 'progressing',
    FailedNotVisible: 'failed',
  }),
  ...words('operator.victoriametrics.com/v1beta1 VMAgent', 'updateStatus', {
    operational: 'ready',
    expanding: 'progressing',
    failed: 'failed',
    paused: 'suspended',
  }),
  ...words('policy.open-cluster-management.io/v1 Policy', 'compliant', {
    Compliant: 'ready',
    Pending: 'progressing',
    NonCompliant: 'degraded',
  }),
  ...words('core.humio.com/v1alpha1 HumioCluster', 'state', {
    Running: 'ready',
    'Restarting|Upgrading': 'progressing',
    ConfigError: 'failed',
  }),
  ...words('core.humio.com/v1alpha1 HumioView', 'state', {
    Exists: 'ready',
    NotFound: 'progressing',
    ConfigError: 'failed',
  }),
  ...words('gateway.solo.io/v1 VirtualService', 'state', {
    Accepted: 'ready',
    Pending: 'progressing',
    Warning: 'degraded',
    Rejected: 'failed',
  }),
  ...words('gloo.solo.io/v1 Upstream', 'statuses.gloo-system.state', {
    Accepted: 'ready',
    Warning: 'degraded',
    Rejected: 'failed',
  }),
];

const OWN: readonly Row[] = [
  [
    'elasticsearch.k8s.elastic.co/v1 Elasticsearch',
    { phase: 'Ready', health: 'green', availableNodes: 2 },
    'progressing',
    { nodeSets: [{ count: 2 }, { count: 1 }] },
  ],
  ['beat.k8s.elastic.co/v1 Beat', { health: 'green', availableNodes: 1, expectedNodes: 2 }, 'progressing'],
  ['psmdb.percona.com/v1 PerconaServerMongoDB', { state: 'ready', observedGeneration: 0 }, 'progressing'],
  ['ceph.rook.io/v1 CephCluster', { ceph: { health: 'HEALTH_OK' }, state: 'Error' }, 'failed'],
  ['ceph.rook.io/v1 CephCluster', { ceph: { health: 'HEALTH_OK' }, phase: 'Progressing' }, 'progressing'],
  [
    'rabbitmq.com/v1beta1 RabbitmqCluster',
    having(is('AllReplicasReady', 'True'), is('ClusterAvailable', 'True'), is('ReconcileSuccess', 'True')),
    'ready',
  ],
  [
    'rabbitmq.com/v1beta1 RabbitmqCluster',
    having(
      is('AllReplicasReady', 'False', 'NotAllPodsReady'),
      is('ClusterAvailable', 'True'),
      is('ReconcileSuccess', 'True'),
    ),
    'progressing',
  ],
  [
    'rabbitmq.com/v1beta1 RabbitmqCluster',
    having(is('AllReplicasReady', 'True'), is('ReconcileSuccess', 'True')),
    'progressing',
  ],
  ['snapshot.storage.k8s.io/v1 VolumeSnapshot', { readyToUse: true }, 'ready'],
  ['snapshot.storage.k8s.io/v1 VolumeSnapshot', { readyToUse: false }, 'progressing'],
  [
    'snapshot.storage.k8s.io/v1 VolumeSnapshot',
    { readyToUse: true, error: { message: 'no space' } },
    'failed',
  ],
  ['snapshot.storage.k8s.io/v1 VolumeSnapshotContent', { readyToUse: 'true' }, 'unknown'],
  ['argoproj.io/v1alpha1 EventBus', having(is('Configured', 'True'), is('Deployed', 'True')), 'ready'],
  [
    'argoproj.io/v1alpha1 EventBus',
    having(is('Configured', 'True'), is('Deployed', 'False', 'JetStreamStatefulSetFailed')),
    'failed',
  ],
  ['argoproj.io/v1alpha1 Sensor', having(is('Deployed', 'True')), 'progressing'],
  [
    'flink.apache.org/v1beta1 FlinkDeployment',
    { jobManagerDeploymentStatus: 'READY', jobStatus: { state: 'FAILED' } },
    'failed',
  ],
  [
    'flink.apache.org/v1beta1 FlinkDeployment',
    { jobManagerDeploymentStatus: 'READY', reconciliationStatus: { state: 'UPGRADING' } },
    'progressing',
  ],
  [
    'flink.apache.org/v1beta1 FlinkDeployment',
    { jobManagerDeploymentStatus: 'MISSING' },
    'suspended',
    { job: { state: 'suspended' } },
  ],
  [
    'promoter.argoproj.io/v1alpha1 GitCommitStatus',
    { ...having(is('Ready', 'True')), environments: [{ branch: 'dev', phase: 'success' }] },
    'ready',
  ],
  [
    'promoter.argoproj.io/v1alpha1 GitCommitStatus',
    { ...having(is('Ready', 'True')), environments: [{ branch: 'dev', phase: 'pending' }] },
    'progressing',
  ],
  [
    'promoter.argoproj.io/v1alpha1 TimedCommitStatus',
    { ...having(is('Ready', 'True')), environments: [{ branch: 'dev', phase: 'failure' }] },
    'degraded',
  ],
  ['promoter.argoproj.io/v1alpha1 PromotionStrategy', having(is('Ready', 'True')), 'unknown'],
  [
    'route.openshift.io/v1 Route',
    { ingress: [{ routerName: 'default', conditions: [is('Admitted', 'True')] }] },
    'ready',
  ],
  [
    'route.openshift.io/v1 Route',
    { ingress: [{ routerName: 'default', conditions: [is('Admitted', 'False')] }] },
    'failed',
  ],
  ['route.openshift.io/v1 Route', { ingress: [{ routerName: 'default' }] }, 'progressing'],
  [
    'apps.openshift.io/v1 DeploymentConfig',
    having(is('Available', 'True'), is('Progressing', 'True', 'NewReplicationControllerAvailable')),
    'ready',
  ],
  [
    'apps.openshift.io/v1 DeploymentConfig',
    having(is('Available', 'True'), is('Progressing', 'Unknown')),
    'progressing',
  ],
  ['apps.openshift.io/v1 DeploymentConfig', having(is('Available', 'True')), 'progressing'],
  [
    'apps.openshift.io/v1 DeploymentConfig',
    { replicas: 0, observedGeneration: 1 },
    'stopped',
    { replicas: 0 },
  ],
  [
    'operator.openshift.io/v1 IngressController',
    having(is('Available', 'True'), is('DeploymentReplicasAllAvailable', 'False')),
    'progressing',
  ],
  [
    'operator.openshift.io/v1 IngressController',
    having(is('Available', 'True'), is('DeploymentReplicasAllAvailable', 'True')),
    'ready',
  ],
  [
    'kubevirt.io/v1 VirtualMachine',
    { ...having(is('Ready', 'False', 'VMINotExists')), printableStatus: 'Stopped' },
    'stopped',
    { running: false },
  ],
  [
    'kubevirt.io/v1 VirtualMachine',
    { ...having(is('Ready', 'True'), is('Paused', 'True')), printableStatus: 'Paused' },
    'suspended',
    { running: true },
  ],
  [
    'kubevirt.io/v1 VirtualMachine',
    { ...having(is('Ready', 'True')), printableStatus: 'Running' },
    'ready',
    { running: true },
  ],
  [
    'serving.kserve.io/v1beta1 InferenceService',
    { ...having(is('Ready', 'True')), modelStatus: { transitionStatus: 'UpToDate' } },
    'ready',
  ],
  [
    'serving.kserve.io/v1beta1 InferenceService',
    { ...having(is('Ready', 'True')), modelStatus: { transitionStatus: 'BlockedByFailedLoad' } },
    'degraded',
  ],
  [
    'serving.kserve.io/v1beta1 InferenceService',
    { ...having(is('Ready', 'True')), modelStatus: { transitionStatus: 'InProgress' } },
    'progressing',
  ],
  [
    'serving.kserve.io/v1beta1 InferenceService',
    having(is('Ready', 'False', 'Stopped'), is('Stopped', 'True')),
    'suspended',
  ],
  [
    'operators.coreos.com/v1alpha1 Subscription',
    { state: 'AtLatestKnown', ...having(is('CatalogSourcesUnhealthy', 'True')) },
    'degraded',
  ],
  [
    'operators.coreos.com/v1alpha1 Subscription',
    { state: 'AtLatestKnown', ...having(is('ResolutionFailed', 'True')) },
    'failed',
  ],
  [
    'operators.coreos.com/v1alpha1 Subscription',
    { state: 'AtLatestKnown', ...having(is('InstallPlanPending', 'True')) },
    'progressing',
  ],
  ['projectcontour.io/v1 HTTPProxy', having(is('Valid', 'True')), 'ready'],
  ['projectcontour.io/v1 HTTPProxy', having(is('Valid', 'False', 'ErrorPresent')), 'failed'],
  ['projectcontour.io/v1 HTTPProxy', { currentStatus: 'NotReconciled' }, 'progressing'],
  [
    'projectcontour.io/v1 HTTPProxy',
    having({ ...is('Valid', 'True'), observedGeneration: 0 }),
    'progressing',
  ],
  [
    'addons.cluster.x-k8s.io/v1beta1 ClusterResourceSet',
    having(is('ResourcesApplied', 'False', 'RemoteClusterClientFailed')),
    'failed',
  ],
  ['coralogix.com/v1beta1 Alert', having(is('RemoteSynced', 'True')), 'ready'],
  ['capabilities.3scale.net/v1beta1 Product', having(is('Synced', 'True'), is('Invalid', 'True')), 'failed'],
  ['capabilities.3scale.net/v1beta1 Product', having(is('Synced', 'True'), is('Orphan', 'True')), 'degraded'],
  ['grafana.integreatly.org/v1beta1 GrafanaDashboard', having(is('DashboardSynchronized', 'True')), 'ready'],
  [
    'grafana.integreatly.org/v1beta1 GrafanaDashboard',
    having(is('DashboardSynchronized', 'False', 'ApplyFailed')),
    'failed',
  ],
  [
    'grafana.integreatly.org/v1beta1 GrafanaFolder',
    having(is('FolderSynchronized', 'True'), is('FolderUIDMismatch', 'True')),
    'degraded',
  ],
  ['gateway.solo.io/v1 RouteTable', { state: 1 }, 'ready'],
  ['gateway.solo.io/v1 RouteTable', { state: 2 }, 'failed'],
  [
    'gateway.solo.io/v1 RouteTable',
    { statuses: { a: { state: 'Accepted' }, b: { state: 'Rejected' } } },
    'failed',
  ],
];

const ancestor = (name: string, observedGeneration: number) => ({
  ancestorRef: { name },
  conditions: ['Accepted', 'ResolvedRefs'].map((type) => ({ ...is(type, 'True'), observedGeneration })),
});
const POLICIES: readonly Row[] = [
  [
    'gateway.networking.k8s.io/v1 BackendTLSPolicy',
    { ancestors: [ancestor('a', 1), ancestor('b', 1)] },
    'ready',
  ],
  [
    'gateway.networking.k8s.io/v1 BackendTLSPolicy',
    { ancestors: [ancestor('a', 1), ancestor('b', 0)] },
    'progressing',
  ],
];

/** Operators that are in no table. */
const STRANGER = 'stranger.example.com/v1 Thing';
const COMMON: readonly Row[] = [
  [
    STRANGER,
    having(is('Available', 'True'), is('Progressing', 'False', 'ProgressDeadlineExceeded')),
    'failed',
  ],
  [STRANGER, having(is('Available', 'True'), is('Progressing', 'Unknown')), 'progressing'],
  [STRANGER, having(is('Available', 'True'), is('Progressing', 'False', 'AsExpected')), 'ready'],
  [STRANGER, having(is('Complete', 'True', 'JobFailed')), 'failed'],
  [STRANGER, having(is('Complete', 'True', 'JobComplete')), 'ready'],
  [STRANGER, having(is('Ready', 'True', 'NoError')), 'ready'],
  [STRANGER, having(is('Ready', 'True'), is('Paused', 'True')), 'suspended'],
  [STRANGER, having(is('Ready', 'True'), is('Paused', 'False')), 'ready'],
  [STRANGER, having(is('Ready', 'True'), is('Disrupting', 'True')), 'progressing'],
  [STRANGER, having(is('Ready', 'True'), is('PartiallyReady', 'True')), 'degraded'],
  [STRANGER, having(is('NotReady', 'True')), 'progressing'],
  [STRANGER, having(is('Ready', 'True'), is('NotReady', 'True')), 'progressing'],
  [STRANGER, having(is('Ready', 'True'), is('Invalid', 'True')), 'failed'],
  [STRANGER, { ...having(is('Ready', 'True')), phase: 'Failed' }, 'unknown'],
  [STRANGER, { ...having(is('Ready', 'True')), state: 'error' }, 'unknown'],
  [STRANGER, { ...having(is('Ready', 'True')), phase: 'Updating' }, 'progressing'],
  [STRANGER, { ...having(is('Ready', 'True')), phase: 'Running' }, 'ready'],
  [STRANGER, { ...having(is('Ready', 'True')), readyReplicas: 2 }, 'progressing', { replicas: 3 }],
  [STRANGER, { ...having(is('Ready', 'True')), readyReplicas: 3 }, 'ready', { replicas: 3 }],
  [STRANGER, having(is('Succeeded', 'False', 'Cancelled')), 'failed'],
  [STRANGER, having(is('Succeeded', 'False', 'Running')), 'progressing'],
  [STRANGER, having(is('Succeeded', 'Unknown', 'Running')), 'progressing'],
  [STRANGER, having(is('Ready', 'False', undefined, 'Failed to reach the instance')), 'failed'],
  [STRANGER, having(is('Ready', 'False', 'Waiting', 'waits; the last try failed')), 'progressing'],
  [STRANGER, having(is('Ready', 'True'), is('HasErrors', 'True')), 'failed'],
  [STRANGER, having(is('Ready', 'True'), is('RollingUpdate', 'True')), 'progressing'],
  [STRANGER, having(is('Ready', 'True'), is('FetchFailed', 'True')), 'degraded'],
  [STRANGER, having(is('Ready', 'True'), is('FetchFailed', 'False')), 'ready'],
  [STRANGER, having(is('Ready', 'True'), is('NoErrors', 'True')), 'ready'],
  [
    'ceph.rook.io/v1 CephCluster',
    { ceph: { health: 'HEALTH_OK' }, ...having(is('Ready', 'False')) },
    'progressing',
  ],
  [STRANGER, { phase: 'Failed' }, 'unknown'],
  [STRANGER, { phase: 'Ready' }, 'unknown'],
  ['s3.services.k8s.aws/v1alpha1 Bucket', having(is('ACK.ResourceSynced', 'True')), 'ready'],
  [
    's3.services.k8s.aws/v1alpha1 Bucket',
    having(is('ACK.ResourceSynced', 'True'), is('ACK.Terminal', 'True')),
    'failed',
  ],
  ['s3.services.k8s.aws/v1alpha1 Bucket', having(is('ACK.ResourceSynced', 'False')), 'progressing'],
  [
    'karpenter.sh/v1 NodeClaim',
    having(is('Ready', 'True'), is('Disrupting', 'True', 'Expired')),
    'progressing',
  ],
  ['tekton.dev/v1 PipelineRun', having(is('Succeeded', 'False', 'PipelineRunTimeout')), 'failed'],
];

const verdictOf = ([of, status, , spec]: Row) => {
  const [apiVersion, kind] = of.split(' ');
  const object = { apiVersion, kind, metadata: { name: 'a', generation: 1 }, spec, status };
  return judgeObject(object, NO_OBJECTS, Date.parse('2026-11-17T12:00:00Z')).verdict;
};

describe('objects of operators', () => {
  it.each(
    [...WORDS, ...OWN, ...POLICIES, ...COMMON].map((row) => [row[0], JSON.stringify(row[1]), row] as const),
  )('%s %s', (_, __, row) => {
    expect(verdictOf(row)).toBe(row[2]);
  });

  it('have a word that is not in their table, and are unknown', () => {
    const strange = WORDS.filter(([, , expected]) => expected === 'ready').map((row) => {
      const status = JSON.stringify(row[1]).replace(/"([^"]+)"(?=\}|,)/g, '"a new word"');
      return [row[0], verdictOf([row[0], JSON.parse(status) as Fields, ''])];
    });
    expect(strange.filter(([, verdict]) => verdict === 'ready')).toEqual([]);
  });
});
