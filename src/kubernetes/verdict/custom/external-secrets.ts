import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, listAt, type ObjectFields, textAt } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { intervalOf, lookUnmet } from './schedules.ts';

/** Reasons of Ready=True that say that the Secret it should fill is not there. */
const WITHOUT_SECRET: ReadonlySet<string | null> = new Set(['SecretDeleted', 'SecretMissing']);

/** F70: Ready names no generation; `syncedResourceVersion` begins with the one that was synced. */
function judgeSecret(object: ObjectFields, now: number): Ruling | null {
  const synced = /^(\d{1,15})-/.exec(textAt(object, 'status.syncedResourceVersion') ?? '')?.[1];
  const generation = countAt(object, 'metadata.generation') ?? 0;
  if (synced !== undefined && Number(synced) < generation)
    return ruling('progressing', 'generation_behind', `generation ${synced} of ${generation} is synced`);
  const conditions = conditionsOf(object);
  const [proof, deleted] = [conditions.get('Ready'), conditions.get('Deleted')];
  const gone = WITHOUT_SECRET.has(proof?.reason ?? null)
    ? proof
    : deleted?.status === 'True'
      ? deleted
      : null;
  if (gone) return ruling('degraded', 'secret_missing', conditionFacts(gone));
  const policy = textAt(object, 'spec.refreshPolicy') ?? 'Periodic';
  return proof?.status === 'True' && policy === 'Periodic'
    ? lookUnmet(object, {
        every: intervalOf(textAt(object, 'spec.refreshInterval')),
        last: 'status.refreshTime',
        now,
      })
    : null;
}

/** It speaks of the Secrets that it makes in many namespaces, and names those where it cannot. */
function judgeClusterSecret(object: ObjectFields): Ruling | null {
  const failed = listAt(object, 'status.failedNamespaces').length;
  return failed > 0 && conditionsOf(object).get('Ready')?.status === 'True'
    ? ruling('degraded', 'impaired', `it failed in ${failed} namespaces`)
    : null;
}

export const EXTERNAL_SECRETS: readonly CustomFamily[] = [
  { group: 'external-secrets.io', kinds: ['ExternalSecret', 'PushSecret'], judge: judgeSecret },
  { group: 'external-secrets.io', kinds: ['ClusterExternalSecret'], judge: judgeClusterSecret },
];
