import { type Conditions, conditionFacts, conditionsOf, type ObjectCondition } from '../conditions.ts';
import { countAt, type ObjectFields } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';

/** Conditions that say, when True, that the object is as it should be; the first one that is there decides. */
const PROOFS = ['Ready', 'Available', 'Succeeded'] as const;

/** The conditions that operators have in common. Without any of them nothing is proven (F79). */
export function judgeByConditions(object: ObjectFields): Ruling {
  const conditions = conditionsOf(object);
  const proof = PROOFS.map((type) => conditions.get(type)).find((condition) => condition !== undefined);
  return climb(
    [
      () => behind(object, conditions),
      () => (isTrue(conditions, 'Stalled') ? failedBy(conditions.get('Stalled')) : null),
      () => {
        const reconciling = conditions.get('Reconciling');
        return reconciling?.status === 'True'
          ? ruling('progressing', 'reconciling', conditionFacts(reconciling))
          : null;
      },
      () =>
        proof === undefined
          ? ruling(
              'unknown',
              'no_conditions',
              conditions.size === 0 ? 'no conditions' : 'no condition that is understood',
            )
          : null,
      () => (proof?.status === 'False' ? failedBy(proof) : null),
      () =>
        proof?.status === 'Unknown' ? ruling('progressing', 'reconciling', conditionFacts(proof)) : null,
    ],
    ready(proof === undefined ? '' : conditionFacts(proof)),
  );
}

const isTrue = (conditions: Conditions, type: string) => conditions.get(type)?.status === 'True';

function failedBy(condition: ObjectCondition | undefined): Ruling | null {
  return condition === undefined ? null : ruling('failed', 'reconcile_failed', conditionFacts(condition));
}

/** Operators need not write `observedGeneration`; where one does, in the status or in a condition, it must not be behind. */
function behind(object: ObjectFields, conditions: Conditions): Ruling | null {
  const generation = countAt(object, 'metadata.generation');
  const observed = [
    countAt(object, 'status.observedGeneration'),
    ...[...conditions.values()].map((condition) => condition.observedGeneration),
  ].filter((seen) => seen !== null);
  if (observed.length === 0) return null;
  if (generation === null)
    return ruling('unknown', 'generation_behind', 'metadata.generation is missing: nothing to compare with');
  const oldest = Math.min(...observed);
  return oldest < generation
    ? ruling('progressing', 'generation_behind', `generation ${oldest} of ${generation} is observed`)
    : null;
}
