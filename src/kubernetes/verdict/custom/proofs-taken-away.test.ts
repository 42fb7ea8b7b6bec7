import { describe, expect, it } from 'vitest';
import { judgeObject } from '../judge-object.ts';
import { NO_OBJECTS } from '../objects.ts';
import { namesHealth, namesTrouble } from './condition-names.ts';

type Fields = Readonly<Record<string, unknown>>;
type Row = readonly [of: string, status: Fields, expected: string, besides?: Fields];

const NOW = Date.parse('2026-11-17T12:00:00Z');
const is = (type: string, status: string, reason?: string) => ({ type, status, reason });
const having = (...conditions: readonly object[]) => ({ conditions });
const READY = is('Ready', 'True');
const annotated = (name: string, value: string) => ({
  metadata: { name: 'a', generation: 1, annotations: { [name]: value } },
});

const STRANGER = 'stranger.example.com/v1 Thing';
const STRANGERS: readonly Row[] = [
  ...[
    ...['ErrorOccurred', 'ErrorsFound', 'FailedToSync', 'SyncFailing', 'ClusterDegraded', 'NodeUnhealthy'],
    ...['OutOfSync', 'NotSynced', 'QuotaExceeded', 'ImageMissing', 'BackendUnreachable', 'UpgradeBlocked'],
    ...['example.com/error-occurred', 'configConflict', 'PartiallyInvalid', 'InsufficientCapacity'],
  ].map((type): Row => [STRANGER, having(READY, is(type, 'True')), 'degraded impaired']),
  ...[
    'NoErrors',
    'NotDegraded',
    'FailoverReady',
    'FailureDomainsReady',
    'ErrorsHandled',
    'Warning',
    'Notified',
  ].map((type): Row => [STRANGER, having(READY, is(type, 'True')), 'ready']),
  [STRANGER, having(READY, is('ErrorOccurred', 'False')), 'ready'],
  [STRANGER, having(is('ErrorOccurred', 'True')), 'degraded impaired'],
  [STRANGER, having(READY, is('EtcdClusterHealthy', 'False')), 'degraded impaired'],
  [STRANGER, having(READY, is('Responsive', 'False', 'WatchCircuitOpen')), 'degraded impaired'],
  [STRANGER, having(READY, is('AllReplicasReady', 'False')), 'progressing not_yet_ready'],
  [STRANGER, having(READY, is('EtcdClusterHealthy', 'Unknown')), 'ready'],
  [STRANGER, having(READY, is('Active', 'False', 'NoTraffic')), 'ready'],
  [STRANGER, having(is('Available', 'True'), is('Ready', 'False', 'Failed')), 'degraded reconcile_failed'],
  [
    STRANGER,
    { ...having(READY), updatedReplicas: 1 },
    'progressing not_available',
    { spec: { replicas: 2 } },
  ],
];

