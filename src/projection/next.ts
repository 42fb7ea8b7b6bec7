import type { Cause } from '../contract/claim.ts';
import type { Mover } from '../contract/vocabulary.ts';
import type { ActionName } from './actions.ts';
import { CAUSES } from './causes.ts';
import { isRuntimeReason } from './runtime-reasons.ts';
import type { Standing } from './standing.ts';

/** Whose move it is. `action` is null where the mover needs no asking. */
export interface Move {
  readonly owner: Mover;
  readonly action: ActionName | null;
  readonly retrySafe: boolean;
}

/** `cause` is the shown one: a code outside the catalogue names no mover. */
export function nextMove(standing: Standing, cause: Cause | null): Move {
  const row = cause === null ? null : CAUSES[cause.code];
  const retrySafe = standing.retrySafe && (row?.retrySafe ?? true);
  const by = (owner: Mover, action: ActionName | null): Move => ({ owner, action, retrySafe });
  switch (standing.state) {
    case 'running':
    case 'stopped':
      return by('none', null);
    case 'accepted':
    case 'building':
    case 'applying_runtime_state':
    case 'cancelling':
    case 'stopping':
      return by('platform', null);
    case 'starting':
      // Not ready yet is how every start looks; a reason that the runtime gives is somebody's to mend.
      return row !== null && cause !== null && isRuntimeReason(cause.code)
        ? by(row.owner, row.action)
        : by('platform', null);
    case 'waiting_for_worker':
    case 'artifact_ready':
      return by('platform', forKind(row?.action ?? null, cause));
    case 'degraded':
      return by(row?.owner ?? 'platform', again(row?.action ?? null, standing));
    case 'failed':
      return by(
        standing.timeout?.owner ?? (row === null || row.owner === 'none' ? 'user' : row.owner),
        again(row?.action ?? 'retry', standing),
      );
    case 'cancelled':
      return by('user', 'retry');
    case 'unknown':
      if (standing.expecting?.evidence === 'retry.requested') return by('user', 'retry');
      return by(row?.owner ?? 'platform', row?.action ?? null);
  }
}

/** What waits for an agent is not helped by a builder. */
function forKind(action: ActionName | null, cause: Cause | null): ActionName | null {
  return action === 'start_worker' && cause?.params.kind === 'apply' ? 'start_agent' : action;
}

/** An attempt that succeeded cannot be retried (`retry_not_possible`): a restart is what is offered. */
function again(action: ActionName | null, standing: Standing): ActionName | null {
  return action === 'retry' && standing.outcome === 'succeeded' ? 'restart' : action;
}
