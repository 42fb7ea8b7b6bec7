import { conditionFacts, conditionsOf } from '../conditions.ts';
import { listAt, type ObjectFields, textAt } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import { judgeByConditions } from './by-conditions.ts';
import { type Words, wordFamily } from './by-words.ts';
import type { CustomFamily } from './family.ts';

const ANALYSIS: Words = {
  ready: ['Successful'],
  waits: ['Pending', 'Running'],
  failed: ['Failed', 'Error'],
  unknown: ['Inconclusive'],
};

const KEPTN: Words = {
  ready: ['Succeeded'],
  waits: ['Pending', 'Progressing', 'Unknown'],
  failed: ['Failed'],
  suspended: ['Cancelled', 'Deprecated'],
};

/** The promoter of Argo CD: Ready speaks of the last look, and each environment for itself. */
function judgeGate(object: ObjectFields): Ruling | null {
  const gates = [...listAt(object, 'status.environments'), ...listAt(object, 'status.applicationsSelected')];
  const [failed, waits] = ['failure', 'pending'].map((phase) =>
    gates.find((gate) => textAt(gate, 'phase') === phase),
  );
  const name = (gate: ObjectFields) => textAt(gate, 'branch') ?? textAt(gate, 'name') ?? '';
  if (conditionsOf(object).get('Ready')?.status !== 'True') return null;
  if (failed !== undefined) return ruling('degraded', 'impaired', `${name(failed)}: failure`);
  return waits === undefined ? null : ruling('progressing', 'reconciling', `${name(waits)}: pending`);
}

/** Ready of a promotion says that it was looked at, and not that every environment has the newest commit. */
function judgePromotion(object: ObjectFields): Ruling | null {
  const proof = conditionsOf(object).get('Ready');
  return proof?.status === 'True'
    ? ruling('unknown', 'health_unknown', `${conditionFacts(proof)}, which says nothing of the promotion`)
    : null;
}

function suspendedJob(object: ObjectFields): Ruling | null {
  return textAt(object, 'spec.job.state') === 'suspended'
    ? ruling('suspended', 'paused', 'spec.job.state is suspended')
    : null;
}

/** A canary that failed was taken back: the primary serves as before. */
function rolledBack(object: ObjectFields): Ruling | null {
  return textAt(object, 'status.phase') === 'Failed'
    ? ruling('degraded', 'rolled_back', 'status.phase Failed')
    : null;
}

/** Progressive delivery, runs of tests and of jobs. */
export const DELIVERY: readonly CustomFamily[] = [
  wordFamily({
    group: 'argoproj.io',
    kinds: ['AnalysisRun', 'Experiment'],
    words: { 'status.phase': ANALYSIS },
    endsAs: 'ended',
  }),
  ...[
    ['EventBus', ['Configured', 'Deployed']] as const,
    ['EventSource', ['SourcesProvided', 'Deployed']] as const,
    ['Sensor', ['DependenciesProvided', 'TriggersProvided', 'Deployed']] as const,
  ].map(
    ([kind, proofs]): CustomFamily => ({
      group: 'argoproj.io',
      kinds: [kind],
      judge: (object) => judgeByConditions(object, { proofs }),
    }),
  ),
  wordFamily({
    group: 'flagger.app',
    kinds: ['Canary'],
    first: rolledBack,
    words: {
      'status.phase': {
        ready: ['Initialized', 'Succeeded'],
        waits: [
          'Initializing',
          'Waiting',
          'Progressing',
          'WaitingPromotion',
          'Promoting',
          'Finalising',
          'Terminating',
        ],
        failed: ['Failed'],
      },
    },
  }),
  wordFamily({
    group: 'lifecycle.keptn.sh',
    kinds: ['KeptnAppVersion', 'KeptnTask', 'KeptnWorkloadInstance', 'KeptnWorkloadVersion'],
    words: { 'status.status': KEPTN },
  }),
  wordFamily({
    group: 'lifecycle.keptn.sh',
    kinds: ['KeptnEvaluation'],
    words: { 'status.overallStatus': KEPTN },
    endsAs: 'ended',
  }),
  {
    group: 'promoter.argoproj.io',
    kinds: ['ArgoCDCommitStatus', 'GitCommitStatus', 'TimedCommitStatus', 'WebRequestCommitStatus'],
    judge: judgeGate,
  },
  {
    group: 'promoter.argoproj.io',
    kinds: ['ChangeTransferPolicy', 'PromotionStrategy'],
    judge: judgePromotion,
  },
  wordFamily({
    group: 'tower.ansible.com',
    kinds: ['AnsibleJob'],
    words: {
      'status.ansibleJobResult.status': {
        ready: ['successful'],
        waits: ['new', 'pending', 'waiting', 'running'],
        failed: ['failed', 'error', 'canceled'],
      },
    },
    endsAs: 'ended',
  }),
  wordFamily({
    group: 'sparkoperator.k8s.io',
    kinds: ['SparkApplication'],
    words: {
      'status.applicationState.state': {
        ready: ['COMPLETED'],
        waits: [
          'SUBMITTED',
          'RUNNING',
          'PENDING_RERUN',
          'PENDING_SUBMISSION',
          'INVALIDATING',
          'SUCCEEDING',
          'SUSPENDING',
          'RESUMING',
        ],
        failed: ['FAILED', 'FAILING', 'SUBMISSION_FAILED'],
        suspended: ['SUSPENDED'],
        unknown: ['UNKNOWN'],
      },
    },
    endsAs: 'ended',
  }),
  wordFamily({
    group: 'flink.apache.org',
    kinds: ['FlinkDeployment'],
    first: suspendedJob,
    words: {
      'status.jobManagerDeploymentStatus': {
        ready: ['READY'],
        waits: ['DEPLOYED_NOT_READY', 'DEPLOYING', 'MISSING'],
        failed: ['ERROR'],
      },
    },
    besides: {
      'status.jobStatus.state': {
        ready: ['RUNNING', 'FINISHED'],
        waits: ['CREATED', 'INITIALIZING', 'RECONCILING', 'RESTARTING', 'CANCELLING', 'FAILING'],
        failed: ['FAILED', 'CANCELED'],
        suspended: ['SUSPENDED'],
      },
      'status.reconciliationStatus.state': {
        ready: ['DEPLOYED'],
        waits: ['UPGRADING', 'ROLLING_BACK'],
        degraded: ['ROLLED_BACK'],
      },
    },
  }),
];
