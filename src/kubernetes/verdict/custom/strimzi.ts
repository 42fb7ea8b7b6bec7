import { conditionFacts, conditionsOf } from '../conditions.ts';
import type { ObjectFields } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { observedUnmet } from './reading.ts';

/** Strimzi writes a condition NotReady=True where others write Ready=False. */
function judgeKafka(object: ObjectFields): Ruling | null {
  const conditions = conditionsOf(object);
  const [paused, notReady] = [conditions.get('ReconciliationPaused'), conditions.get('NotReady')];
  if (paused?.status === 'True') return ruling('suspended', 'paused', conditionFacts(paused));
  if (notReady?.status !== 'True') return null;
  const facts = conditionFacts(notReady);
  if (conditions.get('Ready')?.status === 'True')
    return ruling('unknown', 'contradictory', `Ready=True, and ${facts}`);
  const behind = observedUnmet(object);
  if (behind !== null) return behind;
  return notReady.reason === 'Creating'
    ? ruling('progressing', 'not_yet_ready', facts)
    : ruling('failed', 'reconcile_failed', facts);
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
      'KafkaRebalance',
      'KafkaTopic',
      'KafkaUser',
    ],
    judge: judgeKafka,
  },
];
