import { type ActionName, moverOf } from '../contract/actions.ts';
import type { Cause } from '../contract/claim.ts';
import type { Move } from '../contract/presentation/moves.ts';
import type { CauseCode } from '../contract/vocabulary.ts';
import { CAUSES } from './causes.ts';
import { isRuntimeReason } from './runtime-reasons.ts';
import type { Standing } from './standing.ts';

/** Reasons that a successful start may show for a while: nobody has anything to correct. */
const UNDER_WAY: ReadonlySet<CauseCode> = new Set([
  'not_answering',
  'probe_failed',
  'volume_pending',
  'router_down',
]);

/** After this time a start is no longer as every start is. */
const UNDER_WAY_MS = 60_000;

/**
 * By what was observed, so that time alone changes no mover. An app that does not listen yet may still be loading: its
 * deadline decides, not the minute.
 */
const isUnderWay = ({ code, params }: Cause, { asOf, since }: Standing): boolean => {
  if (code === 'not_listening') return true;
  if (!UNDER_WAY.has(code) || isAnsweredWrongly(params)) return false;
  return (asOf ?? since) - since < UNDER_WAY_MS;
};

/** An app that answers is not loading any more, unless it asks for patience itself. */
const isAnsweredWrongly = ({ status }: Cause['params']): boolean =>
  typeof status === 'number' && status !== 429 && status !== 503;

/** The actions that change a service through us. */
const CHANGES: ReadonlySet<ActionName> = new Set([
  'deploy',
  'redeploy',
  'retry',
  'restart',
  'rollback',
  'teardown',
]);

/** Surroundings of a service that limit what may be done next. */
interface MoveLimits {
  /** Copies in a former place may run still, so that whatever starts another is not safe (F114). */
  readonly isDoubled?: boolean;
  /** Another tool deploys it: whatever would change it here is refused. */
  readonly isManagedElsewhere?: boolean;
}

/** `cause` is the shown one: a code outside the catalogue names no mover. */
export function nextMove(
  standing: Standing,
  cause: Cause | null,
  { isDoubled = false, isManagedElsewhere = false }: MoveLimits = {},
): Move {
  const row = cause === null ? null : CAUSES[cause.code];
  // mutant: retry-safe
  const retrySafe = standing.retrySafe && (row?.retrySafe ?? true) && !isDoubled;
  const goesOn: Move = { owner: 'platform', action: null, retrySafe };
  const needs = (proposed: ActionName | null): Move => {
    const wanted = possible(proposed, standing, retrySafe);
    const action = isManagedElsewhere && wanted !== null && CHANGES.has(wanted) ? 'mend_there' : wanted;
    const isSame = standing.state === 'failed' && retrySafe && row?.retryHelps === false;
    return {
      owner: moverOf(action),
      action,
      retrySafe,
      ...(isSame && !isManagedElsewhere && { retryHelps: false as const }),
      ...(isManagedElsewhere && action !== null && { elsewhere: true as const }),
    };
  };
  switch (standing.state) {
    case 'running':
      if (standing.reading?.changeWaitsSince != null) return needs('resume_rollout');
      return { owner: 'none', action: null, retrySafe };
    case 'stopped':
      return { owner: 'none', action: null, retrySafe };
    case 'accepted':
    case 'building':
    case 'applying_runtime_state':
    case 'cancelling':
    case 'stopping':
      return goesOn;
    case 'starting':
      // Every start shows these reasons for a while; any other runtime reason has a mover.
      return row !== null && cause !== null && isRuntimeReason(cause.code) && !isUnderWay(cause, standing)
        ? needs(row.action)
        : goesOn;
    case 'waiting_for_worker':
    case 'artifact_ready':
      return needs(forKind(row?.action ?? null, cause));
    case 'degraded':
      // The runtime restarts an instance that exited, and controllers of a cluster replace one that is gone.
      if (cause?.code === 'not_started') return goesOn;
      if (cause?.code === 'instances_gone' && isManagedElsewhere) return goesOn;
      // It ran, and its checks fail since: the same may run again, and nothing says that the source has to change.
      return needs(isUnhealthy(cause) ? 'restart' : (row?.action ?? null));
    case 'failed':
      // An attempt whose failure is about to be taken back needs no mover; no other failure goes on by itself.
      return isSettling(cause) ? goesOn : needs(row?.action ?? 'retry');
    case 'cancelled':
      return needs(isOfRemoval(cause) ? 'rollback' : 'retry');
    case 'unknown':
      if (standing.expecting?.evidence === 'retry.requested') return needs('retry');
      if (isLost(cause) || cause?.code === 'not_observed') return { owner: 'none', action: null, retrySafe };
      // The next sign of life of its machine settles it.
      if (cause?.code === 'absence_unproven' && cause.params.by !== undefined) return goesOn;
      return needs(isNotOnRecord(cause) ? 'redeploy' : (row?.action ?? null));
  }
}

const isUnhealthy = (cause: Cause | null): boolean =>
  cause?.code === 'probe_failed' || cause?.code === 'health_error';

/** Ready, and watched until it has held its window. */
export const isSettling = (cause: Cause | null): boolean =>
  cause?.code === 'settling' || cause?.code === 'unsteady';

/** A restored store, and a running instance that it has no record of: no report resolves that (F54). */
export const isNotOnRecord = (cause: Cause | null): boolean =>
  cause?.code === 'store_recovered' && cause.params.seenRevision !== undefined;

/** A removal that was cancelled: trying that again would remove what is there. */
export const isOfRemoval = (cause: Cause | null): boolean =>
  cause?.code === 'cancel_requested' && cause.params.kind === 'remove';

/** A past instant whose records are lost: nothing resolves that. */
export const isLost = (cause: Cause | null): boolean =>
  cause?.code === 'store_recovered' && cause.params.lostSince !== undefined;

/** A builder does not help a command that waits for an agent, and nobody helps an agent that is online and busy. */
function forKind(action: ActionName | null, cause: Cause | null): ActionName | null {
  if (cause?.code === 'all_busy' && cause.params.kind === 'apply') return null;
  return action === 'start_worker' && cause?.params.kind === 'apply' ? 'start_agent' : action;
}

/**
 * An attempt that succeeded cannot be retried (`retry_not_possible`): a restart is offered instead. An
 * attempt that may not be retried safely is to be inspected first.
 */
function possible(action: ActionName | null, { outcome }: Standing, retrySafe: boolean): ActionName | null {
  if (action !== 'retry') return action;
  if (!retrySafe) return 'investigate';
  return outcome === 'succeeded' ? 'restart' : 'retry';
}
