import { describe, expect, it } from 'vitest';
import { DEFECT, judgeObject } from '../judge-object.ts';
import { NO_OBJECTS } from '../objects.ts';
import { FAMILIES } from './families.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');

type Fields = Readonly<Record<string, unknown>>;
/** Changes of a ready object: a path and its new value; undefined removes the field. */
type Case = readonly [title: string, changes: Fields, expected: string];
interface Example {
  readonly apiVersion: string;
  readonly kind: string;
  readonly ready: Fields;
  /** Fields of the status without which it is still ready: they only take a proof away. */
  readonly notNeeded?: RegExp;
  readonly cases: readonly Case[];
}

const GONE = undefined;
const is = (type: string, status: string, reason?: string, more: object = {}) => ({
  type,
  status,
  ...(reason === undefined ? {} : { reason }),
  ...more,
});
const conditions = (...list: readonly object[]) => ({ 'status.conditions': list });
const annotated = (name: string, value: unknown) => ({ 'metadata.annotations': { [name]: value } });
const READY = is('Ready', 'True');
const source = { repoURL: 'https://git.example.com/shop', path: 'web', targetRevision: 'main' };

const EXAMPLES: readonly Example[] = [
  {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'CloneSet',
    ready: {
      spec: { replicas: 2 },
      status: {
        observedGeneration: 2,
        replicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        updatedReplicas: 2,
      },
    },
    cases: [
      ['has one ready', { 'status.readyReplicas': 1 }, 'progressing not_available'],
      ['has one available', { 'status.availableReplicas': 1 }, 'progressing not_available'],
      ['updates', { 'status.updatedReplicas': 1 }, 'progressing updating'],
      ['has an old one too', { 'status.replicas': 3 }, 'progressing scaling'],
      ['is paused', { 'spec.updateStrategy': { paused: true } }, 'suspended paused'],
      ['wants none', { spec: { replicas: 0 }, status: { observedGeneration: 2 } }, 'stopped scaled_to_zero'],
      ['holds one back', { 'status.updatedReplicas': 1, 'spec.updateStrategy': { partition: 1 } }, 'ready'],
      [
        'holds a share back that nothing resolves',
        { 'status.updatedReplicas': 1, 'spec.updateStrategy': { partition: '50%' } },
        'unknown unreadable',
      ],
      [
        'holds a share back',
        {
          'status.updatedReplicas': 1,
          'status.expectedUpdatedReplicas': 1,
          'spec.updateStrategy': { partition: '50%' },
        },
        'ready',
      ],
    ],
  },
  {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'StatefulSet',
    ready: {
      spec: { replicas: 2 },
      status: {
        observedGeneration: 2,
        replicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        updatedReplicas: 2,
      },
    },
    cases: [
      ['updates', { 'status.updatedReplicas': 1 }, 'progressing updating'],
      ['is paused', { 'spec.updateStrategy': { rollingUpdate: { paused: true } } }, 'suspended paused'],
    ],
  },
  {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'DaemonSet',
    ready: {
      status: {
        observedGeneration: 2,
        desiredNumberScheduled: 3,
        currentNumberScheduled: 3,
        numberReady: 3,
        numberAvailable: 3,
        updatedNumberScheduled: 3,
      },
    },
    cases: [
      ['has two ready', { 'status.numberReady': 2 }, 'progressing not_available'],
      ['updates', { 'status.updatedNumberScheduled': 2 }, 'progressing updating'],
    ],
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    ready: {
      spec: { source },
      status: {
        health: { status: 'Healthy' },
        sync: { status: 'Synced', revision: 'abc', comparedTo: { source: { ...source } } },
        operationState: { phase: 'Succeeded', syncResult: { revision: 'abc' } },
      },
    },
    notNeeded: /operationState|comparedTo|revision/,
    cases: [
      ['has no status', { status: GONE }, 'progressing not_observed'],
      ['progresses', { 'status.health.status': 'Progressing' }, 'progressing reconciling'],
      ['is degraded', { 'status.health.status': 'Degraded' }, 'degraded impaired'],
      ['misses objects', { 'status.health.status': 'Missing' }, 'progressing not_yet_ready'],
      ['is suspended', { 'status.health.status': 'Suspended' }, 'suspended paused'],
      ['does not know', { 'status.health.status': 'Unknown' }, 'unknown health_unknown'],
      ['has a new word', { 'status.health.status': 'Splendid' }, 'unknown unrecognised:Splendid'],
      [
        'works, and is not what is asked for',
        { 'status.sync.status': 'OutOfSync' },
        'progressing out_of_sync',
      ],
      ['cannot be compared', { 'status.sync.status': 'Unknown' }, 'unknown health_unknown'],
      ['has no comparison', { 'status.sync': GONE }, 'progressing not_observed'],
      ['is being synced', { 'status.operationState.phase': 'Running' }, 'progressing reconciling'],
      ['failed to sync', { 'status.operationState.phase': 'Failed' }, 'failed reconcile_failed'],
      [
        'failed to sync an older revision',
        { 'status.operationState': { phase: 'Failed', syncResult: { revision: 'old' } } },
        'ready',
      ],
      [
        'has another source now (F70)',
        { 'spec.source.targetRevision': 'v2' },
        'progressing generation_behind',
      ],
      [
        'has an invalid spec',
        conditions({ type: 'InvalidSpecError', message: 'no' }),
        'failed reconcile_failed',
      ],
      ['cannot read its source', conditions({ type: 'ComparisonError' }), 'unknown health_unknown'],
      ['has a warning', conditions({ type: 'OrphanedResourceWarning' }), 'ready'],
      ['is about to be synced', { operation: { sync: {} } }, 'progressing reconciling'],
      [
        'has several sources',
        {
          spec: { sources: [source, { ...source, path: 'db' }] },
          'status.sync.comparedTo': {
            source: { repoURL: '' },
            sources: [{ ...source }, { ...source, path: 'db' }],
          },
        },
        'ready',
      ],
      ['takes its source from a hydrator', { spec: { sourceHydrator: {} } }, 'ready'],
    ],
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    ready: { status: { conditions: [is('ErrorOccurred', 'False'), is('ResourcesUpToDate', 'True')] } },
    notNeeded: /conditions\.0/,
    cases: [
      ['has no status', { status: GONE }, 'progressing not_observed'],
      [
        'has an error',
        conditions(is('ErrorOccurred', 'True'), is('ResourcesUpToDate', 'True')),
        'failed reconcile_failed',
      ],
      ['is not current', conditions(is('ResourcesUpToDate', 'False')), 'progressing out_of_sync'],
      [
        'rolls out',
        conditions(is('ResourcesUpToDate', 'True'), is('RolloutProgressing', 'True')),
        'progressing reconciling',
      ],
    ],
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    ready: {
      spec: { replicas: 2 },
      status: {
        observedGeneration: '2',
        phase: 'Healthy',
        replicas: 2,
        readyReplicas: 2,
        availableReplicas: 2,
        conditions: [is('Available', 'True')],
      },
    },
    notNeeded: /readyReplicas|^status\.replicas|conditions/,
    cases: [
      ['has no status', { status: GONE }, 'progressing generation_behind'],
      [
        'was observed before its change',
        { 'status.observedGeneration': '1' },
        'progressing generation_behind',
      ],
      ['was observed after its newest change', { 'status.observedGeneration': '3' }, 'unknown contradictory'],
      [
        'was observed before the change of its workload',
        {
          'spec.workloadRef': { kind: 'Deployment', name: 'web' },
          ...annotated('rollout.argoproj.io/workload-generation', '4'),
          'status.workloadObservedGeneration': '3',
        },
        'progressing generation_behind',
      ],
      ['has a hash for a generation', { 'status.observedGeneration': '5d8f9c' }, 'unknown unreadable'],
      ['rolls out', { 'status.phase': 'Progressing' }, 'progressing updating'],
      ['is degraded', { 'status.phase': 'Degraded' }, 'degraded impaired'],
      [
        'passed its deadline',
        { 'status.phase': 'Degraded', ...conditions(is('Progressing', 'False', 'ProgressDeadlineExceeded')) },
        'degraded progress_deadline',
      ],
      ['is invalid', conditions(is('InvalidSpec', 'True')), 'failed reconcile_failed'],
      ['is paused', { 'spec.paused': true }, 'suspended paused'],
      ['waits for somebody', { 'status.phase': 'Paused' }, 'suspended paused'],
      [
        'waits for a time',
        {
          'status.phase': 'Paused',
          'status.currentStepIndex': 1,
          'spec.strategy': { canary: { steps: [{ setWeight: 20 }, { pause: { duration: '1h' } }] } },
        },
        'progressing updating',
      ],
      ['lacks a copy', { 'status.availableReplicas': 1 }, 'progressing not_available'],
      [
        'is scaled to zero',
        { 'spec.replicas': 0, 'status.replicas': 0, 'status.availableReplicas': GONE },
        'stopped scaled_to_zero',
      ],
    ],
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    ready: { status: { phase: 'Succeeded', conditions: [is('Completed', 'True')] } },
    notNeeded: /conditions/,
    cases: [
      ['has no status', { status: GONE }, 'progressing not_observed'],
      ['waits', { 'status.phase': 'Pending' }, 'progressing job_waiting'],
      ['runs', { 'status.phase': 'Running' }, 'progressing job_running'],
      ['is completed and failed', { 'status.phase': 'Failed' }, 'failed job_failed'],
      ['is completed with an error', { 'status.phase': 'Error' }, 'failed job_failed'],
      ['is suspended', { 'spec.suspend': true, 'status.phase': 'Running' }, 'suspended paused'],
      ['failed while suspended', { 'spec.suspend': true, 'status.phase': 'Failed' }, 'failed job_failed'],
    ],
  },
  {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'CronWorkflow',
    ready: { status: { lastScheduledTime: '2026-11-17T11:00:00Z', succeeded: 3, failed: 0 } },
    notNeeded: /failed/,
    cases: [
      ['has no status', { status: GONE }, 'progressing not_observed'],
      ['is suspended', { 'spec.suspend': true }, 'suspended paused'],
      ['runs', { 'status.active': [{ name: 'a' }], 'status.failed': 1 }, 'ready'],
      ['failed some time', { 'status.failed': 1 }, 'unknown health_unknown'],
      ['does not count', { 'status.succeeded': GONE }, 'unknown health_unknown'],
      ['has a bad schedule', conditions(is('SpecError', 'True')), 'failed schedule_invalid'],
      ['is refused', conditions(is('SubmissionError', 'True')), 'failed reconcile_failed'],
      ['was ended by its strategy', { 'status.phase': 'Stopped' }, 'suspended paused'],
    ],
  },
  {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    ready: { status: { observedGeneration: 2, conditions: [READY] } },
    notNeeded: /observedGeneration/,
    cases: [
      ['was not looked at', { status: { observedGeneration: -1 } }, 'progressing not_observed'],
      ['was observed before its change', { 'status.observedGeneration': 1 }, 'progressing generation_behind'],
      ['is suspended before its first look', { 'spec.suspend': true, status: GONE }, 'suspended paused'],
      ['has a suspend that is none', { 'spec.suspend': 'yes' }, 'unknown unreadable'],
      ['stalls', conditions(READY, is('Stalled', 'True')), 'failed reconcile_failed'],
      [
        'waits for another',
        conditions(is('Ready', 'False', 'DependencyNotReady')),
        'progressing not_yet_ready',
      ],
      ['fails its checks', conditions(is('Ready', 'False', 'HealthCheckFailed')), 'failed reconcile_failed'],
    ],
  },
  {
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    ready: {
      status: {
        notAfter: '2027-01-01T00:00:00Z',
        renewalTime: '2026-12-01T00:00:00Z',
        conditions: [is('Ready', 'True', 'Ready', { observedGeneration: 2 })],
      },
    },
    notNeeded: /notAfter|renewalTime|observedGeneration/,
    cases: [
      ['has no status', { status: GONE }, 'unknown no_conditions'],
      ['has expired', { 'status.notAfter': '2026-11-17T11:59:59Z' }, 'failed certificate_expired'],
      [
        'should be renewed',
        { 'status.renewalTime': '2026-11-17T11:00:00Z' },
        'degraded certificate_expiring',
      ],
      [
        'is being renewed',
        {
          'status.renewalTime': '2026-11-17T11:00:00Z',
          ...conditions(READY, is('Issuing', 'True', 'Renewing')),
        },
        'progressing reconciling',
      ],
      [
        'is being issued',
        conditions(is('Ready', 'False', 'DoesNotExist'), is('Issuing', 'True')),
        'progressing certificate_pending',
      ],
      ['is not renewed', conditions(READY, is('Issuing', 'False', 'Failed')), 'degraded impaired'],
      [
        'is not issued',
        conditions(is('Ready', 'False', 'DoesNotExist'), is('Issuing', 'False', 'Failed')),
        'failed reconcile_failed',
      ],
      ['has no time for its end', { 'status.notAfter': 'soon' }, 'unknown unreadable'],
      [
        'was observed before its change',
        conditions(is('Ready', 'True', 'Ready', { observedGeneration: 1 })),
        'progressing generation_behind',
      ],
    ],
  },
  {
    apiVersion: 'cert-manager.io/v1',
    kind: 'CertificateRequest',
    ready: { status: { certificate: 'LS0t', conditions: [is('Approved', 'True'), READY] } },
    notNeeded: /conditions\.0/,
    cases: [
      ['has no status', { status: GONE }, 'progressing certificate_pending'],
      ['waits', conditions(is('Ready', 'False', 'Pending')), 'progressing certificate_pending'],
      ['is denied', conditions(is('Denied', 'True'), READY), 'failed certificate_denied'],
      ['failed', conditions(is('Ready', 'False', 'Failed')), 'failed reconcile_failed'],
      ['has no certificate', { 'status.certificate': GONE }, 'unknown contradictory'],
    ],
  },
  {
    apiVersion: 'cert-manager.io/v1',
    kind: 'ClusterIssuer',
    ready: { status: { conditions: [READY] } },
    cases: [
      [
        'cannot register',
        conditions(is('Ready', 'False', 'ErrRegisterACMEAccount')),
        'failed reconcile_failed',
      ],
      ['registers', conditions(is('Ready', 'False', 'Initializing')), 'progressing not_yet_ready'],
    ],
  },
  {
    apiVersion: 'acme.cert-manager.io/v1',
    kind: 'Order',
    ready: { status: { state: 'valid' } },
    cases: [
      ['is ready to be finished', { 'status.state': 'ready' }, 'progressing certificate_pending'],
      ['is invalid', { 'status.state': 'invalid' }, 'failed certificate_denied'],
      ['has a word of every object', { 'status.state': 'constructor' }, 'unknown unrecognised:constructor'],
    ],
  },
  {
    apiVersion: 's3.aws.upbound.io/v1beta1',
    kind: 'Bucket',
    ready: { status: { conditions: [READY, is('Synced', 'True')] } },
    notNeeded: /conditions\.1(?:\.type)?$/,
    cases: [
      ['has no status', { status: GONE }, 'unknown no_conditions'],
      ['is only synced', conditions(is('Synced', 'True')), 'unknown no_conditions'],
      [
        'works, and its change is refused',
        conditions(READY, is('Synced', 'False', 'ReconcileError')),
        'degraded reconcile_failed',
      ],
      ['is paused', conditions(READY, is('Synced', 'False', 'ReconcilePaused')), 'suspended paused'],
      [
        'failed in the background',
        conditions(READY, is('LastAsyncOperation', 'False', 'AsyncUpdateFailure')),
        'degraded reconcile_failed',
      ],
      [
        'is being made',
        conditions(is('Ready', 'False', 'Creating'), is('Synced', 'True')),
        'progressing not_yet_ready',
      ],
    ],
  },
  {
    apiVersion: 'pkg.crossplane.io/v1',
    kind: 'Provider',
    ready: { status: { conditions: [is('Installed', 'True'), is('Healthy', 'True')] } },
    cases: [
      ['is not installed', conditions(is('Healthy', 'True')), 'progressing not_observed'],
      [
        'waits for its installation',
        conditions(is('Installed', 'False', 'InactivePackageRevision'), is('Healthy', 'True')),
        'progressing not_yet_ready',
      ],
      [
        'is not healthy',
        conditions(is('Installed', 'True'), is('Healthy', 'False', 'UnhealthyPackageRevision')),
        'degraded impaired',
      ],
    ],
  },
  {
    apiVersion: 'apiextensions.crossplane.io/v1',
    kind: 'CompositeResourceDefinition',
    ready: {
      spec: { claimNames: { kind: 'Database' } },
      status: { conditions: [is('Established', 'True'), is('Offered', 'True')] },
    },
    cases: [
      ['is not offered', conditions(is('Established', 'True')), 'progressing not_established'],
      ['offers no claim', { spec: {}, ...conditions(is('Established', 'True')) }, 'ready'],
    ],
  },
  {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    ready: { status: { observedGeneration: 2, conditions: [READY] } },
    notNeeded: /observedGeneration/,
    cases: [
      ['is at work', conditions(is('Ready', 'Unknown')), 'progressing reconciling'],
      ['exits', conditions(is('Ready', 'False', 'ExitCode1')), 'failed reconcile_failed'],
      [
        'failed before its change',
        { 'status.observedGeneration': 1, ...conditions(is('Ready', 'False', 'ExitCode1')) },
        'progressing generation_behind',
      ],
      ['has no traffic', conditions(READY, is('Active', 'False', 'NoTraffic')), 'ready'],
    ],
  },
  {
    apiVersion: 'keda.sh/v1alpha1',
    kind: 'ScaledObject',
    ready: { status: { conditions: [READY, is('Active', 'False'), is('Fallback', 'False')] } },
    notNeeded: /conditions\.[12]/,
    cases: [
      ['has no status', { status: GONE }, 'unknown no_conditions'],
      ['is paused', annotated('autoscaling.keda.sh/paused', 'true'), 'suspended paused'],
      ['is not paused', annotated('autoscaling.keda.sh/paused', 'false'), 'ready'],
      ['is paused at a number', annotated('autoscaling.keda.sh/paused-replicas', '0'), 'suspended paused'],
      [
        'has an annotation that is no text',
        annotated('autoscaling.keda.sh/paused', true),
        'unknown unreadable',
      ],
      ['says that it is paused', conditions(READY, is('Paused', 'True')), 'suspended paused'],
      ['falls back', conditions(READY, is('Fallback', 'True')), 'degraded metrics_missing'],
      ['failed', conditions(is('Ready', 'False', 'ScaledObjectCheckFailed')), 'failed reconcile_failed'],
      [
        'cannot measure one of its triggers',
        { 'status.health': { s0: { status: 'Happy' }, s1: { status: 'Failing', numberOfFailures: 7 } } },
        'degraded metrics_missing',
      ],
    ],
  },
  {
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'Cluster',
    ready: { status: { observedGeneration: 2, phase: 'Provisioned', conditions: [READY] } },
    notNeeded: /observedGeneration|phase/,
    cases: [
      ['has no conditions', { 'status.conditions': GONE }, 'unknown no_conditions'],
      ['is being made', { 'status.phase': 'Provisioning' }, 'progressing not_yet_ready'],
      ['lacks its control plane', { 'status.controlPlaneReady': false }, 'progressing not_yet_ready'],
      ['has its control plane', { 'status.controlPlaneReady': true }, 'ready'],
      ['failed', { 'status.phase': 'Failed' }, 'failed reconcile_failed'],
      ['failed for good', { 'status.failureReason': 'CreateError' }, 'failed reconcile_failed'],
      ['is paused', { 'spec.paused': true }, 'suspended paused'],
      ['is paused by annotation', annotated('cluster.x-k8s.io/paused', ''), 'suspended paused'],
      ['was observed before its change', { 'status.observedGeneration': 1 }, 'progressing generation_behind'],
      ['rolls out', conditions(is('Available', 'True'), is('RollingOut', 'True')), 'progressing reconciling'],
      [
        'is not available by its newer conditions',
        { 'status.v1beta2': { conditions: [is('Available', 'False')] } },
        'progressing not_available',
      ],
    ],
  },
  {
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'Machine',
    ready: { status: { phase: 'Running', conditions: [READY] } },
    notNeeded: /phase/,
    cases: [
      ['is no node yet', { 'status.phase': 'Provisioned' }, 'progressing not_yet_ready'],
      ['has a bad node', conditions(READY, is('NodeHealthy', 'False')), 'degraded impaired'],
    ],
  },
  {
    apiVersion: 'kafka.strimzi.io/v1beta2',
    kind: 'Kafka',
    ready: { status: { observedGeneration: 2, conditions: [READY, is('Warning', 'True')] } },
    notNeeded: /observedGeneration|conditions\.1/,
    cases: [
      ['has no status', { status: GONE }, 'unknown no_conditions'],
      ['is being made', conditions(is('NotReady', 'True', 'Creating')), 'progressing not_yet_ready'],
      ['failed', conditions(is('NotReady', 'True', 'InvalidResourceException')), 'failed reconcile_failed'],
      [
        'failed before its change',
        { 'status.observedGeneration': 1, ...conditions(is('NotReady', 'True', 'TimeoutException')) },
        'progressing generation_behind',
      ],
      ['is paused', conditions(is('ReconciliationPaused', 'True')), 'suspended paused'],
      ['says both', conditions(READY, is('NotReady', 'True')), 'unknown contradictory'],
    ],
  },
  {
    apiVersion: 'postgresql.cnpg.io/v1',
    kind: 'Cluster',
    ready: {
      spec: { instances: 3, imageName: 'postgres:17' },
      status: {
        phase: 'Cluster in healthy state',
        instances: 3,
        readyInstances: 3,
        image: 'postgres:17',
        conditions: [READY, is('ContinuousArchiving', 'True')],
      },
    },
    notNeeded: /image|conditions/,
    cases: [
      ['has no status', { status: GONE }, 'progressing not_observed'],
      ['is set up', { 'status.phase': 'Setting up primary' }, 'progressing creating'],
      ['fails over', { 'status.phase': 'Failing over' }, 'degraded impaired'],
      [
        'cannot be made',
        { 'status.phase': 'Unable to create required cluster objects', 'status.readyInstances': 0 },
        'failed reconcile_failed',
      ],
      ['has a new phase', { 'status.phase': 'Dreaming' }, 'unknown unrecognised:Dreaming'],
      ['is healthy, and lacks an instance', { 'status.readyInstances': 2 }, 'progressing not_available'],
      ['is to have more', { 'spec.instances': 5 }, 'progressing scaling'],
      ['is to have another image', { 'spec.imageName': 'postgres:18' }, 'progressing updating'],
      ['does not archive', conditions(READY, is('ContinuousArchiving', 'False')), 'degraded impaired'],
      ['is not ready by its condition', conditions(is('Ready', 'False')), 'progressing not_yet_ready'],
      ['hibernates', conditions(is('cnpg.io/hibernation', 'True')), 'suspended paused'],
      ['is to hibernate', annotated('cnpg.io/hibernation', 'on'), 'progressing reconciling'],
      ['is left alone', annotated('cnpg.io/reconciliationLoop', 'disabled'), 'suspended paused'],
    ],
  },
  {
    apiVersion: 'postgresql.cnpg.io/v1',
    kind: 'Backup',
    ready: { status: { phase: 'completed' } },
    cases: [
      ['runs', { 'status.phase': 'running' }, 'progressing job_running'],
      ['failed', { 'status.phase': 'failed' }, 'failed job_failed'],
    ],
  },
  {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'Prometheus',
    ready: {
      status: {
        conditions: [
          is('Available', 'True', undefined, { observedGeneration: 2 }),
          is('Reconciled', 'True', undefined, { observedGeneration: 2 }),
        ],
      },
    },
    notNeeded: /observedGeneration/,
    cases: [
      ['has no status', { status: GONE }, 'unknown no_conditions'],
      ['is paused', { 'spec.paused': true }, 'suspended paused'],
      [
        'has some pods',
        conditions(is('Available', 'Degraded'), is('Reconciled', 'True')),
        'degraded impaired',
      ],
      [
        'works, and its change is refused',
        conditions(is('Available', 'True'), is('Reconciled', 'False', 'ReconciliationFailed')),
        'degraded reconcile_failed',
      ],
      [
        'was reconciled before its change',
        conditions(is('Available', 'True'), is('Reconciled', 'True', undefined, { observedGeneration: 1 })),
        'progressing generation_behind',
      ],
    ],
  },
  {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    ready: { status: { syncedResourceVersion: '2-0a1b', conditions: [is('Ready', 'True', 'SecretSynced')] } },
    notNeeded: /syncedResourceVersion/,
    cases: [
      [
        'was synced before its change',
        { 'status.syncedResourceVersion': '1-0a1b' },
        'progressing generation_behind',
      ],
      ['failed', conditions(is('Ready', 'False', 'SecretSyncedError')), 'failed reconcile_failed'],
    ],
  },
  {
    apiVersion: 'networking.istio.io/v1',
    kind: 'VirtualService',
    ready: { status: { observedGeneration: '2', conditions: [is('Reconciled', 'True')] } },
    notNeeded: /observedGeneration/,
    cases: [
      ['has no status', { status: GONE }, 'unknown no_conditions'],
      ['has an empty status', { status: {} }, 'unknown no_conditions'],
      ['is on its way', conditions(is('Reconciled', 'False')), 'progressing reconciling'],
      [
        'was observed before its change',
        { 'status.observedGeneration': '1' },
        'progressing generation_behind',
      ],
      ['is invalid', { 'status.validationMessages': [{ level: 'ERROR' }] }, 'failed reconcile_failed'],
      ['is refused', conditions(is('istio.io/WaypointAccepted', 'False')), 'failed reconcile_failed'],
    ],
  },
  {
    apiVersion: 'bitnami.com/v1alpha1',
    kind: 'SealedSecret',
    ready: { status: { observedGeneration: 2, conditions: [is('Synced', 'True')] } },
    notNeeded: /observedGeneration/,
    cases: [
      ['has no status', { status: GONE }, 'progressing not_observed'],
      ['was observed before its change', { 'status.observedGeneration': 1 }, 'progressing generation_behind'],
      ['cannot be opened', conditions(is('Synced', 'False')), 'failed reconcile_failed'],
      ['does not say', conditions(is('Synced', 'Unknown')), 'progressing reconciling'],
    ],
  },
];