const BESIDE: readonly Row[] = [
  [
    STRANGER,
    { ...having(READY), unavailableReplicas: 1 },
    'progressing not_available',
    { spec: { replicas: 2 } },
  ],
  [STRANGER, { ...having(READY), phase: 'Paused' }, 'suspended paused'],
  [STRANGER, { ...having(READY), phase: 'Lost' }, 'unknown contradictory'],
  [STRANGER, { ...having(READY), phase: 'Unknown' }, 'unknown health_unknown'],
  [STRANGER, { ...having(READY), state: 'Restarting' }, 'progressing reconciling'],
  [STRANGER, { ...having(READY), ready: false }, 'progressing not_yet_ready'],
  [STRANGER, { ...having(READY), ready: true }, 'ready'],
  [STRANGER, { ...having(READY), errorMessage: 'no route' }, 'unknown contradictory'],
  [STRANGER, { ...having(READY), errorMessage: '' }, 'ready'],
  [STRANGER, { ...having(READY), observedGeneration: 7 }, 'unknown contradictory'],
  ['autoscaling.k8s.io/v1 VerticalPodAutoscaler', having(is('RecommendationProvided', 'True')), 'ready'],
  [
    'autoscaling.k8s.io/v1 VerticalPodAutoscaler',
    having(is('RecommendationProvided', 'False')),
    'progressing not_yet_ready',
  ],
  [
    'autoscaling.k8s.io/v1 VerticalPodAutoscaler',
    having(is('RecommendationProvided', 'True'), is('NoPodsMatched', 'True')),
    'degraded impaired',
  ],
  ['k8s.mariadb.com/v1alpha1 MariaDB', having(READY, is('Updated', 'True')), 'ready'],
  [
    'k8s.mariadb.com/v1alpha1 MariaDB',
    having(READY, is('Updated', 'False', 'PendingUpdate')),
    'progressing reconciling',
  ],
  [
    'k8s.mariadb.com/v1alpha1 MariaDB',
    having(READY, is('BackupRestored', 'False', 'Failed')),
    'degraded reconcile_failed',
  ],
  ['flagger.app/v1beta1 Canary', { phase: 'Failed' }, 'degraded rolled_back'],
  [
    'operators.coreos.com/v1alpha1 Subscription',
    { state: 'AtLatestKnown', installedCSV: 'a.v1', currentCSV: 'a.v2' },
    'progressing updating',
  ],
  ['minio.min.io/v2 Tenant', { currentState: 'Initialized', drivesOffline: 1 }, 'degraded impaired'],
  [
    'mongodbcommunity.mongodb.com/v1 MongoDBCommunity',
    { phase: 'Running', version: '6.0.5' },
    'progressing updating',
    { spec: { version: '7.0.0' } },
  ],
  [
    'v1 ResourceQuota',
    { hard: { pods: '10', cpu: '1' } },
    'ready',
    { spec: { hard: { pods: '10', cpu: '1000m' } } },
  ],
  [
    'v1 ResourceQuota',
    { hard: { pods: { toString: 1 } } },
    'progressing generation_behind',
    { spec: { hard: { pods: '20' } } },
  ],
  [
    'v1 ResourceQuota',
    { hard: { pods: '10' } },
    'progressing generation_behind',
    { spec: { hard: { pods: '20' } } },
  ],
  [
    'gateway.networking.k8s.io/v1 GatewayClass',
    having(is('Accepted', 'True'), is('SupportedVersion', 'False', 'UnsupportedVersion')),
    'degraded impaired',
  ],
  ['v1 ComponentStatus', {}, 'failed reconcile_failed', { conditions: [is('Healthy', 'False')] }],
  ['v1 ComponentStatus', {}, 'ready', { conditions: [is('Healthy', 'True')] }],
  ['v1 Event', {}, 'unknown only_reported'],
];

const NAMES: readonly Row[] = [
  ...['ReplacingNodes', 'OAuthServerProgressing', 'Restarting', 'BackupPending', 'RollingRestart'].map(
    (type): Row => [STRANGER, having(READY, is(type, 'True')), 'progressing reconciling'],
  ),
  ...[
    'ScalingActive',
    'UpdatingAllowed',
    'NothingPending',
    'ScalingLimited',
    'Running',
    'ProvisioningComplete',
  ].map((type): Row => [STRANGER, having(READY, is(type, 'True')), 'ready']),
  [STRANGER, having(READY, is('MachinesUpToDate', 'False')), 'progressing not_yet_ready'],
  [STRANGER, having(is('Ready', 'True', 'SomePodsNotReady')), 'degraded impaired'],
  [STRANGER, having(is('Ready', 'True', 'Pending')), 'progressing reconciling'],
  [STRANGER, having(is('Ready', 'True', 'NotDegraded')), 'ready'],
  ['trust.cert-manager.io/v1alpha1 Bundle', having(is('Synced', 'True')), 'ready'],
  [
    'trust.cert-manager.io/v1alpha1 Bundle',
    having(is('Synced', 'False', 'SourceNotFound')),
    'failed reconcile_failed',
  ],
];

