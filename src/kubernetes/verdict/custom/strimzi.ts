import { type Conditions, conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, fieldsAt, isThere, listAt, type ObjectFields, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { observedUnmet, type PhaseTable, phaseUnmet } from './reading.ts';

/** Strimzi writes a condition NotReady=True where others write Ready=False. */
function judgeKafka(object: ObjectFields): Ruling | null {
  const conditions = conditionsOf(object);
  const [paused, notReady] = [conditions.get('ReconciliationPaused'), conditions.get('NotReady')];
  if (paused?.status === 'True') return ruling('suspended', 'paused', conditionFacts(paused));
  if (notReady?.status !== 'True')
    return connectorsUnmet(object, conditions) ?? changeUnmet(object, conditions);
  const facts = conditionFacts(notReady);
  if (conditions.get('Ready')?.status === 'True')
    return ruling('unknown', 'contradictory', `Ready=True, and ${facts}`);
  const behind = observedUnmet(object);
  if (behind !== null) return behind;
  return notReady.reason === 'Creating'
    ? ruling('progressing', 'not_yet_ready', facts)
    : ruling('failed', 'reconcile_failed', facts);
}

/** Ready stays True while the version or the number of replicas is not the one that is asked for. */
function changeUnmet(object: ObjectFields, conditions: Conditions): Ruling | null {
  if (conditions.get('Ready')?.status !== 'True') return null;
  const [wanted, running] = ['spec.kafka.version', 'status.kafkaVersion'].map((path) => textAt(object, path));
  if (wanted && running && wanted !== running)
    return ruling('progressing', 'updating', `version ${running}, ${wanted} wanted`);
  const balance = textAt(object, 'status.autoRebalance.state');
  if (balance !== null && balance !== 'Idle')
    return ruling('progressing', 'reconciling', `status.autoRebalance.state ${balance}`);
  const metadata = textAt(object, 'status.kafkaMetadataState');
  if (metadata !== null && metadata !== 'KRaft' && metadata !== 'ZooKeeper')
    return ruling('progressing', 'updating', `status.kafkaMetadataState ${metadata}`);
  const step = textAt(object, 'status.replicasChange.state');
  return step === null ? null : ruling('progressing', 'scaling', `a change of its replicas is ${step}`);
}

/** States of a connector and of its tasks, as Kafka Connect says them. */
const STATES: PhaseTable = {
  RUNNING: 'met',
  UNASSIGNED: ['progressing', 'not_yet_ready'],
  RESTARTING: ['progressing', 'reconciling'],
  FAILED: ['failed', 'reconcile_failed'],
  PAUSED: ['suspended', 'paused'],
  STOPPED: ['suspended', 'paused'],
  DESTROYED: ['progressing', 'being_deleted'],
};

/** Ready says that Kafka Connect took a connector; whether it runs is in its own states. */
function connectorsUnmet(object: ObjectFields, conditions: Conditions): Ruling | null {
  if (conditions.get('Ready')?.status !== 'True') return null;
  const statuses = isThere(object, 'status.connectorStatus')
    ? [fieldsAt(object, 'status.connectorStatus')]
    : listAt(object, 'status.connectors');
  const behind = statuses.length === 0 ? null : observedUnmet(object);
  if (behind !== null) return behind;
  for (const verdict of ['failed', 'degraded', 'unknown', 'progressing', 'suspended'] as const)
    for (const status of statuses) {
      const unmet = connectorUnmet(status);
      if (unmet?.verdict === verdict)
        return verdict === 'failed' && statuses.length > 1 ? { ...unmet, verdict: 'degraded' } : unmet;
    }
  return null;
}

function connectorUnmet(status: ObjectFields): Ruling | null {
  if (!isThere(status, 'connector')) return null;
  const connector = phaseUnmet(status, 'connector.state', STATES);
  if (connector !== null && connector.verdict !== 'progressing') return connector;
  const tasks = listAt(status, 'tasks').map((task) => ({
    id: countAt(task, 'id') ?? 0,
    unmet: phaseUnmet(task, 'state', STATES),
  }));
  const bad = tasks.filter(({ unmet }) => unmet?.verdict === 'failed');
  const [one] = bad;
  if (one?.unmet)
    return {
      ...one.unmet,
      verdict: bad.length === tasks.length ? 'failed' : 'degraded',
      facts: `task ${one.id}: ${one.unmet.facts}; ${bad.length} of ${tasks.length} tasks failed`,
    };
  return tasks.find(({ unmet }) => unmet !== null)?.unmet ?? connector;
}

/** Its state is the type of a condition that is True. A proposal that is ready waits for somebody's word. */
const REBALANCE: PhaseTable = {
  New: ['progressing', 'reconciling'],
  PendingProposal: ['progressing', 'reconciling'],
  ProposalReady: ['progressing', 'approval_wanted'],
  Rebalancing: ['progressing', 'job_running'],
  Stopped: ['suspended', 'paused'],
  ReconciliationPaused: ['suspended', 'paused'],
  NotReady: ['failed', 'reconcile_failed'],
  Ready: 'met',
};

function judgeRebalance(object: ObjectFields): Ruling | null {
  const states = [...conditionsOf(object).values()].filter(
    ({ type, status }) => status === 'True' && Object.hasOwn(REBALANCE, type),
  );
  const [state] = states;
  if (state === undefined) return null;
  return climb(
    [
      () => observedUnmet(object),
      () =>
        states.length > 1
          ? ruling('unknown', 'contradictory', states.map(conditionFacts).join(' and '))
          : null,
      () => phaseUnmet({ state: state.type }, 'state', REBALANCE),
    ],
    ready(conditionFacts(state), 'ended'),
  );
}

/** Its pods stand in its spec, one by one. */
function judgePodSet(object: ObjectFields): Ruling {
  const want = listAt(object, 'spec.pods').length;
  const [total, have, current] = ['pods', 'readyPods', 'currentPods'].map((name) =>
    countAt(object, `status.${name}`),
  );
  const count = { have: have ?? 0, want };
  return climb(
    [
      () =>
        total === null || have === null || current === null
          ? ruling('progressing', 'not_observed', 'status.pods, readyPods or currentPods is missing')
          : null,
      () => observedUnmet(object),
      () =>
        want === 0 && total === 0
          ? ruling('stopped', 'scaled_to_zero', '0 pods wanted, none observed')
          : null,
      () =>
        total === want ? null : ruling('progressing', 'scaling', `${total} pods, ${want} wanted`, count),
      () =>
        (current ?? 0) < want
          ? ruling('progressing', 'updating', `${current} of ${want} pods are of the newest revision`, count)
          : null,
      () =>
        count.have < want
          ? ruling('progressing', 'not_available', `${have} of ${want} pods are ready`, count)
          : null,
    ],
    ready(`${have} of ${want} pods are ready`),
  );
}

export const STRIMZI: readonly CustomFamily[] = [
  {
    group: 'kafka.strimzi.io',
    kinds: [
      'Kafka',
      'KafkaBridge',
      'KafkaConnect',
      'KafkaConnector',
      'KafkaMirrorMaker',
      'KafkaMirrorMaker2',
      'KafkaNodePool',
      'KafkaTopic',
      'KafkaUser',
    ],
    judge: judgeKafka,
  },
  { group: 'kafka.strimzi.io', kinds: ['KafkaRebalance'], judge: judgeRebalance },
  { group: 'core.strimzi.io', kinds: ['StrimziPodSet'], judge: judgePodSet },
];