function objectOf({ apiVersion, kind, ready }: Example): Record<string, unknown> {
  return structuredClone({ apiVersion, kind, metadata: { name: 'a', generation: 2 }, ...ready });
}

function put(object: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const keys = path.split('.');
  const last = keys.pop() ?? '';
  let at = object;
  for (const key of keys) {
    at[key] ??= {};
    at = at[key] as Record<string, unknown>;
  }
  if (value !== GONE) at[last] = structuredClone(value);
  else if (Array.isArray(at)) at.splice(Number(last), 1);
  else delete at[last];
  return object;
}

function placesIn(value: unknown, at: string): string[] {
  if (typeof value !== 'object' || value === null) return [at];
  return [at, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, `${at}.${key}`))];
}

function verdictOn(object: unknown): string {
  const { verdict, reason, operator } = judgeObject(object, NO_OBJECTS, NOW);
  expect(operator).not.toContain(DEFECT);
  return reason === null ? verdict : `${verdict} ${reason}`;
}

describe.each(EXAMPLES.map((example) => [`${example.apiVersion} ${example.kind}`, example] as const))(
  '%s',
  (_, example) => {
    const cases: readonly Case[] = [['is ready', {}, 'ready'], ...example.cases];
    it.each(cases.map(([title, changes, expected]) => [title, expected, changes] as const))(
      '%s: %s',
      (_title, expected, changes) => {
        const object = objectOf(example);
        for (const [path, value] of Object.entries(changes)) put(object, path, value);
        expect(verdictOn(object)).toBe(expected);
      },
    );

    it('is not ready without a field of its status, or with another type there', () => {
      const needed = placesIn(objectOf(example).status, 'status').filter(
        (place) => !/\.reason$/.test(place) && !example.notNeeded?.test(place),
      );
      const good = needed.flatMap((place) =>
        [GONE, null, 7, -1, 'seven', true, [7], { seven: 7 }]
          // A larger count is a count, and is not what this is about.
          .filter((wrong) => !(wrong === 7 && /Instances|Replicas|instances|succeeded/.test(place)))
          .filter((wrong) => !(typeof wrong === 'string' && /Time$|certificate$/.test(place)))
          .map(
            (wrong) => `${place} ${JSON.stringify(wrong)} ${verdictOn(put(objectOf(example), place, wrong))}`,
          )
          .filter((line) => / (?:ready|suspended|stopped)\b/.test(line)),
      );
      expect(good).toEqual([]);
    });

    it('makes no verdict of a status that is none', () => {
      for (const place of placesIn(objectOf(example).status, 'status'))
        for (const wrong of [{ toString: 1, length: -1 }, [[]], Number.NaN])
          expect(verdictOn(put(objectOf(example), place, wrong))).toMatch(/^[a-z]+/);
    });
  },
);

describe('the table of families', () => {
  const names = FAMILIES.flatMap(({ group, kinds }) => kinds.map((kind) => `${group}/${kind}`));

  it('names every kind once', () => {
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  it.each(names)('%s without a status is not ready', (name) => {
    const [group, kind] = name.split('/');
    expect(verdictOn({ apiVersion: `${group}/v1`, kind, metadata: { name: 'a' } })).toMatch(
      /^(?:unknown|progressing) /,
    );
  });
});
