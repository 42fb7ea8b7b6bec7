import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt } from '../fields.ts';
import { generationUnmet } from '../generation.ts';
import { climb } from '../ladder.ts';
import { ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';

/** A budget that allows no disruption may be what is wanted; one whose pods are fewer than it keeps is not. */
export const judgeDisruptionBudget: KindLadder = (budget) => {
  const [healthy, desired] = [
    countAt(budget, 'status.currentHealthy'),
    countAt(budget, 'status.desiredHealthy'),
  ];
  const expected = countAt(budget, 'status.expectedPods');
  const allowed = conditionsOf(budget).get('DisruptionAllowed');
  return climb(
    [
      () => generationUnmet(budget),
      () =>
        allowed !== undefined && allowed.status !== 'True' && allowed.reason !== 'InsufficientPods'
          ? ruling('degraded', 'budget_sync_failed', conditionFacts(allowed))
          : null,
      () =>
        healthy === null || desired === null
          ? ruling('progressing', 'not_observed', 'status.currentHealthy or desiredHealthy is missing')
          : null,
      () =>
        (healthy ?? 0) < (desired ?? 0) && expected !== 0
          ? ruling('degraded', 'budget_unmet', `${healthy} of ${desired} are healthy`)
          : null,
    ],
    ready(
      `${healthy} healthy, ${desired} kept, ${countAt(budget, 'status.disruptionsAllowed') ?? 0} may be moved`,
    ),
  );
};
