import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, listAt, type ObjectFields, textAt } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import { judgeByConditions } from './by-conditions.ts';
import { type Words, wordFamily } from './by-words.ts';
import type { CustomFamily } from './family.ts';

const COLOURS: Words = { ready: ['green'], degraded: ['yellow'], failed: ['red'], unknown: ['unknown'] };

/** Elastic counts its nodes over all sets; `health` alone may speak of fewer than are wanted. */
function nodesUnmet(object: ObjectFields): Ruling | null {
  const have = countAt(object, 'status.availableNodes');
  const want = listAt(object, 'spec.nodeSets').reduce((sum, set) => sum + (countAt(set, 'count') ?? 0), 0);
  return have !== null && have < want
    ? ruling('progressing', 'not_available', `${have} of ${want} nodes are available`, { have, want })
    : null;
}

/** A cluster that calls itself ready may have fewer members than it should. */
function fewerUnmet(object: ObjectFields, there: string, wanted: string): Ruling | null {
  const [have, want] = [countAt(object, there), countAt(object, wanted)];
  return have !== null && want !== null && have < want
    ? ruling('progressing', 'not_available', `${there} ${have}, ${wanted} ${want}`, { have, want })
    : null;
}

function expectedUnmet(object: ObjectFields): Ruling | null {
  const [have, want] = [countAt(object, 'status.availableNodes'), countAt(object, 'status.expectedNodes')];
  return have !== null && want !== null && have < want
    ? ruling('progressing', 'not_available', `${have} of ${want} nodes are available`, { have, want })
    : null;
}

function drivesUnmet(object: ObjectFields): Ruling | null {
  const offline = countAt(object, 'status.drivesOffline') ?? 0;
  return offline > 0 ? ruling('degraded', 'impaired', `${offline} drives are offline`) : null;
}

/** The version of the oldest node, or of the whole: an update is done when it is the one that is asked for. */
function versionUnmet(object: ObjectFields): Ruling | null {
  const [wanted, running] = ['spec.version', 'status.version'].map((path) => textAt(object, path));
  return wanted && running && wanted !== running
    ? ruling('progressing', 'updating', `version ${running}, ${wanted} wanted`)
    : null;
}

/** Each of its conditions says of a part that it is as it should be. */
function judgeMariaDb(object: ObjectFields): Ruling | null {
  const conditions = conditionsOf(object);
  if (conditions.get('Ready')?.status !== 'True') return null;
  const other = [...conditions.values()].find(
    ({ type, status }) => status !== 'True' && type !== 'Suspended',
  );
  if (other === undefined) return null;
  return other.reason === 'Failed'
    ? ruling('degraded', 'reconcile_failed', conditionFacts(other))
    : ruling('progressing', 'reconciling', conditionFacts(other));
}

const ELASTIC_KINDS = [
  ['agent.k8s.elastic.co', 'Agent'],
  ['apm.k8s.elastic.co', 'ApmServer'],
  ['beat.k8s.elastic.co', 'Beat'],
  ['enterprisesearch.k8s.elastic.co', 'EnterpriseSearch'],
  ['kibana.k8s.elastic.co', 'Kibana'],
  ['logstash.k8s.elastic.co', 'Logstash'],
  ['maps.k8s.elastic.co', 'ElasticMapsServer'],
] as const;

const PERCONA: Words = {
  ready: ['ready'],
  waits: ['initializing', 'stopping', 'unknown'],
  failed: ['error'],
  suspended: ['paused'],
};