const cert = (more: Fields): Fields => ({ ...having(READY), notAfter: '2027-11-17T00:00:00Z', ...more });
const made = (at: string) => ({ metadata: { name: 'a', generation: 1, creationTimestamp: at } });
const rollout = (more: Fields): Fields => ({
  ...{ phase: 'Healthy', observedGeneration: '1', replicas: 1, readyReplicas: 1, availableReplicas: 1 },
  ...more,
});
const CERT = 'cert-manager.io/v1 Certificate';
const SCHEDULE = 'velero.io/v1 Schedule';
const every = { spec: { schedule: '*/5 * * * *', schedules: ['*/5 * * * *'], replicas: 1 } };
const DENIED: readonly Row[] = [
  [
    'argoproj.io/v1alpha1 Workflow',
    { phase: 'Succeeded', ...having(is('ArtifactGCError', 'True')) },
    'degraded impaired',
  ],
  ['argoproj.io/v1alpha1 Workflow', { phase: 'Succeeded', ...having(is('Completed', 'True')) }, 'ready'],
  [
    'kafka.strimzi.io/v1beta2 Kafka',
    { ...having(READY), autoRebalance: { state: 'RebalanceOnScaleUp' } },
    'progressing reconciling',
  ],
  ['kafka.strimzi.io/v1beta2 Kafka', { ...having(READY), autoRebalance: { state: 'Idle' } }, 'ready'],
  [
    'kafka.strimzi.io/v1beta2 Kafka',
    { ...having(READY), kafkaMetadataState: 'KRaftMigration' },
    'progressing updating',
  ],
  [
    'ceph.rook.io/v1 CephObjectStore',
    { phase: 'Ready', bucketStatus: { health: 'Failure' } },
    'failed reconcile_failed',
  ],
  [
    'ceph.rook.io/v1 CephBlockPool',
    { phase: 'Ready', mirroringStatus: { summary: { summary: { health: 'ERROR' } } } },
    'degraded impaired',
  ],
  [
    'resource.k8s.io/v1 ResourceClaim',
    { allocation: {}, devices: [{ conditions: [is('Ready', 'False')] }] },
    'degraded impaired',
  ],
  [
    'cluster.x-k8s.io/v1beta1 Machine',
    { phase: 'Running', ...having(READY, is('NodeHealthy', 'Unknown')) },
    'unknown node_lost',
  ],
  [
    'argoproj.io/v1alpha1 Rollout',
    rollout({ availableReplicas: 0 }),
    'degraded not_available',
    { spec: { replicas: 1, paused: true } },
  ],
  ['argoproj.io/v1alpha1 Rollout', rollout({}), 'suspended paused', { spec: { replicas: 1, paused: true } }],
  [CERT, cert({ failedIssuanceAttempts: 2 }), 'degraded impaired'],
  [CERT, cert({ notBefore: '2027-01-01T00:00:00Z' }), 'progressing not_yet_ready'],
  [CERT, cert({ notBefore: '2026-01-01T00:00:00Z' }), 'ready'],
  [
    'argoproj.io/v1alpha1 Application',
    {
      health: { status: 'Healthy' },
      sync: { status: 'Synced' },
      resources: [{ kind: 'Deployment', name: 'web', health: { status: 'Degraded' } }],
    },
    'unknown contradictory',
  ],
  ['argoproj.io/v1alpha1 Rollout', rollout({ abort: true }), 'degraded rolled_back', every],
  ['argoproj.io/v1alpha1 Rollout', rollout({ updatedReplicas: 0 }), 'progressing updating', every],
  ['argoproj.io/v1alpha1 Rollout', rollout({ updatedReplicas: 1 }), 'ready', every],
  [
    'serving.knative.dev/v1 Service',
    { ...having(READY), latestCreatedRevisionName: 'a-2', latestReadyRevisionName: 'a-1' },
    'progressing updating',
  ],
  [
    'external-secrets.io/v1alpha1 PushSecret',
    having(is('Ready', 'True', 'Errored')),
    'failed reconcile_failed',
  ],
  [
    'external-secrets.io/v1 ClusterExternalSecret',
    { ...having(READY), failedNamespaces: [{ namespace: 'shop' }] },
    'degraded impaired',
  ],
  ['helm.toolkit.fluxcd.io/v2 HelmRelease', { ...having(READY), failures: 3 }, 'degraded impaired'],
  [
    'kafka.strimzi.io/v1beta2 Kafka',
    { ...having(READY), kafkaVersion: '3.8.0' },
    'progressing updating',
    { spec: { kafka: { version: '3.9.0' } } },
  ],
  [
    'kafka.strimzi.io/v1beta2 KafkaTopic',
    { ...having(READY), replicasChange: { state: 'ongoing' } },
    'progressing scaling',
  ],
  [
    'kafka.strimzi.io/v1beta2 KafkaConnect',
    { ...having(READY), replicas: 1 },
    'progressing not_available',
    { spec: { replicas: 3 } },
  ],
  [
    'postgresql.cnpg.io/v1 Cluster',
    {
      ...having(READY),
      ...{
        phase: 'Cluster in healthy state',
        instances: 1,
        readyInstances: 1,
        instancesStatus: { failed: ['a-2'] },
      },
    },
    'degraded impaired',
  ],
  [
    'monitoring.coreos.com/v1 Prometheus',
    {
      ...having(is('Available', 'True'), is('Reconciled', 'True')),
      shardStatuses: [{ shardID: '0', unavailableReplicas: 1 }],
    },
    'progressing not_available',
  ],
  ['velero.io/v1 Backup', { phase: 'Completed', errors: 2 }, 'degraded impaired'],
  [
    'velero.io/v1 BackupStorageLocation',
    { phase: 'Available', message: 'no such bucket' },
    'unknown contradictory',
  ],
  [SCHEDULE, { phase: 'Enabled' }, 'unknown never_ran', { ...every, ...made('2026-11-01T00:00:00Z') }],
  [SCHEDULE, { phase: 'Enabled', lastBackup: '2026-11-01T00:00:00Z' }, 'unknown schedule_missed', every],
  [SCHEDULE, { phase: 'Enabled', lastBackup: '2026-11-17T11:55:00Z' }, 'ready', every],
  [
    'argoproj.io/v1alpha1 CronWorkflow',
    { lastScheduledTime: '2026-11-01T00:00:00Z', succeeded: 3, failed: 0 },
    'unknown schedule_missed',
    every,
  ],
  [
    'ceph.rook.io/v1 CephCluster',
    { ceph: { health: 'HEALTH_OK' }, ...having(is('Progressing', 'True')) },
    'progressing reconciling',
  ],
];

