import { ACTIONS, isManagedElsewhere, type ServiceAction } from '../actions.ts';
import type { Claim } from '../claim.ts';

/** The effect of each action, shown before it is requested. */
export const EFFECTS: Readonly<Record<ServiceAction, string>> = {
  retry: 'Tries the same revision again, from the first step that is not proven yet.',
  rollback: ACTIONS.rollback.does,
  restart: 'Starts the same app again, as a new revision.',
  scale:
    'Makes a new revision of the same app with another number of copies; those that stay are not restarted.',
  cancel: 'Ends what is in progress.',
  teardown: ACTIONS.teardown.does,
};

/** The fate of the revision that serves, beside the effect of an action that may make one think of it. */
const SERVES_ON: Readonly<Partial<Record<ServiceAction, string>>> = {
  restart: 'serves until that one is ready',
  cancel: 'goes on serving',
};

/** The effect of an action, and what becomes of what serves; nothing is said of that where nothing is proven to serve. */
export function effectOf(action: ServiceAction, serving: number | null): string {
  const then = SERVES_ON[action];
  return then === undefined || serving === null ? EFFECTS[action] : `${EFFECTS[action]} r${serving} ${then}.`;
}

/** The reason why a teardown of an unknown state needs force (docs/protocol.md 6). */
export const UNKNOWN_STATE_WARNING =
  'Its state is unknown. Something could be left running that nobody sees any more. An operator may force it, and has to say why.';

/** All that a teardown does to a service that another tool manages. */
export const OFF_LISTS_EFFECT =
  'Only takes it off the lists here. Nothing is stopped: the tool that deploys it does that. It is still observed, and is back on the lists with the next change that is seen of it.';

/** One action as it is offered to a person. */
export interface Button {
  readonly action: ServiceAction;
  /** Null: it can be requested. Else why not, as the end of a sentence. */
  readonly whyNot: string | null;
  /** Refused as things are, but an operator may force it: shown before it is confirmed. */
  readonly forcible: string | null;
  /** The claim itself names it as what comes next. */
  readonly isNext: boolean;
  /** Another tool manages the service, so that a teardown only takes it off the lists. */
  readonly isOffLists?: true;
}

/**
 * The actions of a claim as buttons. The claim decides; here are only words, and one case that no decision covers:
 * where the claim leaves a rollback undecided, there must be an earlier revision to choose.
 */
export function buttonsOf(claim: Claim, mayAct: boolean, canChooseRevision: boolean): Button[] {
  const isElsewhere = isManagedElsewhere(claim.actions);
  return claim.actions.map((decision): Button => {
    const { action, allowed } = decision;
    const isNext = claim.next.action === action;
    const button = (whyNot: string | null, forcible: string | null = null) => ({
      action,
      whyNot,
      forcible,
      isNext,
      ...(isElsewhere && action === 'teardown' && { isOffLists: true as const }),
    });
    if (!mayAct) return button('your token may only read');
    if (allowed === false) {
      const { code, detail, mayForce } = decision.whyNot;
      const warning = isElsewhere
        ? OFF_LISTS_EFFECT
        : code === 'state_unknown'
          ? UNKNOWN_STATE_WARNING
          : detail;
      // The sentence begins with the name of a tool, which keeps its capital.
      const clause = code === 'managed_elsewhere' ? detail.replace(/\.$/, '') : asClause(detail);
      return button(clause, mayForce ? warning : null);
    }
    if (allowed === null && !canChooseRevision) return button('no earlier revision has succeeded');
    return button(null);
  });
}

/** A sentence as it stands after a colon. */
const asClause = (sentence: string) =>
  `${sentence.charAt(0).toLowerCase()}${sentence.slice(1).replace(/\.$/, '')}`;
