import type { Cause, Claim, OperatorDetail } from '../contract/claim.ts';
import { type Digits, ZERO } from '../contract/digits.ts';
import type { Intent, RevisionIntent } from '../contract/intent.ts';
import type { CommandKind, Outcome, Stage } from '../contract/vocabulary.ts';
import { actionsOf } from './actions.ts';
import { catalogueCause } from './causes.ts';
import type { Facts, LeaseLiveness, RevisionFacts, Settings } from './facts.ts';
import { ageMs, byNow, rfc3339, rfc3339OrNull } from './instant.ts';
import { judge } from './judge.ts';
import { messageOf } from './message-of.ts';
import { nextMove } from './next.ts';
import { nothingSeen, nothingServesOf } from './nothing-serves.ts';
import { type FormerPlace, formerCopies } from './places.ts';
import { proofOf } from './proof.ts';
import { activeOf, queueOf } from './queue.ts';
import { takeOverRefusal } from './refusals.ts';
import { intendedDigest, observedEntry } from './running-contract.ts';
import { lastServed, lastServingOf, servingOf } from './serving.ts';
import type { Standing } from './standing.ts';
import { type Guarded, guarded } from './transitions.ts';
import { commandOf } from './workload.ts';

interface ClaimOptions {
  /**
   * The position of the head at which the facts were read; without it, the position of the last transition is
   * used.
   */
  readonly position?: Digits;
  /** For operators and admins only: details of the ledger that facts do not carry. */
  readonly operator?: Pick<OperatorDetail, 'correlation' | 'lastEvidence' | 'rejected'>;
  /** The revision that a rollback without a number goes to, null if there is none; absent where it was not read. */
  readonly lastGood?: number | null;
  /** The claim is of a past instant, of which nothing can be requested: `actions` is empty. */
  readonly isPast?: boolean;
  /** The judgement of these facts at this instant, where somebody has it already. */
  readonly judged?: Standing;
}

/**
 * claim(intent, facts, now) -> claim: the judgement, guarded by the transition table, with its sentences.
 * Pure and total: all facts have a claim, and it says where evidence is missing.
 */
export function claim(intent: Intent, facts: Facts, now: number, options: ClaimOptions = {}): Claim {
  const judged = options.judged ?? judge(intent, facts, now);
  const { standing } = guardedBy(facts, judged);
  const revision = activeOf(facts.proven) ?? null;
  const revisionIntent = intent.revisions.find((r) => r.revision === revision?.revision) ?? null;
  const active = revision === null || revisionIntent === null ? null : { revisionIntent, revision };
  const serving =
    // After a recovery the instance that answers may be newer than anything in the ledger.
    active === null || standing.cause?.code === 'store_recovered'
      ? null
      : servingOf(active.revisionIntent, facts, active.revision, now);
  const served = active === null ? null : lastServed(active.revisionIntent, facts, active.revision);
  const seen =
    active === null || standing.cause?.code === 'store_recovered'
      ? null
      : nothingSeen(active.revisionIntent, facts, active.revision);
  const nothing = seen === null || serving !== null ? null : nothingServesOf(seen, now);
  // Cited whether fresh or not: time alone changes no evidence before `validUntil`.
  const shown = { served, isNothing: seen !== null };
  const proof =
    active === null ? NO_PROOF : proofOf(active.revisionIntent, active.revision, facts, standing, shown);
  const position = options.position ?? facts.recorded?.position ?? ZERO;
  const cause = causeOf(standing);
  const former = formerCopies(facts);
  const doubted = doubtedPlace(former, cause);
  const next = nextMove(standing, cause, {
    isDoubled: doubted !== null,
    isManagedElsewhere:
      revisionIntent !== null && takeOverRefusal(revisionIntent, facts.proven.observed) !== null,
  });
  const message = messageOf(standing, cause, next, revision && commandOf(revision.attempt, 'build'), now);
  return {
    service: intent.service,
    state: standing.state,
    since: rfc3339(sinceOf(standing, facts)),
    desired: active === null ? undesired(intent, revision) : desiredOf(active, facts),
    serving,
    // mutant: last-serving
    lastServing: serving === null ? lastServingOf(served, now) : null,
    ...(nothing !== null && { nothingServes: nothing }),
    ...certificateIn(facts),
    outcome: recordedOutcome(revision, standing),
    formerPlace:
      former === null
        ? null
        : { identity: former.identity, copies: former.copies, asOf: rfc3339(byNow(now, former.asOf)) },
    ...proof,
    freshness: {
      asOf: rfc3339OrNull(standing.asOf === null ? null : byNow(now, standing.asOf)),
      ageMs: standing.asOf === null ? null : ageMs(now, standing.asOf),
      freshForMs: standing.freshUntil === null ? null : facts.liveness.settings.freshForMs,
      // mutant: valid-until
      validUntil: rfc3339OrNull(standing.overdue ? now + 1 : standing.changesAt),
    },
    queued: queuedOf(intent, facts),
    // mutant: last-known
    lastKnown:
      standing.lastKnown === null
        ? null
        : {
            state: standing.lastKnown.state,
            at: rfc3339(byNow(now, standing.lastKnown.at)),
            ageMs: ageMs(now, standing.lastKnown.at),
          },
    cause,
    expecting: expectingOf(standing),
    timeout: standing.timeout,
    message: { code: message.code, title: message.title, body: withFormer(message.body, standing, former) },
    next,
    actions: options.isPast
      ? []
      : actionsOf(intent, facts, now, judged, { position, lastGood: options.lastGood, doubted }),
    position,
    now: rfc3339(now),
    ...(options.operator === undefined
      ? {}
      : { operator: operatorDetail(standing, facts, now, message.operator, options.operator) }),
  };
}

