import { conditionFacts, conditionsIn } from '../conditions.ts';
import { listAt, textAt } from '../fields.ts';
import { ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';

/** An event tells of a moment in the past: it explains other objects, and nothing is proven by it (F72). */
export const judgeEvent: KindLadder = (event) =>
  ruling(
    'unknown',
    'only_reported',
    `${textAt(event, 'type') ?? 'an event'}: ${textAt(event, 'reason') ?? ''}`,
  );

/** The only kind whose conditions stand outside of a status. */
export const judgeComponent: KindLadder = (component) => {
  const healthy = conditionsIn(listAt(component, 'conditions')).get('Healthy');
  if (healthy === undefined) return ruling('unknown', 'no_conditions', 'the condition Healthy is missing');
  if (healthy.status === 'True') return ready('Healthy=True');
  return healthy.status === 'False'
    ? ruling('failed', 'reconcile_failed', conditionFacts(healthy))
    : ruling('unknown', 'health_unknown', conditionFacts(healthy));
};