const OPERATOR = 'config.openshift.io/v1 ClusterOperator';
const whole = [is('Available', 'True', 'AsExpected'), is('Progressing', 'False'), is('Degraded', 'False')];
const WHOLE: readonly Row[] = [
  [OPERATOR, having(...whole, is('ClusterTransferAvailable', 'False', 'Disconnected')), 'ready'],
  [OPERATOR, having(...whole.slice(0, 2), is('Degraded', 'True')), 'degraded impaired'],
  [OPERATOR, having(...whole.slice(0, 1), is('Progressing', 'True')), 'progressing reconciling'],
  ['karpenter.sh/v1 NodePool', having(READY, is('NodeRegistrationHealthy', 'Unknown')), 'ready'],
  ['karpenter.sh/v1 NodePool', having(READY, is('NodeRegistrationHealthy', 'False')), 'degraded impaired'],
  [
    'olm.operatorframework.io/v1 ClusterExtension',
    having(is('Installed', 'True', 'Succeeded'), is('Progressing', 'True', 'Succeeded')),
    'ready',
  ],
  [
    'olm.operatorframework.io/v1 ClusterExtension',
    having(is('Installed', 'True', 'Succeeded'), is('Progressing', 'True', 'Retrying')),
    'progressing reconciling',
  ],
  [STRANGER, having(READY, is('ScalingRulesValid', 'True')), 'ready'],
  [STRANGER, having(READY, is('RestartRequired', 'True')), 'ready'],
  [STRANGER, having(READY, is('InfrastructureReady', 'False')), 'progressing not_yet_ready'],
  ['camel.apache.org/v1 Integration', having(READY, is('KnativeServiceAvailable', 'False')), 'ready'],
  [
    'camel.apache.org/v1 Integration',
    having(is('Ready', 'False', 'DeploymentNotReady')),
    'progressing not_yet_ready',
  ],
];

