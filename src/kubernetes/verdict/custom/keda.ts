import { conditionFacts, conditionsOf } from '../conditions.ts';
import type { ObjectFields } from '../fields.ts';
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
  const isReady = conditions.get('Ready')?.status === 'True';
  return isReady && fallback?.status === 'True'
    ? ruling('degraded', 'metrics_missing', conditionFacts(fallback))
    : null;
}

export const KEDA: readonly CustomFamily[] = [
  { group: 'keda.sh', kinds: ['ScaledObject', 'ScaledJob'], judge: judgeScaled },
];
