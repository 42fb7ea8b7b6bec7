import type { ActionName } from '../actions.ts';
import { ASKS } from '../asks.ts';
import type { Claim } from '../claim.ts';
import type { Mover } from '../vocabulary.ts';
import { ago } from './times.ts';

/** The next move, in names of the model. */
export interface Move {
  readonly owner: Mover;
  readonly action: ActionName | null;
  readonly retrySafe: boolean;
  readonly retryHelps?: false | undefined;
  readonly elsewhere?: true | undefined;
}

/** Names who moves next, and says if a retry is safe. It ends every message that needs somebody to act. */
export function moveSentence(move: Move): string {
  const { owner, action, elsewhere } = move;
  if (owner === 'none') return 'Nothing to do.';
  if (action === null) return 'Nothing is needed from you.';
  const mover = owner === 'user' ? 'Your move' : 'The platform’s move';
  return `${mover}: ${askOf(action, elsewhere)}.${elsewhere && move.retrySafe ? '' : ` ${retrySentence(move)}`}`;
}

/** The action in words; what another tool manages is not retried here. */
export const askOf = (action: ActionName, elsewhere?: true): string =>
  elsewhere ? ASKS[action].replace(', then retry', '') : ASKS[action];

export function retrySentence({ retrySafe, retryHelps }: Move): string {
  if (!retrySafe) return 'Don’t retry before that is settled.';
  return retryHelps === false ? 'Retrying does no harm, but will fail the same way.' : 'Retrying is safe.';
}

/** Says who took the work, and when that one was last heard. */
export const heardWords = (taken: string, agoMs: number): string => `${taken}, last heard ${ago(agoMs)}`;

/**
 * The claim's message without the sentence about the next move, which is shown apart. Its words hold the ages of a silent
 * holder and of an instance as of the claim; a viewer who shows it later gives the server's time of then.
 */
export function statement({ message, next, cause }: Claim, serverNow?: number): string {
  const words = message.body.replace(moveSentence(next as Move), '').trim();
  const heardAt = cause?.code === 'holder_silent' ? cause.params.lastHeardAt : undefined;
  const upSince = cause?.params.upSince;
  if (serverNow === undefined) return words;
  const since = (at: string | number) => serverNow - Date.parse(String(at));
  if (heardAt !== undefined) return words.replace(/, last heard .+? ago/, heardWords('', since(heardAt)));
  return upSince === undefined ? words : words.replace(/It came up .+? ago\./, cameUpWords(since(upSince)));
}

/** Says for how long an instance that exited before is up. */
export const cameUpWords = (agoMs: number): string => `It came up ${ago(agoMs)}.`;

/** The message without its title: a first sentence that says the same is left out. */
export function beyondTitle(claim: Claim, serverNow?: number): string {
  const words = statement(claim, serverNow);
  const [first = '', ...rest] = words.split(/(?<=\.) /);
  const isSame = plainly(first) === plainly(claim.message.title.replace(/^Unknown: /, ''));
  return isSame ? rest.join(' ') : words;
}

/** The title and what the message says beyond it. */
export function titleAndMore(claim: Claim, serverNow?: number): string {
  const more = beyondTitle(claim, serverNow);
  return `${claim.message.title}.${more === '' ? '' : ` ${more}`}`;
}

const plainly = (text: string) => text.toLowerCase().replace(/\b(?:the|its|a|an) |\.$/g, '');

/** The sentence about the next move alone. */
export const whoseMove = ({ next }: Claim): string => moveSentence(next as Move);