const release = (ready: object, ...others: readonly object[]): Fields => having(ready, ...others);
const failedUpgrade = is('Released', 'False', 'UpgradeFailed');
const HELM = 'helm.toolkit.fluxcd.io/v2 HelmRelease';
const SOURCE = 'source.toolkit.fluxcd.io/v1 GitRepository';
const FLUX: readonly Row[] = [
  [HELM, release(READY, is('Released', 'True')), 'ready'],
  [HELM, release(READY, failedUpgrade), 'degraded reconcile_failed'],
  [
    HELM,
    release(
      is('Ready', 'False', 'RollbackSucceeded'),
      failedUpgrade,
      is('Remediated', 'True', 'RollbackSucceeded'),
    ),
    'degraded rolled_back',
  ],
  [
    HELM,
    release(READY, failedUpgrade, is('Remediated', 'True', 'RollbackSucceeded')),
    'degraded reconcile_failed',
  ],
  [
    HELM,
    release(is('Ready', 'False', 'UninstallSucceeded'), is('Remediated', 'True', 'UninstallSucceeded')),
    'failed reconcile_failed',
  ],
  [
    HELM,
    release(
      is('Ready', 'Unknown', 'Progressing'),
      is('Reconciling', 'True'),
      is('Remediated', 'True', 'RollbackSucceeded'),
    ),
    'progressing reconciling',
  ],
  [HELM, release(READY, is('TestSuccess', 'False', 'TestFailed')), 'degraded reconcile_failed'],
  [
    HELM,
    { ...release(READY), history: [{ status: 'failed' }, { status: 'superseded' }] },
    'degraded reconcile_failed',
  ],
  [HELM, { ...release(READY), history: [{ status: 'pending-upgrade' }] }, 'progressing reconciling'],
  [HELM, { ...release(READY), history: [{ status: 'deployed' }] }, 'ready'],
  [
    HELM,
    { ...release(READY), lastAttemptedRevision: '2.0.0', lastAppliedRevision: '1.0.0' },
    'progressing out_of_sync',
  ],
  [
    'kustomize.toolkit.fluxcd.io/v1 Kustomization',
    { ...having(READY), lastAttemptedRevision: 'main@b', lastAppliedRevision: 'main@a' },
    'progressing out_of_sync',
  ],
  [SOURCE, having(READY, is('ArtifactOutdated', 'True', 'NewRevision')), 'progressing reconciling'],
  [SOURCE, having(READY, is('ArtifactInStorage', 'False')), 'progressing not_yet_ready'],
  [SOURCE, having(READY, is('ArtifactInStorage', 'True')), 'ready'],
  [SOURCE, having(READY, is('FetchFailed', 'True')), 'degraded impaired'],
];

const CROSSPLANE: readonly Row[] = [
  [
    'pkg.crossplane.io/v1 Provider',
    having(is('Installed', 'True'), is('Healthy', 'True'), is('RuntimeHealthy', 'False')),
    'degraded impaired',
  ],
  [
    'example.org/v1 XBucket',
    having(READY, is('Synced', 'True'), is('Responsive', 'False')),
    'degraded impaired',
  ],
];

const SECRET = 'external-secrets.io/v1 ExternalSecret';
const SECRETS: readonly Row[] = [
  [SECRET, having(is('Ready', 'True', 'SecretSynced')), 'ready'],
  [SECRET, having(is('Ready', 'True', 'SecretDeleted')), 'degraded secret_missing'],
  [SECRET, having(is('Ready', 'True', 'SecretMissing')), 'degraded secret_missing'],
  [SECRET, having(is('Ready', 'True', 'SecretSynced'), is('Deleted', 'True')), 'degraded secret_missing'],
];

const PG = 'postgresql.cnpg.io/v1 Cluster';
const pg = (more: Fields, ...conditions: readonly object[]): Fields => ({
  phase: 'Cluster in healthy state',
  instances: 1,
  readyInstances: 1,
  ...more,
  ...having(READY, ...conditions),
});
const POSTGRES: readonly Row[] = [
  [PG, pg({ currentPrimary: 'a-1', targetPrimary: 'a-1' }), 'ready'],
  [PG, pg({ currentPrimary: 'a-1', targetPrimary: 'a-2' }), 'progressing reconciling'],
  [PG, pg({ currentPrimary: 'a-1', targetPrimary: 'pending' }), 'progressing reconciling'],
  [
    PG,
    pg({ currentPrimary: 'a-1', currentPrimaryFailingSinceTimestamp: '2026-11-17T11:00:00Z' }),
    'degraded impaired',
  ],
  [PG, pg({}, is('LastBackupSucceeded', 'False', 'LastBackupFailed')), 'degraded backup_failed'],
  [PG, pg({}, is('LastBackupSucceeded', 'True')), 'ready'],
  [PG, pg({}, is('ConsistentSystemID', 'False')), 'degraded impaired'],
  [PG, pg({}), 'degraded impaired', annotated('cnpg.io/fencedInstances', '["*"]')],
  [PG, pg({}), 'ready', annotated('cnpg.io/fencedInstances', '[]')],
  [PG, pg({ phase: 'Not enough disk space', readyInstances: 0 }), 'failed disk_full'],
  [PG, pg({ phase: 'Not enough disk space' }), 'degraded disk_full'],
  [PG, pg({ phase: 'Cluster is unrecoverable and needs manual intervention' }), 'failed reconcile_failed'],
  ['postgresql.cnpg.io/v1 ScheduledBackup', {}, 'suspended runs_suspended', { spec: { suspend: true } }],
  ['postgresql.cnpg.io/v1 ScheduledBackup', {}, 'progressing not_observed'],
  [
    'postgresql.cnpg.io/v1 ScheduledBackup',
    { lastScheduleTime: '2026-11-17T11:00:00Z' },
    'unknown health_unknown',
  ],
  ['postgresql.cnpg.io/v1 Database', { applied: true, observedGeneration: 1 }, 'ready'],
  [
    'postgresql.cnpg.io/v1 Database',
    { applied: true, observedGeneration: 0 },
    'progressing generation_behind',
  ],
  ['postgresql.cnpg.io/v1 Database', { applied: false, message: 'no' }, 'progressing generation_behind'],
  [
    'postgresql.cnpg.io/v1 Database',
    { applied: false, observedGeneration: 1, message: 'no' },
    'failed reconcile_failed',
  ],
];

