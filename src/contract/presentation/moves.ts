import { ACTIONS, type ActionName } from '../actions.ts';
import type { Claim } from '../claim.ts';
import type { Mover } from '../vocabulary.ts';

/** The next move, in names of the model. */
export interface Move {
  readonly owner: Mover;
  readonly action: ActionName | null;
  readonly retrySafe: boolean;
}

/** Names who moves next, and says if a retry is safe. It ends every message that needs somebody to act. */
export function moveSentence({ owner, action, retrySafe }: Move): string {
  if (owner === 'none') return 'Nothing needs to be done.';
  if (action === null) return 'The platform goes on by itself; nothing is needed from you.';
  const mover = owner === 'user' ? 'It is your move' : 'It is the platform’s move';
  const retry = retrySafe ? 'Trying again is safe.' : 'Do not try again before that is settled.';
  return `${mover}: ${ACTIONS[action].ask}. ${retry}`;
}

/** The claim's message without the sentence about the next move, which is shown apart. */
export function statement({ message, next }: Claim): string {
  return message.body.replace(moveSentence(next as Move), '').trim();
}

/** The sentence about the next move alone. */
export const whoseMove = ({ next }: Claim): string => moveSentence(next as Move);
