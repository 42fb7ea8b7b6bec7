import { ACTIONS, type ActionName } from '../actions.ts';
import type { Claim } from '../claim.ts';
import type { Mover } from '../vocabulary.ts';

/** What comes next, in names of the model. */
export interface Move {
  readonly owner: Mover;
  readonly action: ActionName | null;
  readonly retrySafe: boolean;
}

/** Whose move it is, and whether trying again is safe: the end of every sentence that asks for something. */
export function closing({ owner, action, retrySafe }: Move): string {
  if (owner === 'none') return 'Nothing needs to be done.';
  if (action === null) return 'The platform goes on by itself; nothing is needed from you.';
  const whose = owner === 'user' ? 'It is your move' : 'It is the platform’s move';
  const retry = retrySafe ? 'Trying again is safe.' : 'Do not try again before that is settled.';
  return `${whose}: ${ACTIONS[action].ask}. ${retry}`;
}

/** What the claim says of itself, without the sentence about whose move it is, which is said apart. */
export function said({ message, next }: Claim): string {
  return message.body.replace(closing(next as Move), '').trim();
}

/** Whose move it is, and whether trying again is safe. */
export const whoseMove = ({ next }: Claim): string => closing(next as Move);
