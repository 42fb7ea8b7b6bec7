import type { ActionName, ServiceAction } from '../actions.ts';
import { ASKS } from '../asks.ts';
import type { Claim } from '../claim.ts';
import { type Move, retrySentence, whoseMove } from './moves.ts';

const isRefused = ({ actions }: Claim, action: ServiceAction) =>
  actions.some((one) => one.action === action && one.allowed === false);

/**
 * The next move with nothing in it that the claim's actions refuse: no rollback where there is nothing to go back to, and
 * no word about a retry that cannot be requested.
 */
function possibleMove(claim: Claim): string {
  const { retrySafe } = claim.next;
  let sentence = whoseMove(claim);
  if (isRefused(claim, 'rollback')) sentence = sentence.replace(', or roll back.', '.');
  if (isRefused(claim, 'retry') && retrySafe)
    sentence = sentence.replace(` ${retrySentence(claim.next as Move)}`, '');
  return sentence;
}

/** What a page knows about the next move beyond the claim. */
interface Ways {
  /** The revision that the first button goes back to; null: that is not the first step. */
  readonly backTo: number | null;
  /** Variables that the log calls missing. */
  readonly missing: readonly string[];
  /** The target that the first button leads to; null: it leads elsewhere. Whoever may press it has to move. */
  readonly looksAt?: string | null;
  /** Whoever reads it may only read: it is the move of somebody who may deploy, and not theirs. */
  readonly mayOnlyRead?: boolean;
}

/**
 * The next move of a page, which names what its first button does. Nobody has to hurry while another revision serves.
 */
export function leadOf(
  claim: Claim,
  serving: number | null,
  { backTo, missing, looksAt = null, mayOnlyRead = false }: Ways = NO_WAYS,
): string {
  const { action } = claim.next;
  const ask = action === null ? '' : ASKS[action as ActionName];
  const fix = missing.length === 0 ? ask : ask.replace('fix it', `set ${listed(missing)}`);
  const retries = missing.length === 0 ? '' : retrySentence(claim.next as Move);
  const isNamed = backTo === null || /\broll back\b/.test(ask);
  const sentence = possibleMove(claim)
    .replace(ask, isNamed ? fix : `roll back to r${backTo}, or ${fix}`)
    // A retry is safe, and no help.
    .replace(retries, retries === '' ? '' : 'Retrying is safe, but sets no variable.');
  if (looksAt !== null)
    return sentence
      .replace(/^The platform’s move:/, 'Your move as an operator:')
      .replace('the target', looksAt);
  const whose = mayOnlyRead ? 'A deployer’s move' : 'Your move';
  const isCalm = serving !== null && serving !== claim.desired.revision;
  return sentence.replace(
    /^Your move:/,
    isCalm ? `${whose}, no hurry while r${serving} serves:` : `${whose}:`,
  );
}

const NO_WAYS: Ways = { backTo: null, missing: [] };

export const listed = (names: readonly string[]): string => names.join(', ').replace(/, ([^,]+)$/, ' and $1');

/** Takes the place of the next move where the claim is too old to name one. */
export const STALE_MOVE =
  'Waiting is safe: one report, and this page is right again. If you act anyway, the server decides by what is true then.';

/** Takes its place on a page that has lost its server, where nothing can be sent either. */
export const LOST_MOVE =
  'Waiting is safe: this page goes on by itself as soon as it hears the server, and shows every change it missed. “Try now” at the top asks at once. What the server accepted before does not need this page.';