/** Databases, queues and stores of files. */
export const DATABASES: readonly CustomFamily[] = [
  wordFamily({
    group: 'acid.zalan.do',
    kinds: ['postgresql'],
    words: {
      'status.PostgresClusterStatus': {
        ready: ['Running'],
        waits: ['Creating', 'Updating'],
        failed: ['CreateFailed', 'UpdateFailed', 'SyncFailed', 'AddFailed', 'Invalid'],
      },
    },
  }),
  wordFamily({
    group: 'elasticsearch.k8s.elastic.co',
    kinds: ['Elasticsearch'],
    words: {
      'status.phase': {
        ready: ['Ready'],
        waits: ['ApplyingChanges', 'MigratingData', 'Stalled'],
        failed: ['Invalid'],
      },
      'status.health': COLOURS,
    },
    unmet: (object) => nodesUnmet(object) ?? versionUnmet(object),
  }),
  ...ELASTIC_KINDS.map(([group, kind]) =>
    wordFamily({
      group,
      kinds: [kind],
      words: { 'status.health': COLOURS },
      unmet: (object) => expectedUnmet(object) ?? versionUnmet(object),
    }),
  ),
  ...['psmdb.percona.com', 'pxc.percona.com', 'ps.percona.com'].map((group) =>
    wordFamily({
      group,
      kinds: ['PerconaServerMongoDB', 'PerconaXtraDBCluster', 'PerconaServerMySQL'],
      words: { 'status.state': PERCONA },
      unmet: (object) => fewerUnmet(object, 'status.ready', 'status.size'),
    }),
  ),
  wordFamily({
    group: 'ceph.rook.io',
    kinds: ['CephCluster'],
    words: {
      'status.ceph.health': { ready: ['HEALTH_OK'], degraded: ['HEALTH_WARN'], failed: ['HEALTH_ERR'] },
    },
    besides: {
      'status.state': {
        ready: ['Created'],
        waits: ['Creating', 'Updating', 'Connecting', 'Connected'],
        failed: ['Error'],
      },
      'status.phase': {
        ready: ['Ready'],
        waits: ['Progressing', 'Connecting', 'Deleting'],
        failed: ['Failure'],
      },
    },
  }),
  wordFamily({
    group: 'ceph.rook.io',
    kinds: ['CephBlockPool', 'CephFilesystem', 'CephObjectStore', 'CephObjectStoreUser', 'CephNFS'],
    words: {
      'status.phase': {
        ready: ['Ready', 'Connected'],
        waits: ['Pending', 'Progressing', 'Connecting', 'Deleting'],
        failed: ['Failure', 'ReconcileFailed'],
      },
    },
    besides: {
      'status.bucketStatus.health': { ready: ['Connected'], failed: ['Failure'] },
      'status.mirroringStatus.summary.summary.health': {
        ready: ['OK'],
        degraded: ['WARNING', 'ERROR'],
        unknown: ['UNKNOWN'],
      },
    },
  }),
  wordFamily({
    group: 'longhorn.io',
    kinds: ['Volume'],
    words: {
      'status.robustness': {
        ready: ['healthy'],
        degraded: ['degraded'],
        failed: ['faulted'],
        unknown: ['unknown'],
      },
      'status.state': {
        ready: ['attached'],
        waits: ['creating', 'attaching', 'detaching', 'deleting'],
        unknown: ['detached'],
      },
    },
  }),
  wordFamily({
    group: 'minio.min.io',
    kinds: ['Tenant'],
    words: {
      'status.currentState': {
        ready: ['Initialized'],
        failed: [
          'Statefulset not controlled by operator',
          'Another MinIO Tenant already exists in the namespace',
          'Tenant credentials are not set properly',
          'Different versions across MinIO Pools',
          'Pool Decommissioning Not Allowed',
        ],
      },
    },
    besides: { 'status.healthStatus': COLOURS },
    unmet: drivesUnmet,
  }),
  wordFamily({
    group: 'objectbucket.io',
    kinds: ['ObjectBucketClaim', 'ObjectBucket'],
    words: {
      'status.phase': { ready: ['Bound'], waits: ['Pending', 'Released'], failed: ['Failed'] },
    },
  }),
  ...[
    ['clickhouse.altinity.com', 'ClickHouseInstallation'] as const,
    ['clickhouse-keeper.altinity.com', 'ClickHouseKeeperInstallation'] as const,
  ].map(([group, kind]) =>
    wordFamily({
      group,
      kinds: [kind],
      words: {
        'status.status': {
          ready: ['Completed'],
          waits: ['InProgress', 'Terminating'],
          failed: ['Failed', 'Aborted'],
        },
      },
    }),
  ),
  wordFamily({
    group: 'mongodbcommunity.mongodb.com',
    kinds: ['MongoDBCommunity'],
    words: { 'status.phase': { ready: ['Running'], waits: ['Pending'], failed: ['Failed'] } },
    unmet: (object) =>
      versionUnmet(object) ??
      fewerUnmet(object, 'status.currentStatefulSetReplicas', 'spec.members') ??
      fewerUnmet(object, 'status.currentMongoDBMembers', 'spec.members'),
  }),
  { group: 'k8s.mariadb.com', kinds: ['MariaDB', 'MaxScale'], judge: judgeMariaDb },
  wordFamily({
    group: 'platform.confluent.io',
    kinds: [
      'Connect',
      'ControlCenter',
      'Kafka',
      'KafkaRestProxy',
      'KsqlDB',
      'KRaftController',
      'SchemaRegistry',
      'Zookeeper',
    ],
    words: { 'status.phase': { ready: ['RUNNING'], waits: ['PROVISIONING', 'PENDING'], failed: ['ERROR'] } },
  }),
  wordFamily({
    group: 'trident.netapp.io',
    kinds: ['TridentOrchestrator'],
    words: {
      'status.status': {
        ready: ['Installed'],
        waits: ['Installing', 'Uninstalling', 'Uninstalled', 'Updating'],
        failed: ['Failed', 'Error'],
      },
    },
  }),
  wordFamily({
    group: 'trident.netapp.io',
    kinds: ['TridentBackendConfig'],
    words: {
      'status.lastOperationStatus': { ready: ['Success'], waits: ['Progressing'], failed: ['Failed'] },
      'status.phase': { ready: ['Bound'], waits: ['Deleting', 'Unbound'], failed: ['Lost', 'Failed'] },
    },
  }),
  {
    group: 'rabbitmq.com',
    kinds: ['RabbitmqCluster'],
    judge: (object) =>
      judgeByConditions(object, { proofs: ['AllReplicasReady', 'ClusterAvailable', 'ReconcileSuccess'] }),
  },
];
