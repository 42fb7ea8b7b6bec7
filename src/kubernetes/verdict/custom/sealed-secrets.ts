import { conditionFacts, conditionsOf } from '../conditions.ts';
import type { ObjectFields } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { observedUnmet } from './reading.ts';

/** Synced alone proves it: the Secret was written from it. Elsewhere Synced proves nothing. */
function judgeSealed(object: ObjectFields): Ruling {
  const synced = conditionsOf(object).get('Synced');
  return climb(
    [
      () =>
        synced === undefined
          ? ruling('progressing', 'not_observed', 'the condition Synced is missing')
          : null,
      () => observedUnmet(object),
      () =>
        synced?.status === 'False' ? ruling('failed', 'reconcile_failed', conditionFacts(synced)) : null,
      () => (synced?.status === 'True' ? null : ruling('progressing', 'reconciling', 'Synced is not True')),
    ],
    ready('Synced=True', 'stored'),
  );
}

export const SEALED_SECRETS: readonly CustomFamily[] = [
  { group: 'bitnami.com', kinds: ['SealedSecret'], judge: judgeSealed },
];