const KCP = 'controlplane.cluster.x-k8s.io/v1beta1 KubeadmControlPlane';
const CHECK = 'cluster.x-k8s.io/v1beta1 MachineHealthCheck';
const MACHINES: readonly Row[] = [
  [KCP, { ...having(READY), version: 'v1.35.0' }, 'ready', { spec: { version: 'v1.35.0' } }],
  [KCP, { ...having(READY), version: 'v1.34.0' }, 'progressing updating', { spec: { version: 'v1.35.0' } }],
  [KCP, having(READY, is('EtcdClusterHealthy', 'False')), 'degraded impaired'],
  [KCP, having(READY, is('ControlPlaneComponentsHealthy', 'Unknown')), 'progressing not_yet_ready'],
  [CHECK, { expectedMachines: 3, currentHealthy: 3 }, 'ready'],
  [CHECK, { expectedMachines: 3, currentHealthy: 2 }, 'degraded impaired'],
  [
    CHECK,
    { expectedMachines: 3, currentHealthy: 3, ...having(is('RemediationAllowed', 'False')) },
    'degraded impaired',
  ],
  [CHECK, { expectedMachines: 3, currentHealthy: 3, observedGeneration: 0 }, 'progressing generation_behind'],
  [CHECK, {}, 'progressing not_observed'],
];

const CONNECTOR = 'kafka.strimzi.io/v1beta2 KafkaConnector';
const connector = (state: string, ...tasks: readonly string[]): Fields => ({
  ...having(READY),
  connectorStatus: { connector: { state }, tasks: tasks.map((its, id) => ({ id, state: its })) },
});
const REBALANCE = 'kafka.strimzi.io/v1beta2 KafkaRebalance';
const SET = 'core.strimzi.io/v1beta2 StrimziPodSet';
const pods = { spec: { pods: [{}, {}] } };
const KAFKA: readonly Row[] = [
  [CONNECTOR, connector('RUNNING', 'RUNNING'), 'ready'],
  [CONNECTOR, connector('FAILED', 'RUNNING'), 'failed reconcile_failed'],
  [CONNECTOR, connector('RUNNING', 'RUNNING', 'FAILED'), 'degraded reconcile_failed'],
  [CONNECTOR, connector('RUNNING', 'FAILED', 'FAILED'), 'failed reconcile_failed'],
  [CONNECTOR, connector('RUNNING', 'RUNNING', 'UNASSIGNED'), 'progressing not_yet_ready'],
  [CONNECTOR, connector('UNASSIGNED'), 'progressing not_yet_ready'],
  [CONNECTOR, connector('PAUSED', 'PAUSED'), 'suspended paused'],
  [CONNECTOR, connector('DREAMING'), 'unknown unrecognised:DREAMING'],
  [CONNECTOR, { ...connector('FAILED'), observedGeneration: 0 }, 'progressing generation_behind'],
  [
    'kafka.strimzi.io/v1beta2 KafkaMirrorMaker2',
    {
      ...having(READY),
      connectors: [{ connector: { state: 'RUNNING' } }, { connector: { state: 'FAILED' } }],
    },
    'degraded reconcile_failed',
  ],
  [REBALANCE, having(is('PendingProposal', 'True')), 'progressing reconciling'],
  [REBALANCE, having(is('ProposalReady', 'True')), 'progressing approval_wanted'],
  [REBALANCE, having(is('Rebalancing', 'True')), 'progressing job_running'],
  [REBALANCE, having(is('Stopped', 'True')), 'suspended paused'],
  [REBALANCE, having(is('NotReady', 'True', 'InvalidResourceException')), 'failed reconcile_failed'],
  [REBALANCE, having(READY), 'ready'],
  [REBALANCE, having(READY, is('Rebalancing', 'True')), 'unknown contradictory'],
  [REBALANCE, { ...having(READY), observedGeneration: 0 }, 'progressing generation_behind'],
  [REBALANCE, {}, 'unknown no_conditions'],
  [SET, { pods: 2, readyPods: 2, currentPods: 2, observedGeneration: 1 }, 'ready', pods],
  [SET, { pods: 2, readyPods: 1, currentPods: 2 }, 'progressing not_available', pods],
  [SET, { pods: 2, readyPods: 2, currentPods: 1 }, 'progressing updating', pods],
  [SET, { pods: 3, readyPods: 3, currentPods: 3 }, 'progressing scaling', pods],
  [SET, { pods: 0, readyPods: 0, currentPods: 0 }, 'stopped scaled_to_zero', { spec: { pods: [] } }],
  [SET, { pods: 2, readyPods: 2 }, 'progressing not_observed', pods],
];