/** The former place in which copies may run, or an order may yet be carried out. */
function doubtedPlace(former: FormerPlace | null, cause: Cause | null): string | null {
  if (former !== null && !former.isSucceeded) return former.identity;
  return cause?.code === 'identity_changed' ? String(cause.params.former) : null;
}

function expectingOf({ expecting }: Standing): Claim['expecting'] {
  if (expecting === null) return null;
  const { evidence, from, by, endsAt } = expecting;
  return { evidence, from, by: rfc3339OrNull(by), ...(endsAt !== undefined && { endsAt: rfc3339(endsAt) }) };
}

/** As the newest observation shows it, however old that is: the claim says its age. */
function certificateIn({ proven }: Facts): Pick<Claim, 'certificate'> {
  const certificate = observedEntry(proven.observed)?.route?.certificate;
  return certificate == null ? {} : { certificate };
}

/**
 * The judgement, guarded by the transition table. Without a recorded transition nothing is guarded: replaying
 * only the evidence that a claim cites must give the same state again (S14).
 */
export function standingOf(intent: Intent, facts: Facts, now: number): Guarded {
  return guardedBy(facts, judge(intent, facts, now));
}

function guardedBy({ proven, recorded }: Facts, judged: Standing): Guarded {
  if (recorded === null) return { standing: judged, alarm: false };
  const revision = activeOf(proven);
  return guarded(judged, recorded, revision?.revision ?? 0, revision?.attempt.attempt ?? 1);
}

const NO_PROOF: Pick<Claim, 'proof' | 'path'> = {
  proof: { reached: [], stoppedAt: null, evidence: [] },
  path: [],
};

interface Active {
  readonly revisionIntent: RevisionIntent;
  readonly revision: RevisionFacts;
}

/**
 * The outcome on record: it never changes again (S11). A deadline that has just passed changes the state at
 * once, and the outcome with the sweeper's next turn, because a transaction in progress may record another
 * outcome.
 */
export function recordedOutcome(revision: RevisionFacts | null, standing: Standing): Outcome {
  const settled = revision?.attempt.settled?.outcome;
  return settled ?? (standing.outcome === 'succeeded' ? 'succeeded' : 'in_progress');
}

