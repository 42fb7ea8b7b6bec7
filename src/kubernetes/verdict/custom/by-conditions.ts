import { type Conditions, conditionFacts, conditionsOf, type ObjectCondition } from '../conditions.ts';
import { countAt, flagAt, isThere, type ObjectFields } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import { copiesUnmet, troubleUnmet, wordUnmet } from './besides.ts';
import { namesHealth, namesStep, namesTrouble, namesWork } from './condition-names.ts';

/** Conditions that say, when True, that the object is as it should be. Every one that is there must be True. */
const PROOFS = [
  'Ready',
  'Available',
  'Succeeded',
  'Complete',
  'Completed',
  'Healthy',
  'RevisionHealthy',
  'ACK.ResourceSynced',
] as const;
/**
 * Conditions that prove nothing alone, and deny the proof of the others where they are not True: Ready of a resource of
 * Crossplane speaks of what was last applied, and Synced says whether that is what is asked for.
 */
const TIES = ['Synced', 'LastAsyncOperation', 'Reconciled', 'Installed'] as const;
/** Proofs that say that it works, whatever becomes of a change to it. */
const SERVES: ReadonlySet<string> = new Set(['Ready', 'Available', 'Healthy']);
/** Conditions that say, when True, that it is not. */
const FAILURES = [
  'Stalled',
  'Failed',
  'Failure',
  'Error',
  'ReconcileError',
  'ReconcileFailed',
  'Invalid',
  'InvalidSpec',
  'HasErrors',
  'ACK.Terminal',
] as const;
/** Conditions that say, when True, that a part of it is not. */
const IMPAIRMENTS = ['Degraded', 'PartiallyReady', 'ACK.Recoverable'] as const;
/** Conditions that say, when True, that its controller is at work. */
const WORK = [
  'Reconciling',
  'Progressing',
  'Updating',
  'Upgrading',
  'Installing',
  'Deleting',
  'Terminating',
  'Disrupting',
  'RollingUpdate',
  'RollingOut',
  'ScalingUp',
  'ScalingDown',
  'Remediating',
] as const;
/** Conditions that say, when True, that somebody stopped it on purpose. */
const PAUSES = [
  'Paused',
  'Suspended',
  'ReconciliationPaused',
  'Hibernating',
  'Hibernated',
  'Stopped',
] as const;
/** Reasons of Progressing=True that stand for the end of the work. */
const WORK_DONE: ReadonlySet<string | null> = new Set([
  'Succeeded',
  'NewReplicaSetAvailable',
  'NewReplicationControllerAvailable',
  'Completed',
]);

/** Parts of a reason that say it failed, where the condition says only that it is not ready. */
const FAILED_REASON =
  /fail|error|invalid|denied|forbidden|unauthori[sz]ed|notfound|rejected|conflict|unsupported|missing|exceeded|crash|stalled|time[d_]?out|unreachable/i;
/** Words with which a message begins that says so; further on it may tell of a step that is tried again. */
const FAILED_MESSAGE = /^(?:failed|error|unable to|cannot|could not|invalid)\b/i;
const IMPAIRED_REASON = /degraded|unhealthy/i;
const PAUSED_REASON = /^Reconcil(?:e|iation)Paused$/;
const EXPIRED_REASON = /^(?:Certificate)?Expired$/i;
/** A proof that is True for a reason of failure is none: Complete=True (JobFailed). */
const DENYING_REASON = /(?:fail(?:ed|ure)?|error(?:ed)?)$/i;
/** The same of a condition that is False, whatever it is about: ReconcileComplete=False (Error). */
const ENDED_BADLY_REASON =
  /^(?!(?:No|Not|Without)(?=[A-Z])).*(?:Failed|Failure|Error|Errored|Forbidden|Denied|Unauthorized)$/;
/** Reasons that take the proof from a condition that is True, without saying that anything failed. */
const DOUBTING_REASON = /^(?!no)(?:.*(?:Degraded|Unhealthy|NotReady|NotFound|Missing|TimedOut|Expired))$/i;
const AT_WORK_REASON =
  /^(?:Pending|InProgress|Progressing|Reconciling|Updating|Upgrading|Creating|Deleting|Terminating|Waiting|Scaling|Starting|Unknown)$/i;
/** Reasons of a part that is False because nobody asked for it. */
const UNASKED_REASON =
  /^(?:Disabled|Skipped|Unused|Not(?:Applicable|Configured|Enabled|Needed|Requested|Required|Used))$/i;
