import type { Origin, RevisionIntent } from '../contract/intent.ts';
import { IMAGE_DIGEST, nameOf, targetOf } from '../contract/names.ts';
import { type Answer, type Problem, type ProblemParams, problem } from '../contract/problem.ts';
import type { Facts, Observed, RevisionFacts } from './facts.ts';
import { rfc3339 } from './instant.ts';
import type { Standing } from './standing.ts';
import { neededCommand } from './workload.ts';
import { workloadFate } from './workload-seen.ts';

/**
 * The refusal of a verb, decided from facts; null means that it does not refuse. The verb calls the function
 * inside its transaction, and the claim calls the same function, so that the verb does what a claim allows.
 * Rejected: pages and terminal that conclude it from the state, because they disagreed with the verbs.
 */
export type VerbRefusal = Problem | null;

/** The active revision and its standing, on which a verb decides. */
export interface JudgedRevision {
  readonly intent: RevisionIntent;
  readonly revision: RevisionFacts;
  readonly facts: Facts;
  readonly standing: Standing;
}

/** The facts or the intent of the active revision cannot be read: no verb can decide on them (F56). */
export const unreadable = () =>
  problem(
    'state_unknown',
    'What is recorded of this service cannot be read; an operator must restore it first.',
  );

/** The attempt has not ended. */
export function isInProgress({ recorded, attempt }: RevisionFacts): boolean {
  return attempt.settled === null && !recorded?.absent;
}

/** A retry needs an attempt that ended without success. The refusal names only what would not be refused as well. */
export function retryRefusal({ intent, revision, facts, standing }: JudgedRevision): VerbRefusal {
  const elsewhere = takeOverRefusal(intent, facts.proven.observed);
  if (elsewhere !== null) return elsewhere;
  const outcome = revision.recorded?.absent ? 'succeeded' : revision.attempt.settled?.outcome;
  if (outcome === 'failed' || outcome === 'cancelled' || outcome === 'abandoned') return null;
  if (outcome === undefined)
    return problem('retry_not_possible', 'It is still in progress.', { outcome: 'in_progress' });
  if (intent.origin.kind === 'observe')
    return problem(
      'retry_not_possible',
      `It succeeded. ${managerOf(facts.proven.observed)} manages this service; act there.`,
      { outcome },
    );
  if (intent.kind === 'teardown')
    return problem('retry_not_possible', 'It succeeded; deploy again to run it.', {
      outcome,
      instead: 'deploy',
    });
  const how = standing.state === 'failed' ? 'It ran before it failed' : 'It succeeded';
  return problem('retry_not_possible', `${how}; restart it instead.`, { outcome, instead: 'restart' });
}

/** A cancel of the active attempt: possible until an agent has acknowledged its apply. May be repeated. */
export function cancelRefusal({ intent, revision, facts }: JudgedRevision): VerbRefusal {
  if (!isInProgress(revision)) return problem('nothing_to_cancel', 'Nothing is in progress.');
  if (revision.attempt.cancel !== null) return null;
  if (intent.origin.kind === 'observe')
    return problem(
      'nothing_to_cancel',
      `Nothing is done here. ${managerOf(facts.proven.observed)} manages this service; act there.`,
    );
  // mutant: cancel-too-late
  if (isWithTarget(revision) || neededCommand(intent, revision) === null)
    return problem(
      'cancel_not_possible',
      'The target is already at work on it; roll back or tear down instead.',
      holderOf(facts),
    );
  return null;
}

function isWithTarget({ attempt: { commands } }: RevisionFacts): boolean {
  return commands.some(({ kind, leases }) => kind !== 'build' && leases.some((l) => l.acknowledged !== null));
}

/** The holder of the work while there is one, and what is still possible. */
function holderOf({ liveness: { lease } }: Facts): ProblemParams {
  const instead = 'rollback or teardown';
  if (lease === null || !lease.acknowledged || lease.ended) return { instead };
  return { holder: { worker: lease.holder }, until: rfc3339(lease.until), instead };
}

