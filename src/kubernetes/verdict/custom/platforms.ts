import { conditionFacts, conditionsIn, conditionsOf } from '../conditions.ts';
import { countAt, fieldsAt, isFields, listAt, type ObjectFields, own, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import { judgeByConditions } from './by-conditions.ts';
import { type Words, wordFamily } from './by-words.ts';
import type { CustomFamily } from './family.ts';
import { observedUnmet, phaseUnmet } from './reading.ts';

/** Every router says for itself whether it admits a route. */
function judgeOpenShiftRoute(object: ObjectFields): Ruling {
  const routers = listAt(object, 'status.ingress').map((ingress) => ({
    name: textAt(ingress, 'routerName') ?? '',
    admitted: conditionsIn(listAt(ingress, 'conditions')).get('Admitted'),
  }));
  return climb(
    [
      () =>
        routers.length === 0 ? ruling('progressing', 'route_pending', 'no router has taken it up') : null,
      ...routers.map(({ name, admitted }) => () => {
        if (admitted?.status === 'True') return null;
        if (admitted?.status === 'False')
          return ruling('failed', 'route_not_accepted', `router ${name}: ${conditionFacts(admitted)}`);
        return ruling('progressing', 'route_pending', `router ${name} has not admitted it`);
      }),
    ],
    ready('admitted'),
  );
}

/** Available speaks of the pods that are there; Progressing says whether they are those of the newest version. */
function judgeDeploymentConfig(object: ObjectFields): Ruling {
  return countAt(object, 'spec.replicas') === 0 && countAt(object, 'status.replicas') === 0
    ? (observedUnmet(object) ?? ruling('stopped', 'scaled_to_zero', '0 replicas wanted, none observed'))
    : judgeByConditions(object, { proofs: ['Available', 'Progressing'] });
}

/** The phase of a virtual machine is a word for people; Ready stays as it was while it is stopped on purpose. */
function judgeMachine(object: ObjectFields): Ruling | null {
  const wantsNone =
    own(fieldsAt(object, 'spec'), 'running') === false || textAt(object, 'spec.runStrategy') === 'Halted';
  const word = textAt(object, 'status.printableStatus');
  if (wantsNone && word === 'Stopped') return ruling('stopped', 'scaled_to_zero', 'it is stopped, as asked');
  return word !== null && MACHINE_FAILURES.has(word)
    ? (observedUnmet(object) ?? ruling('failed', 'reconcile_failed', `status.printableStatus ${word}`))
    : null;
}

const MACHINE_FAILURES: ReadonlySet<string> = new Set([
  'CrashLoopBackOff',
  'DataVolumeError',
  'ErrImagePull',
  'ErrorDataVolumeNotFound',
  'ErrorPvcNotFound',
  'ErrorUnschedulable',
  'ImagePullBackOff',
]);

/** A model may be served by an older version while the newest cannot be loaded. */
function judgeInference(object: ObjectFields): Ruling | null {
  const stopped = conditionsOf(object).get('Stopped');
  if (stopped?.status === 'True') return ruling('suspended', 'paused', conditionFacts(stopped));
  const word = textAt(object, 'status.modelStatus.transitionStatus');
  if (word === null || word === 'UpToDate') return null;
  return word === 'InProgress'
    ? ruling('progressing', 'updating', `transitionStatus ${word}`)
    : ruling('degraded', 'impaired', `transitionStatus ${word}`);
}

const GLOO: Words = {
  ready: ['Accepted'],
  waits: ['Pending'],
  degraded: ['Warning'],
  failed: ['Rejected'],
};
const GLOO_NUMBERS = ['Pending', 'Accepted', 'Rejected', 'Warning'];

/** Gloo writes its word once for each namespace that it watches; older versions write it once, as a number. */
function judgeGloo(object: ObjectFields): Ruling | null {
  const status = fieldsAt(object, 'status');
  const several = Object.values(fieldsAt(object, 'status.statuses')).filter(isFields);
  const words = (several.length > 0 ? several : [status])
    .map((one) => own(one, 'state'))
    .map((state) => (typeof state === 'number' ? GLOO_NUMBERS[state] : state));
  if (words.length === 0 || words.some((word) => typeof word !== 'string')) return null;
  return words
    .map((state) => GLOO_WORD.judge({ status: { state } }, 0))
    .reduce((worst, one) => (worst?.verdict === 'ready' ? one : worst));
}

const GLOO_WORD = wordFamily({ group: 'gloo.solo.io', kinds: [], words: { 'status.state': GLOO } });

/** The install plan and the catalogues say why a subscription does not come to its newest version. */
function judgeSubscription(object: ObjectFields): Ruling {
  const conditions = conditionsOf(object);
  const of = (type: string) => {
    const condition = conditions.get(type);
    return condition?.status === 'True' ? condition : undefined;
  };
  const [failed, unhealthy] = [
    of('InstallPlanFailed') ?? of('ResolutionFailed'),
    of('CatalogSourcesUnhealthy'),
  ];
  const pending = of('InstallPlanPending');
  const [installed, current] = ['status.installedCSV', 'status.currentCSV'].map((path) =>
    textAt(object, path),
  );
  return climb(
    [
      () => (failed === undefined ? null : ruling('failed', 'reconcile_failed', conditionFacts(failed))),
      () => (unhealthy === undefined ? null : ruling('degraded', 'impaired', conditionFacts(unhealthy))),
      () => (pending === undefined ? null : ruling('progressing', 'reconciling', conditionFacts(pending))),
      () =>
        phaseUnmet(object, 'status.state', {
          AtLatestKnown: 'met',
          UpgradeAvailable: ['progressing', 'updating'],
          UpgradePending: ['progressing', 'updating'],
          UpgradeFailed: ['failed', 'reconcile_failed'],
        }),
      () =>
        installed && current && installed !== current
          ? ruling('progressing', 'updating', `${installed} is installed, ${current} is current`)
          : null,
    ],
    ready('AtLatestKnown'),
  );
}

/** A domain for which the certificate cannot be had, while it is active for the others. */
function domainUnmet(object: ObjectFields): Ruling | null {
  const other = listAt(object, 'status.domainStatus').find((domain) => textAt(domain, 'status') !== 'Active');
  if (other === undefined) return null;
  const word = textAt(other, 'status') ?? 'missing';
  const facts = `domain ${textAt(other, 'domain') ?? ''}: ${word}`;
  return word.startsWith('Failed')
    ? ruling('degraded', 'impaired', facts)
    : ruling('progressing', 'reconciling', facts);
}

const byTypes = (
  group: string,
  kinds: readonly string[],
  proofs: readonly string[],
  denials: readonly string[] = [],
): CustomFamily => ({ group, kinds, judge: (object) => judgeByConditions(object, { proofs, denials }) });

const GRAFANA = ['NoMatchingInstance', 'FolderUIDMismatch', 'InvalidSpec', 'NoMatchingFolder'];
const GRAFANA_KINDS = [
  ['GrafanaDashboard', 'DashboardSynchronized'],
  ['GrafanaDatasource', 'DatasourceSynchronized'],
  ['GrafanaFolder', 'FolderSynchronized'],
  ['GrafanaAlertRuleGroup', 'AlertGroupSynchronized'],
  ['GrafanaContactPoint', 'ContactPointSynchronized'],
] as const;

const HUMIO: Words = {
  ready: ['Exists'],
  waits: ['NotFound'],
  failed: ['ConfigError'],
  unknown: ['Unknown'],
};

/** Platforms, gateways and tools that say it in a way of their own. */
export const PLATFORMS: readonly CustomFamily[] = [
  { group: 'route.openshift.io', kinds: ['Route'], judge: judgeOpenShiftRoute },
  { group: 'apps.openshift.io', kinds: ['DeploymentConfig'], judge: judgeDeploymentConfig },
  byTypes('operator.openshift.io', ['IngressController'], ['Available', 'DeploymentReplicasAllAvailable']),
  { group: 'kubevirt.io', kinds: ['VirtualMachine'], judge: judgeMachine },
  { group: 'serving.kserve.io', kinds: ['InferenceService'], judge: judgeInference },
  { group: 'operators.coreos.com', kinds: ['Subscription'], judge: judgeSubscription },
  wordFamily({
    group: 'operators.coreos.com',
    kinds: ['ClusterServiceVersion'],
    words: {
      'status.phase': {
        ready: ['Succeeded'],
        waits: ['Pending', 'InstallReady', 'Installing', 'Replacing', 'Deleting'],
        failed: ['Failed'],
        unknown: ['Unknown'],
      },
    },
  }),
  wordFamily({
    group: 'operators.coreos.com',
    kinds: ['InstallPlan'],
    words: {
      'status.phase': {
        ready: ['Complete'],
        waits: ['Planning', 'RequiresApproval', 'Installing'],
        failed: ['Failed'],
      },
    },
    endsAs: 'ended',
  }),
  byTypes(
    'autoscaling.k8s.io',
    ['VerticalPodAutoscaler'],
    ['RecommendationProvided'],
    ['NoPodsMatched', 'ConfigUnsupported'],
  ),
  byTypes('olm.operatorframework.io', ['ClusterExtension'], ['Installed']),
  byTypes('olm.operatorframework.io', ['ClusterCatalog'], ['Serving']),
  {
    group: 'config.openshift.io',
    kinds: ['ClusterOperator'],
    judge: (object) => judgeByConditions(object, { proofs: ['Available'], isClosed: true }),
  },
  // Its other conditions say by which of several ways it runs: all but one of them are False.
  {
    group: 'camel.apache.org',
    kinds: ['Integration', 'IntegrationKit', 'IntegrationPlatform', 'KameletBinding', 'Pipe'],
    judge: (object) => judgeByConditions(object, { proofs: ['Ready'], isClosed: true }),
  },
  byTypes('cilium.io', ['CiliumClusterwideNetworkPolicy', 'CiliumNetworkPolicy'], ['Valid']),
  byTypes('configuration.konghq.com', ['KongConsumer', 'KongPlugin', 'KongClusterPlugin'], ['Programmed']),
  byTypes('kueue.x-k8s.io', ['AdmissionCheck', 'ClusterQueue', 'LocalQueue'], ['Active']),
  byTypes('trust.cert-manager.io', ['Bundle'], ['Synced']),
  byTypes('projectcontour.io', ['ExtensionService', 'HTTPProxy'], ['Valid']),
  byTypes('addons.cluster.x-k8s.io', ['ClusterResourceSet'], ['ResourcesApplied']),
  byTypes('coralogix.com', ['Alert', 'RecordingRuleGroupSet', 'RuleGroup'], ['RemoteSynced']),
  byTypes('datadoghq.com', ['DatadogMetric'], ['Valid']),
  byTypes('kiali.io', ['Kiali'], ['Successful']),
  byTypes('capabilities.3scale.net', ['Backend', 'Product'], ['Synced'], ['Orphan']),
  ...GRAFANA_KINDS.map(([kind, proof]) => byTypes('grafana.integreatly.org', [kind], [proof], GRAFANA)),
  wordFamily({
    group: 'grafana.integreatly.org',
    kinds: ['Grafana'],
    words: {
      'status.stageStatus': { ready: ['success'], waits: ['in progress', 'reconciling'], failed: ['failed'] },
      'status.stage': {
        ready: ['complete'],
        waits: [
          'admin user',
          'config',
          'deployment',
          'ingress',
          'persistent volume',
          'plugins',
          'service',
          'service account',
        ],
      },
    },
  }),
  wordFamily({
    group: 'install.istio.io',
    kinds: ['IstioOperator'],
    words: {
      'status.status': {
        ready: ['HEALTHY'],
        waits: ['UPDATING', 'RECONCILING', 'NONE'],
        failed: ['ERROR', 'ACTION_REQUIRED'],
      },
    },
  }),
  wordFamily({
    group: 'jaegertracing.io',
    kinds: ['Jaeger'],
    words: { 'status.phase': { ready: ['Running'], failed: ['Failed'] } },
  }),
  wordFamily({
    group: 'networking.gke.io',
    kinds: ['ManagedCertificate'],
    words: {
      'status.certificateStatus': {
        ready: ['Active'],
        waits: ['Provisioning', 'Renewing'],
        failed: ['FailedNotVisible', 'ProvisioningFailed', 'ProvisioningFailedPermanently', 'RenewalFailed'],
      },
    },
    unmet: domainUnmet,
  }),
  wordFamily({
    group: 'operator.victoriametrics.com',
    kinds: [
      'VLogs',
      'VLSingle',
      'VMAgent',
      'VMAlert',
      'VMAlertmanager',
      'VMAuth',
      'VMCluster',
      'VMSingle',
      'VMUser',
    ],
    words: {
      'status.updateStatus': {
        ready: ['operational'],
        waits: ['expanding'],
        failed: ['failed'],
        suspended: ['paused'],
      },
    },
  }),
  wordFamily({
    group: 'policy.open-cluster-management.io',
    kinds: ['CertificatePolicy', 'Policy'],
    words: { 'status.compliant': { ready: ['Compliant'], waits: ['Pending'], degraded: ['NonCompliant'] } },
  }),
  wordFamily({
    group: 'core.humio.com',
    kinds: ['HumioAction', 'HumioAlert', 'HumioIngestToken', 'HumioParser', 'HumioRepository', 'HumioView'],
    words: { 'status.state': HUMIO },
  }),
  wordFamily({
    group: 'core.humio.com',
    kinds: ['HumioCluster'],
    words: {
      'status.state': {
        ready: ['Running'],
        waits: ['Restarting', 'Upgrading', 'Pending'],
        failed: ['ConfigError'],
      },
    },
  }),
  {
    group: 'gateway.solo.io',
    kinds: [
      'Gateway',
      'MatchableHttpGateway',
      'RouteOption',
      'RouteTable',
      'VirtualHostOption',
      'VirtualService',
    ],
    judge: judgeGloo,
  },
  { group: 'gloo.solo.io', kinds: ['Proxy', 'Settings', 'Upstream', 'UpstreamGroup'], judge: judgeGloo },
];
