import { type Conditions, conditionFacts, conditionsOf, type ObjectCondition } from '../conditions.ts';
import { countAt, flagAt, isThere, type ObjectFields } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';

/** Conditions that say, when True, that the object is as it should be. Every one that is there must be True. */
const PROOFS = ['Ready', 'Available', 'Succeeded', 'Complete', 'Completed', 'Healthy'] as const;
/**
 * Conditions that prove nothing alone, and deny the proof of the others where they are not True: Ready of a resource of
 * Crossplane speaks of what was last applied, and Synced says whether that is what is asked for.
 */
const TIES = ['Synced', 'LastAsyncOperation', 'Reconciled', 'Installed'] as const;
/** Conditions that say, when True, that it is not. */
const FAILURES = ['Stalled', 'Failed', 'Failure', 'Error', 'ReconcileError', 'ReconcileFailed'] as const;
/** Conditions that say, when True, that its controller is at work. */
const WORK = [
  'Reconciling',
  'Progressing',
  'Updating',
  'Upgrading',
  'Installing',
  'Deleting',
  'Terminating',
] as const;
/** Reasons of Progressing=True that stand for the end of the work. */
const WORK_DONE: ReadonlySet<string | null> = new Set(['NewReplicaSetAvailable', 'AsExpected', 'Completed']);

/** Parts of a reason that say it failed, where the condition says only that it is not ready. */
const FAILED_REASON =
  /fail|error|invalid|denied|forbidden|unauthori[sz]ed|notfound|rejected|conflict|unsupported|missing|exceeded|crash|stalled|time[d_]?out/i;
const IMPAIRED_REASON = /degraded|unhealthy/i;
const PAUSED_REASON = /^Reconcil(?:e|iation)Paused$/;
const EXPIRED_REASON = /^(?:Certificate)?Expired$/i;

/**
 * Judges by the conditions that operators have in common. A resource without any of them proves nothing (F79), whatever
 * else its status says.
 */
export function judgeByConditions(object: ObjectFields): Ruling {
  const conditions = conditionsOf(object);
  const proofs = found(conditions, PROOFS);
  const ties = found(conditions, TIES);
  const paused = ties.find(({ status, reason }) => status !== 'True' && PAUSED_REASON.test(reason ?? ''));
  const working = found(conditions, WORK).find(
    ({ status, reason }) => status === 'True' && !WORK_DONE.has(reason),
  );
  const failure = found(conditions, FAILURES).find(({ status }) => status === 'True');
  const degraded = conditions.get('Degraded');
  return climb(
    [
      () =>
        proofs.length === 0 && failure === undefined && working === undefined && degraded === undefined
          ? (behind(object, conditions) ??
            ruling('unknown', 'no_conditions', nothingUnderstood(object, conditions)))
          : null,
      () =>
        isSuspended(object) ? ruling('suspended', 'paused', 'spec.suspend or spec.paused is true') : null,
      () => (paused === undefined ? null : ruling('suspended', 'paused', conditionFacts(paused))),
      () => behind(object, conditions),
      () => (failure === undefined ? null : ruling('failed', 'reconcile_failed', conditionFacts(failure))),
      () => (working === undefined ? null : ruling('progressing', 'reconciling', conditionFacts(working))),
      () => [...ties, ...proofs].map(proofUnmet).find((unmet) => unmet !== null) ?? null,
      () => (degraded?.status === 'True' ? ruling('degraded', 'impaired', conditionFacts(degraded)) : null),
      () =>
        proofs.length === 0
          ? ruling('unknown', 'no_conditions', nothingUnderstood(object, conditions))
          : null,
    ],
    ready(proofs.map(conditionFacts).join('; ')),
  );
}

const found = (conditions: Conditions, types: readonly string[]) =>
  types.flatMap((type) => conditions.get(type) ?? []);

function proofUnmet(condition: ObjectCondition): Ruling | null {
  if (condition.status === 'True') return null;
  const facts = conditionFacts(condition);
  if (condition.status === 'Unknown') return ruling('progressing', 'reconciling', facts);
  if (EXPIRED_REASON.test(condition.reason ?? '')) return ruling('failed', 'certificate_expired', facts);
  if (IMPAIRED_REASON.test(condition.reason ?? '')) return ruling('degraded', 'impaired', facts);
  return FAILED_REASON.test(condition.reason ?? '')
    ? ruling('failed', 'reconcile_failed', facts)
    : ruling('progressing', 'not_yet_ready', facts);
}

/** Only fields that hold a switch count: many resources have a `suspend` or `paused` that is something else. */
function isSuspended(object: ObjectFields): boolean {
  return ['spec.suspend', 'spec.suspended', 'spec.paused', 'spec.pause'].some((path) => {
    try {
      return flagAt(object, path);
    } catch {
      return false;
    }
  });
}

function nothingUnderstood(object: ObjectFields, conditions: Conditions): string {
  if (!isThere(object, 'status')) return 'it has no status';
  return conditions.size === 0
    ? 'its status has no conditions'
    : `conditions that are not understood: ${[...conditions.keys()].join(', ')}`;
}

/** Operators need not write `observedGeneration`; where one does, in the status or in a condition, it must not be behind. */
function behind(object: ObjectFields, conditions: Conditions): Ruling | null {
  const generation = countAt(object, 'metadata.generation') ?? 0;
  const ofConditions = found(conditions, [...PROOFS, ...TIES, ...FAILURES, ...WORK]).map(
    (c) => c.observedGeneration,
  );
  const observed = [countAt(object, 'status.observedGeneration'), ...ofConditions].filter(
    (seen) => seen !== null,
  );
  if (observed.length === 0) return null;
  const oldest = Math.min(...observed);
  return oldest < generation
    ? ruling('progressing', 'generation_behind', `generation ${oldest} of ${generation} is observed`)
    : null;
}