/** Restart, scale, rollback and a change of configuration are not ours where another tool manages the service. */
export function elsewhereRefusal(
  { origin }: Pick<RevisionIntent, 'origin'>,
  observed: Observed,
): VerbRefusal {
  if (origin.kind !== 'observe') return null;
  return problem('managed_elsewhere', `${managerOf(observed)} manages this service; act there.`);
}

/**
 * A deploy takes over a service that somebody had only watched, but not a workload of a cluster that is there: two would
 * write the same object, each against the other.
 */
export function takeOverRefusal(intent: Pick<RevisionIntent, 'origin'>, observed: Observed): VerbRefusal {
  if (observed.workload === undefined || workloadFate(observed) !== 'there') return null;
  return elsewhereRefusal(intent, observed);
}

/** Its target's agent observes what other tools deploy, and would apply nothing: it would wait for ever. */
export const observeOnlyRefusal = (service: string): Problem =>
  problem(
    'observe_only',
    `${targetOf(service)} observes what other tools deploy there and deploys nothing itself. Deploy ${nameOf(service)} with one of them, or to another target.`,
    { target: targetOf(service), cause: 'observe_only' },
  );

/** Names of tools, releases and field managers; anything else is somebody's free text and reaches no sentence (S15). */
const MANAGER = /^[A-Za-z0-9][\w .:/()@-]{0,99}$/;

/** The tool that manages an observed service, as the subject of a sentence. */
function managerOf({ workload }: Observed): string {
  const managedBy = workload?.workload.managedBy;
  return managedBy != null && MANAGER.test(managedBy) ? managedBy : 'Another tool';
}

/** A rollback that names no revision goes to `lastGood`: the newest earlier revision that succeeded and should run. */
export function lastGoodRefusal(lastGood: number | null): VerbRefusal {
  return lastGood === null
    ? problem('nothing_to_roll_back', 'No earlier revision with other code or configuration has succeeded.')
    : null;
}

/**
 * The origin of a revision that is to run again, by its bytes: a source becomes its artifact, a tag becomes
 * its digest. `artifact` is the digest that its build stored. Refused where there are no bytes.
 */
export function bytesOf(
  { kind, origin, revision }: Pick<RevisionIntent, 'kind' | 'origin' | 'revision'>,
  artifact: string | null,
): Answer<{ readonly origin: Origin }> {
  const pinned = pinnedOrigin(origin, artifact);
  if (pinned !== null) return { ok: true, origin: pinned };
  const detail =
    kind === 'teardown'
      ? `Revision ${revision} tears it down; deploy it again.`
      : `Revision ${revision} has no artifact to run.`;
  return problem('no_artifact', detail, { revision });
}

function pinnedOrigin(origin: Origin, artifact: string | null): Origin | null {
  switch (origin.kind) {
    case 'artifact':
      return origin;
    case 'source':
      return artifact === null ? null : { kind: 'artifact', digest: artifact };
    case 'image': {
      const digest = artifact === null ? null : (IMAGE_DIGEST.exec(artifact)?.[1] ?? artifact);
      if (IMAGE_DIGEST.test(origin.image) || digest === null) return origin;
      return { kind: 'image', image: `${origin.image.replace(/:[^/:]*$/, '')}@${digest}` };
    }
    case 'observe':
    case 'none':
      return null;
  }
}

/**
 * Refuses a teardown without force while the state is unknown: something could be left running that nobody
 * observes. A repeated teardown is never refused for that.
 */
export function teardownRefusal({ intent, facts, standing }: JudgedRevision): VerbRefusal {
  // mutant: teardown-of-unknown
  if (standing.state === 'unknown' && intent.kind !== 'teardown')
    return problem('state_unknown', 'What runs is not known; wait until it is, or force it with a reason.', {
      cause: standing.cause?.code ?? '',
    });
  if (intent.origin.kind !== 'observe') return null;
  return problem(
    'managed_elsewhere',
    `${managerOf(facts.proven.observed)} manages this service: tear it down there. An operator can take it off the lists, forced and with a reason.`,
  );
}