const UNDER_WAY_REASON = /^(?:pending|queued|waiting|started|running|progress|inprogress)/i;

/** Types that an operator uses for what the common ones say elsewhere. */
interface OwnTypes {
  /** Each must be there, and True. */
  readonly proofs?: readonly string[];
  /** None may be True. */
  readonly denials?: readonly string[];
  /** Its other types are known, and say nothing of how it is. */
  readonly isClosed?: boolean;
}

/**
 * Judges by the conditions that operators have in common, and by those that its operator has for them. A resource
 * without any of them proves nothing (F79), whatever else its status says.
 */
export function judgeByConditions(object: ObjectFields, types: OwnTypes = {}): Ruling {
  const conditions = conditionsOf(object);
  const needed = types.proofs ?? [];
  const proofs = found(conditions, [...PROOFS, ...needed]);
  const ties = found(conditions, TIES);
  const paused =
    found(conditions, PAUSES).find(({ status }) => status === 'True') ??
    ties.find(({ status, reason }) => status !== 'True' && PAUSED_REASON.test(reason ?? ''));
  const progressing = conditions.get('Progressing');
  const working = found(conditions, WORK).find(isWorking);
  const failure =
    found(conditions, FAILURES).find(({ status }) => status === 'True') ??
    found(conditions, ['Progressing']).find(hasGivenUp) ??
    proofs.find(({ status, reason }) => status === 'True' && isDenied(reason));
  const impaired =
    found(conditions, [...IMPAIRMENTS, ...(types.denials ?? [])]).find(({ status }) => status === 'True') ??
    [...conditions.values()].find(
      ({ type, status }) => status === 'True' && type !== 'NotReady' && namesTrouble(type),
    );
  const notReady = conditions.get('NotReady');
  const missing = needed.find((type) => !conditions.has(type));
  const says = [failure, working, paused, impaired, notReady, conditions.get('Degraded')];
  const isSilent = proofs.length === 0 && says.every((one) => one === undefined);
  return climb(
    [
      () =>
        isSilent && needed.length === 0
          ? (behind(object, conditions, needed) ??
            ruling('unknown', 'no_conditions', nothingUnderstood(object, conditions)))
          : null,
      () =>
        isSuspended(object) ? ruling('suspended', 'paused', 'spec.suspend or spec.paused is true') : null,
      () => (paused === undefined ? null : ruling('suspended', 'paused', conditionFacts(paused))),
      () => behind(object, conditions, needed),
      () => (failure === undefined ? null : ruling('failed', 'reconcile_failed', conditionFacts(failure))),
      () => (working === undefined ? null : ruling('progressing', 'reconciling', conditionFacts(working))),
      () =>
        impairedUnmet(weakenedWhereItServes(first([...ties, ...proofs].map(proofUnmet)), proofs), impaired),
      () => (impaired === undefined ? null : ruling('degraded', 'impaired', conditionFacts(impaired))),
      () => (types.isClosed ? null : first([...conditions.values()].map(partUnmet))),
      () =>
        notReady === undefined || notReady.status === 'False'
          ? null
          : ruling('progressing', 'not_yet_ready', conditionFacts(notReady)),
      () =>
        progressing?.status === 'Unknown'
          ? ruling('progressing', 'reconciling', conditionFacts(progressing))
          : null,
      () =>
        missing === undefined
          ? null
          : ruling('progressing', 'not_observed', `the condition ${missing} is missing`),
      () =>
        proofs.length === 0
          ? ruling('unknown', 'no_conditions', nothingUnderstood(object, conditions))
          : null,
      () => copiesUnmet(object),
      () => wordUnmet(object),
      () => (proofs.some(({ type }) => SERVES.has(type)) ? troubleUnmet(object) : null),
    ],
    ready(proofs.map(conditionFacts).join('; ')),
  );
}

const first = (rulings: readonly (Ruling | null)[]) => rulings.find((unmet) => unmet !== null) ?? null;

/** A change that cannot be made leaves what works as it is. */
function weakenedWhereItServes(unmet: Ruling | null, proofs: readonly ObjectCondition[]): Ruling | null {
  const serves = proofs.some(({ type, status }) => status === 'True' && SERVES.has(type));
  return unmet?.verdict === 'failed' && serves ? { ...unmet, verdict: 'degraded' } : unmet;
}