/** The recorded transition gives `since`, if it is about the same state of the same attempt. */
function sinceOf(standing: Standing, { recorded, proven }: Facts): number {
  const active = activeOf(proven);
  const same =
    recorded !== null &&
    recorded.state === standing.state &&
    recorded.revision === active?.revision &&
    recorded.attempt === active.attempt.attempt;
  return same ? recorded.since : standing.since;
}

function causeOf({ cause, state, stage }: Standing): Cause | null {
  const code = catalogueCause(cause?.code ?? null, state, stage);
  return code === null ? null : { code, params: cause?.params ?? {} };
}

function desiredOf({ revisionIntent, revision }: Active, facts: Facts): Claim['desired'] {
  const { origin } = revisionIntent;
  return {
    revision: revision.revision,
    attempt: revision.attempt.attempt,
    artifact: intendedDigest(revisionIntent, revision) ?? (origin.kind === 'image' ? origin.image : null),
    replicas:
      origin.kind === 'observe'
        ? (observedEntry(facts.proven.observed)?.replicas ?? revisionIntent.replicas)
        : revisionIntent.replicas,
  };
}

/** The desired state of a revision whose intent cannot be read: only its number is shown. */
function undesired(intent: Intent, revision: RevisionFacts | null): Claim['desired'] {
  return {
    revision: revision?.revision ?? intent.revisions[0]?.revision ?? 0,
    attempt: revision?.attempt.attempt ?? 1,
    artifact: null,
    replicas: 0,
  };
}

function queuedOf(intent: Intent, { proven }: Facts): Claim['queued'] {
  return queueOf(proven)
    .waiting.filter((r) => r.attempt.cancel === null)
    .map((r) => ({
      revision: r.revision,
      attempt: r.attempt.attempt,
      since: rfc3339(r.recorded?.at ?? r.activatedAt),
      actor: intent.revisions.find((i) => i.revision === r.revision)?.actor ?? '',
    }));
}

/** The state from which a cancelled attempt was withdrawn: an apply that somebody owns cannot be withdrawn. */
function cancelledIn(revision: RevisionFacts | null): Stage {
  const commands = revision?.attempt.commands ?? [];
  const has = (kind: CommandKind) => commands.some((command) => command.kind === kind);
  if (has('remove')) return 'stop';
  if (has('build') && has('apply')) return 'apply_queue';
  if (!commands.some(({ published }) => published !== null)) return 'publish';
  if (has('apply')) return 'apply_queue';
  return revision?.attempt.cancel?.immediate ? 'queue' : 'build';
}

function operatorDetail(
  standing: Standing,
  { proven, liveness }: Facts,
  now: number,
  text: string,
  fromLedger: NonNullable<ClaimOptions['operator']>,
): OperatorDetail {
  const revision = activeOf(proven) ?? null;
  const lease = liveness.lease?.ended ? null : liveness.lease;
  return {
    stage: standing.stage ?? (standing.state === 'cancelled' ? cancelledIn(revision) : null),
    attempt: revision?.attempt.attempt ?? 1,
    fence: lease?.fence ?? null,
    holder: lease?.holder ?? null,
    holderLastHeardAt: rfc3339OrNull(
      lease === null ? null : Math.max(0, byNow(now, heardAt(lease, liveness.settings))),
    ),
    ...fromLedger,
    text,
  };
}

/** A heartbeat moves the end of the lease, and nothing else; an offer was granted to somebody who called. */
const heardAt = ({ acknowledged, grantedAt, until }: LeaseLiveness, { leaseTtlMs }: Settings) =>
  acknowledged ? Math.max(grantedAt, until - leaseTtlMs) : grantedAt;

/** Whatever holds in the new place: copies in the former one were never proven gone (F114). */
function withFormer(body: string, { cause }: Standing, former: FormerPlace | null): string {
  if (former === null || cause?.code === 'identity_changed') return body;
  return `${body} Copies in the former place ${former.identity} were never proven gone.`;
}