const PROMETHEUS = 'monitoring.coreos.com/v1 Prometheus';
const monitoring = (more: Fields): Fields => ({
  ...having(is('Available', 'True'), is('Reconciled', 'True')),
  ...more,
});
const MONITORING: readonly Row[] = [
  [
    PROMETHEUS,
    monitoring({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),
    'ready',
    { spec: { replicas: 2 } },
  ],
  [
    PROMETHEUS,
    monitoring({ replicas: 2, updatedReplicas: 1, availableReplicas: 2 }),
    'progressing updating',
    { spec: { replicas: 2 } },
  ],
  [
    PROMETHEUS,
    monitoring({ replicas: 2, updatedReplicas: 2, availableReplicas: 2 }),
    'progressing updating',
    { spec: { replicas: 2, shards: 2 } },
  ],
  [
    PROMETHEUS,
    monitoring({ replicas: 2, updatedReplicas: 2, availableReplicas: 1, unavailableReplicas: 1 }),
    'progressing not_available',
    { spec: { replicas: 2 } },
  ],
  [
    PROMETHEUS,
    monitoring({ replicas: 0, updatedReplicas: 0 }),
    'stopped scaled_to_zero',
    { spec: { replicas: 0 } },
  ],
  [
    'monitoring.coreos.com/v1 ThanosRuler',
    {
      ...having(is('Available', 'True'), is('Reconciled', 'False', 'ReconciliationFailed')),
      ...{ replicas: 2, updatedReplicas: 2, availableReplicas: 2 },
    },
    'degraded reconcile_failed',
    { spec: { replicas: 2 } },
  ],
];

const verdictOf = ([of, status, , besides]: Row) => {
  const [apiVersion, kind] = of.split(' ');
  const object = { apiVersion, kind, metadata: { name: 'a', generation: 1 }, ...besides, status };
  const { verdict, reason } = judgeObject(object, NO_OBJECTS, NOW);
  return reason === null ? verdict : `${verdict} ${reason}`;
};

const ROWS = [
  ...[
    ...STRANGERS,
    ...WHOLE,
    ...DENIED,
    ...NAMES,
    ...BESIDE,
    ...FLUX,
    ...CROSSPLANE,
    ...SECRETS,
    ...POSTGRES,
    ...MACHINES,
    ...KAFKA,
    ...MONITORING,
  ],
];

describe('what a status says beside its proof', () => {
  it.each(ROWS.map((row) => [row[0], JSON.stringify(row[1]), row[2], row] as const))(
    '%s %s: %s',
    (_, __, expected, row) => {
      expect(verdictOf(row)).toBe(expected);
    },
  );
});

describe('the name of a condition', () => {
  it('says trouble, health or neither', () => {
    const names = [
      'Ready',
      'NotReady',
      'Unhealthy',
      'RevisionHealthy',
      'Healthy',
      'Invalid',
      'Valid',
      'Scheduled',
    ];
    expect(names.map((name) => [name, namesTrouble(name), namesHealth(name)])).toEqual([
      ['Ready', false, true],
      ['NotReady', true, false],
      ['Unhealthy', true, false],
      ['RevisionHealthy', false, true],
      ['Healthy', false, true],
      ['Invalid', true, false],
      ['Valid', false, true],
      ['Scheduled', false, false],
    ]);
  });
});
