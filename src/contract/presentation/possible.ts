import { ACTIONS } from '../actions.ts';
import type { Claim } from '../claim.ts';
import type { State } from '../vocabulary.ts';

/** What people can ask of a service by a button. */
export const DEEDS = ['retry', 'rollback', 'restart', 'scale', 'cancel', 'teardown'] as const;
export type Deed = (typeof DEEDS)[number];

/** What comes of it, before it is asked for. */
export const DEED_DOES: Readonly<Record<Deed, string>> = {
  retry: 'Tries the same revision again, from the first step that is not proven yet.',
  rollback: ACTIONS.rollback.does,
  restart: 'Starts the same app again, as a new revision. What serves now serves until that one is ready.',
  scale:
    'Makes a new revision of the same app with another number of copies; those that stay are not restarted.',
  cancel: 'Ends what is in progress. What serves goes on serving.',
  teardown: ACTIONS.teardown.does,
};

/** Why a teardown of what is unknown is guarded (docs/protocol.md 6). */
export const GUARD =
  'Its state is unknown. Something could be left running that nobody sees any more. An operator may force it, and has to say why.';

export interface Possible {
  readonly deed: Deed;
  /** Null: it can be asked for. Else why not, as the server would say it. */
  readonly whyNot: string | null;
  /** Refused as things are, but an operator may force it and say why. */
  readonly isGuarded: boolean;
  /** The claim itself names it as what comes next. */
  readonly isNext: boolean;
}

const APPLIED: ReadonlySet<State> = new Set(['applying_runtime_state', 'starting']);

/**
 * What can be asked of a service in this state (docs/status-model.md). The server decides when it is asked; this
 * says it beforehand, so that a button that would be refused says why.
 */
export function possible(claim: Claim, mayAct: boolean, goodRevisions: readonly number[]): Possible[] {
  return DEEDS.map((deed) => ({
    deed,
    whyNot: mayAct ? whyNot(deed, claim, goodRevisions) : 'your token may only read',
    isGuarded: mayAct && deed === 'teardown' && claim.state === 'unknown',
    isNext: claim.next.action === deed,
  }));
}

function whyNot(
  deed: Deed,
  { state, outcome, desired, proof }: Claim,
  good: readonly number[],
): string | null {
  const isOver = outcome !== 'in_progress';
  const isTornDown = desired.replicas === 0 && proof.reached.includes('stopping');
  switch (deed) {
    case 'retry':
      if (outcome === 'failed' || outcome === 'cancelled' || outcome === 'abandoned') return null;
      if (!isOver) return 'it is still in progress';
      if (isTornDown) return 'it is torn down; deploy it again';
      return state === 'failed'
        ? 'it ran before it failed; restart it instead'
        : 'it succeeded; restart it instead';
    case 'rollback':
      return good.some((revision) => revision < desired.revision)
        ? null
        : 'no earlier revision has succeeded';
    case 'restart':
    case 'scale':
      if (isTornDown) return 'it is torn down; deploy it again';
      return desired.artifact === null ? `r${desired.revision} has nothing to run` : null;
    case 'cancel':
      if (isOver) return 'nothing is in progress';
      if (state === 'cancelling') return 'it is being cancelled';
      return APPLIED.has(state) || isTornDown ? 'it is already applied; roll back or tear down' : null;
    case 'teardown':
      return state === 'unknown' ? 'its state is unknown: something could be left running' : null;
  }
}
