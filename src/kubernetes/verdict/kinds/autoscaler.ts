import {
  type Conditions,
  conditionFacts,
  conditionsIn,
  conditionsOf,
  type ObjectCondition,
} from '../conditions.ts';
import { countAt, fieldsAt, isFields, type ObjectFields, own, UnreadableField } from '../fields.ts';
import { climb } from '../ladder.ts';
import { entryOf } from '../reasons/container-words.ts';
import type { ReasonName } from '../reasons/index.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { KindLadder } from './ladder-context.ts';

/** Reasons of AbleToScale=False and ScalingActive=False. */
const WORDS: Readonly<Record<string, ReasonName>> = {
  FailedGetScale: 'cannot_scale',
  FailedUpdateScale: 'cannot_scale',
  BackoffBoth: 'scaling',
  BackoffDownscale: 'scaling',
  BackoffUpscale: 'scaling',
  InvalidSelector: 'cannot_scale',
  InvalidMetricSourceType: 'cannot_scale',
  AmbiguousSelector: 'cannot_scale',
  FailedGetResourceMetric: 'metrics_missing',
  FailedGetContainerResourceMetric: 'metrics_missing',
  FailedGetPodsMetric: 'metrics_missing',
  FailedGetObjectMetric: 'metrics_missing',
  FailedGetExternalMetric: 'metrics_missing',
  ScalingDisabled: 'scaling_disabled',
};

export const judgeAutoscaler: KindLadder = (object, { identity }) => {
  const conditions = identity.version === 'v1' ? annotatedConditions(object) : conditionsOf(object);
  const [able, active] = [conditions.get('AbleToScale'), conditions.get('ScalingActive')];
  const observed = countAt(object, 'status.observedGeneration');
  const generation = countAt(object, 'metadata.generation');
  const [current, most] = [
    countAt(object, 'status.currentReplicas') ?? 0,
    countAt(object, 'spec.maxReplicas'),
  ];
  return climb(
    [
      () =>
        observed !== null && generation !== null && observed < generation
          ? ruling('progressing', 'generation_behind', `generation ${observed} of ${generation} is observed`)
          : null,
      () =>
        conditions.size === 0 ? ruling('progressing', 'not_observed', 'it has no conditions yet') : null,
      () => scalingUnmet(able, 'AbleToScale', 'cannot_scale'),
      () => scalingUnmet(active, 'ScalingActive', 'metrics_missing'),
      () => limitUnmet(conditions.get('ScalingLimited')),
      () =>
        most !== null && current > most
          ? ruling('progressing', 'scaling', `${current} replicas, at most ${most} wanted`)
          : null,
    ],
    ready(
      [able, active, conditions.get('ScalingLimited')]
        .flatMap((c) => (c ? [conditionFacts(c)] : []))
        .join('; '),
    ),
  );
};

/** At the least or the most copies that it may have, an autoscaler works as it is told. */
const AT_A_BOUND: ReadonlySet<string | null> = new Set(['TooFewReplicas', 'TooManyReplicas']);

function limitUnmet(limited: ObjectCondition | undefined): Ruling | null {
  if (limited?.status !== 'True' || AT_A_BOUND.has(limited.reason)) return null;
  return ruling('degraded', 'scaling_limited', conditionFacts(limited));
}

function scalingUnmet(
  condition: ObjectCondition | undefined,
  type: string,
  other: ReasonName,
): Ruling | null {
  if (condition === undefined)
    return ruling('progressing', 'not_observed', `the condition ${type} is missing`);
  if (condition.status === 'True') return null;
  const facts = conditionFacts(condition);
  if (condition.status === 'Unknown') return ruling('unknown', other, facts);
  const reason = entryOf(WORDS, condition.reason) ?? other;
  if (reason === 'scaling_disabled') return ruling('suspended', reason, facts);
  return ruling(reason === 'scaling' ? 'progressing' : 'degraded', reason, facts);
}

const ANNOTATION = 'autoscaling.alpha.kubernetes.io/conditions';

/** autoscaling/v1 has no conditions: the API server writes those of v2 into an annotation, as JSON. */
function annotatedConditions(object: ObjectFields): Conditions {
  const stated = conditionsOf(object);
  const text = own(fieldsAt(object, 'metadata.annotations'), ANNOTATION);
  if (stated.size > 0 || typeof text !== 'string') return stated;
  const list = parsed(text);
  if (!Array.isArray(list) || !list.every(isFields))
    throw new UnreadableField(ANNOTATION, 'a list of conditions');
  return conditionsIn(list);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnreadableField(ANNOTATION, 'JSON');
  }
}
