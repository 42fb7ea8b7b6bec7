import { conditionFacts, conditionsOf } from '../conditions.ts';
import { fieldsAt, isThere, listAt, type ObjectFields, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { type PhaseTable, phaseUnmet } from './reading.ts';

const HEALTH: PhaseTable = {
  Healthy: 'met',
  Progressing: ['progressing', 'reconciling'],
  Missing: ['progressing', 'not_yet_ready'],
  Degraded: ['degraded', 'impaired'],
  Suspended: ['suspended', 'paused'],
  Unknown: ['unknown', 'health_unknown'],
};

const SYNC: PhaseTable = {
  Synced: 'met',
  OutOfSync: ['progressing', 'out_of_sync'],
  Unknown: ['unknown', 'health_unknown'],
};

/** Conditions of an Application have no status: one that is there holds. The other errors leave open how it is. */
const REFUSED: ReadonlySet<string> = new Set(['InvalidSpecError', 'SyncError']);

/**
 * An Application is as it should be when its objects are healthy and are those that its source asks for. Health alone
 * says that an older version works.
 */
function judgeApplication(object: ObjectFields): Ruling {
  const errors = [...conditionsOf(object).values()].filter(({ type }) => type.endsWith('Error'));
  const refused = errors.find(({ type }) => REFUSED.has(type));
  const [error] = errors;
  const sick = listAt(object, 'status.resources').find((its) =>
    ['Degraded', 'Missing'].includes(textAt(its, 'health.status') ?? ''),
  );
  return climb(
    [
      () =>
        refused === undefined
          ? null
          : ruling('failed', 'reconcile_failed', `${refused.type}: ${refused.message}`),
      () =>
        error === undefined ? null : ruling('unknown', 'health_unknown', `${error.type}: ${error.message}`),
      () => comparedUnmet(object),
      () =>
        isThere(object, 'operation') ? ruling('progressing', 'reconciling', 'an operation waits') : null,
      () => operationUnmet(object),
      () => phaseUnmet(object, 'status.sync.status', SYNC),
      () => phaseUnmet(object, 'status.health.status', HEALTH),
      () =>
        sick === undefined
          ? null
          : ruling(
              'unknown',
              'contradictory',
              `Healthy, and ${textAt(sick, 'kind')} ${textAt(sick, 'name')} is not`,
            ),
    ],
    ready('Synced and Healthy'),
  );
}

/** The result of an operation counts for the revision that is compared now. */
function operationUnmet(object: ObjectFields): Ruling | null {
  const phase = textAt(object, 'status.operationState.phase');
  if (phase === 'Running' || phase === 'Terminating')
    return ruling('progressing', 'reconciling', `operation ${phase}`);
  if (phase !== 'Failed' && phase !== 'Error') return null;
  const [tried, wanted] = [
    textAt(object, 'status.operationState.syncResult.revision'),
    textAt(object, 'status.sync.revision'),
  ];
  if (tried !== null && wanted !== null && tried !== wanted) return null;
  const message = textAt(object, 'status.operationState.message') ?? 'no message';
  return ruling('failed', 'reconcile_failed', `operation ${phase}: ${message}`);
}

/**
 * F70: an Application has no observed generation; its status names the source that it was compared with. A hydrator
 * makes the source, so that `spec` then has none to compare.
 */
function comparedUnmet(object: ObjectFields): Ruling | null {
  const [wanted, compared] = [
    sourcesOf(fieldsAt(object, 'spec')),
    sourcesOf(fieldsAt(object, 'status.sync.comparedTo')),
  ];
  return compared === '' || wanted === '' || compared === wanted
    ? null
    : ruling('progressing', 'generation_behind', 'it was compared with another source than it has now');
}

/** Several sources stand for the single one, which Argo CD then writes empty. */
function sourcesOf(fields: ObjectFields): string {
  const several = listAt(fields, 'sources');
  return (several.length > 0 ? several : [fieldsAt(fields, 'source')])
    .map((source) =>
      ['repoURL', 'path', 'chart', 'targetRevision'].map((field) => textAt(source, field) ?? '').join(' '),
    )
    .join('\n')
    .trim();
}

function judgeApplicationSet(object: ObjectFields): Ruling {
  const conditions = conditionsOf(object);
  const [error, current, rollout] = ['ErrorOccurred', 'ResourcesUpToDate', 'RolloutProgressing'].map((type) =>
    conditions.get(type),
  );
  return climb(
    [
      () => (error?.status === 'True' ? ruling('failed', 'reconcile_failed', conditionFacts(error)) : null),
      () =>
        current === undefined
          ? ruling('progressing', 'not_observed', 'the condition ResourcesUpToDate is missing')
          : null,
      () =>
        rollout?.status === 'True' ? ruling('progressing', 'reconciling', conditionFacts(rollout)) : null,
      () =>
        current?.status === 'True'
          ? null
          : ruling('progressing', 'out_of_sync', 'ResourcesUpToDate is not True'),
    ],
    ready('ResourcesUpToDate=True'),
  );
}

export const ARGO_CD: readonly CustomFamily[] = [
  { group: 'argoproj.io', kinds: ['Application'], judge: judgeApplication },
  { group: 'argoproj.io', kinds: ['ApplicationSet'], judge: judgeApplicationSet },
];
