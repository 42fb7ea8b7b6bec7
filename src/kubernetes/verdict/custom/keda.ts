import { conditionFacts, conditionsOf } from '../conditions.ts';
import { fieldsAt, isFields, isThere, type ObjectFields, own, textAt } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { annotationOf } from './reading.ts';

/** Active=False says that there is no load, and is no fault. Ready stays True while a fallback stands in for metrics. */
function judgeScaled(object: ObjectFields): Ruling | null {
  const conditions = conditionsOf(object);
  const [paused, fallback] = [conditions.get('Paused'), conditions.get('Fallback')];
  if (paused?.status === 'True') return ruling('suspended', 'paused', conditionFacts(paused));
  const at = annotationOf(object, 'autoscaling.keda.sh/paused-replicas');
  if (annotationOf(object, 'autoscaling.keda.sh/paused') === 'true' || (at !== null && /^\d+$/.test(at)))
    return ruling('suspended', 'paused', 'an annotation pauses it');
  if (conditions.get('Ready')?.status !== 'True') return null;
  if (fallback?.status === 'True') return ruling('degraded', 'metrics_missing', conditionFacts(fallback));
  const failing = failingTrigger(object);
  return failing === null
    ? null
    : ruling('degraded', 'metrics_missing', `status.health of ${failing} says Failing`);
}

/** The name of a trigger that cannot be measured; null if there is none, or nothing is said of them. */
function failingTrigger(object: ObjectFields): string | null {
  if (!isThere(object, 'status.health')) return null;
  const health = fieldsAt(object, 'status.health');
  return (
    Object.keys(health).find((name) => {
      const trigger = own(health, name);
      return isFields(trigger) && textAt(trigger, 'status') === 'Failing';
    }) ?? null
  );
}

export const KEDA: readonly CustomFamily[] = [
  { group: 'keda.sh', kinds: ['ScaledObject', 'ScaledJob'], judge: judgeScaled },
];