/** Not ready is on its way, unless its operator says beside it that it is not well. */
function impairedUnmet(unmet: Ruling | null, impaired: ObjectCondition | undefined): Ruling | null {
  if (unmet?.reason !== 'not_yet_ready' || impaired === undefined) return unmet;
  return ruling('degraded', 'impaired', `${conditionFacts(impaired)}; ${unmet.facts}`);
}

/** A part of it that is not well, or is worked on, while nothing else says so. */
function partUnmet(condition: ObjectCondition): Ruling | null {
  const { type, status, reason } = condition;
  if (status === 'False' && !namesTrouble(type) && ENDED_BADLY_REASON.test(reason ?? ''))
    return ruling('degraded', 'impaired', conditionFacts(condition));
  if (status === 'True')
    return namesWork(type) && isWorking(condition)
      ? ruling('progressing', 'reconciling', conditionFacts(condition))
      : null;
  if (UNASKED_REASON.test(reason ?? '')) return null;
  if (!namesHealth(type))
    return status === 'False' && namesStep(type)
      ? ruling('progressing', 'not_yet_ready', conditionFacts(condition))
      : null;
  // Some operators leave a part Unknown for ever, under a Ready that sums it up.
  if (status === 'Unknown') return null;
  const isSick = /(?:Healthy|Responsive|Reachable)$/.test(type) || IMPAIRED_REASON.test(reason ?? '');
  return isSick
    ? ruling('degraded', 'impaired', conditionFacts(condition))
    : ruling('progressing', 'not_yet_ready', conditionFacts(condition));
}

const found = (conditions: Conditions, types: readonly string[]) =>
  [...new Set(types)].flatMap((type) => conditions.get(type) ?? []);

const isWorking = ({ type, status, reason }: ObjectCondition) =>
  status === 'True' && !(type.endsWith('Progressing') && WORK_DONE.has(reason));
const hasGivenUp = ({ status, reason }: ObjectCondition) =>
  status === 'False' && FAILED_REASON.test(reason ?? '');
const isDenied = (reason: string | null) =>
  reason !== null && DENYING_REASON.test(reason) && !/^no/i.test(reason);

/** A proof that is True for a reason that says otherwise: its condition was turned, and its reason speaks of now. */
function reasonUnmet(condition: ObjectCondition): Ruling | null {
  const [reason, message] = [condition.reason ?? '', condition.message ?? ''];
  if (FAILED_MESSAGE.test(message)) return ruling('unknown', 'contradictory', conditionFacts(condition));
  if (DOUBTING_REASON.test(reason)) return ruling('degraded', 'impaired', conditionFacts(condition));
  return AT_WORK_REASON.test(reason) ? ruling('progressing', 'reconciling', conditionFacts(condition)) : null;
}

function proofUnmet(condition: ObjectCondition): Ruling | null {
  if (condition.status === 'True') return reasonUnmet(condition);
  const facts = conditionFacts(condition);
  const [reason, message] = [condition.reason ?? '', condition.message ?? ''];
  if (condition.twofold !== undefined) return ruling('unknown', 'contradictory', facts);
  if (condition.status === 'Unknown') return ruling('progressing', 'reconciling', facts);
  if (EXPIRED_REASON.test(reason)) return ruling('failed', 'certificate_expired', facts);
  if (IMPAIRED_REASON.test(reason)) return ruling('degraded', 'impaired', facts);
  // While it runs, Succeeded is Unknown: False is its end, whatever the reason is called.
  const isEnd = condition.type === 'Succeeded' && !UNDER_WAY_REASON.test(reason);
  return isEnd || FAILED_REASON.test(reason) || FAILED_MESSAGE.test(message)
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
function behind(object: ObjectFields, conditions: Conditions, needed: readonly string[]): Ruling | null {
  const generation = countAt(object, 'metadata.generation') ?? 0;
  const ofConditions = found(conditions, [...PROOFS, ...TIES, ...FAILURES, ...WORK, ...needed]).map(
    (c) => c.observedGeneration,
  );
  const observed = [countAt(object, 'status.observedGeneration'), ...ofConditions].filter(
    (seen) => seen !== null,
  );
  if (observed.length === 0) return null;
  const [oldest, newest] = [Math.min(...observed), Math.max(...observed)];
  if (oldest < generation)
    return ruling('progressing', 'generation_behind', `generation ${oldest} of ${generation} is observed`);
  return generation > 0 && newest > generation
    ? ruling('unknown', 'contradictory', `generation ${newest} is observed, and ${generation} is the newest`)
    : null;
}
