import type { ActionName } from '../../../../src/contract/actions.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { exitCount } from '../../../../src/contract/presentation/exit-count.ts';
import { failedAt } from '../../../../src/contract/presentation/failed-stage.ts';
import { limitMs, limitWords } from '../../../../src/contract/presentation/limit-words.ts';
import { askOf, beyondTitle, statement } from '../../../../src/contract/presentation/moves.ts';
import { clockTime, longSpan } from '../../../../src/contract/presentation/times.ts';
import { isUpForNow } from '../../../../src/contract/presentation/up-for-now.ts';
import { labelOf, wasWords } from '../../../../src/contract/presentation/words.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import { groupOf } from './attention.ts';
import type { ServiceRowView } from './rows.ts';

/** The page as its rows need it. */
export interface ListSight {
  readonly serverNow: number;
  /** The page has lost its server: nothing on it is proven now. */
  readonly isPageSilent: boolean;
  /** Whoever reads it may only read: no move is theirs. */
  readonly mayOnlyRead: boolean;
}

/** The state in a word or three: `Failed at build`. What is built for a silent target waits for it. */
export function stateLabel({
  claim,
  claimView,
  isTargetSilent,
}: Pick<ServiceRowView, 'claim' | 'claimView' | 'isTargetSilent'>): string {
  if (isTargetSilent && claimView.state === 'artifact_ready') return 'Waiting';
  const label = labelOf(claimView.state);
  return claimView.state === 'failed' ? (failedAt(claim) ?? label) : label;
}

/** The state that ends the ribbon: what runs at a silent target is not known, however far its deploy is proven. */
export const shownNow = ({ claimView, isTargetSilent }: ServiceRowView): State =>
  isTargetSilent ? 'unknown' : claimView.state;

/** The begin of the shown state, of which a silence of seconds is a part; of what is not known now, the last time that it was: each age of one silence is the same. */
export const shownSince = ({ claim, claimView: { was }, held }: ServiceRowView, serverNow: number): number =>
  was === null ? (held?.since ?? Date.parse(claim.since)) : serverNow - was.agoMs;

/** The reason for the state, in one line. A calm row says nothing. */
export function whyOf(row: ServiceRowView, sight: ListSight): string {
  const { claim, claimView } = row;
  const { serverNow } = sight;
  if (claimView.state === 'unknown') return doubtOf(row, sight);
  const said = statement(claim, serverNow);
  switch (groupOf(row)) {
    case 'running':
      return claim.message.code === 'running' ? '' : beyondTitle(claim, serverNow);
    case 'needs you':
    case 'needs platform':
      return [
        exitWords(claim) ??
          (claimView.state === 'failed' ? withoutVariable(firstSentence(said)) : uncounted(said) || said),
        ...servingWords(row),
      ].join(' ');
    case 'unknown':
      return [
        row.isTargetSilent && claim.state === 'artifact_ready'
          ? `r${claim.desired.revision} waits for ${row.target}.`
          : firstSentence(said),
        ...servingWords(row),
      ].join(' ');
    default:
      // One line: of thousands that wait, each is as high as the next.
      return withoutVariable(firstSentence(uncounted(said))) || said || claim.message.title;
  }
}

/** The exits in few words: the row names the revision, its page the instance and the time. */
function exitWords({ cause, desired, state }: Claim): string | null {
  const { exitCode, exits } = cause?.params ?? {};
  if (state !== 'failed' || cause?.code !== 'crash_loop' || exitCode === undefined || exits === undefined)
    return null;
  return `r${desired.revision} exits with code ${exitCode}, ${exitCount(cause.params)}.`;
}

/** Without the name of the variable that holds a port, which the page of the service gives. */
const withoutVariable = (text: string): string => text.replace(/ \([A-Z]+\)/, '');

/** Without the count of ready copies, which has a column of its own. */
const uncounted = (text: string): string =>
  text.replace(/(?:^| )(?:\d+ of \d+|None of \d+) ready\.(?= |$)/, '').trim();

/** The state when it was last seen; where its target is heard all the same, the reason why nobody knows. */
function doubtOf(row: ServiceRowView, { serverNow, isPageSilent }: ListSight) {
  const { claim, claimView, isTargetSilent, target } = row;
  const { was } = claimView;
  if (claim.cause?.code === 'not_observed') return `The rule of ${target} no longer covers it.`;
  const own = claim.state === 'unknown' ? firstSentence(statement(claim, serverNow)) : '';
  if (was === null) return own || claim.message.title;
  // The banner says why, once.
  if (isPageSilent)
    return [`${capital(wasWords(was.state))} when last heard.`, ...servedWords(row)].join(' ');
  if (own !== '' && !isTargetSilent) return own;
  return `${capital(wasWords(was.state))} when last seen, ${clockTime(serverNow - was.agoMs)}`;
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
const firstSentence = (text: string): string => text.split(/(?<=\.) /)[0] ?? '';

/** What serves beside the revision that is wanted, in a sentence; none where that is the same. */
export function servingWords(row: ServiceRowView): string[] {
  const { serving, lastServing, isUpForNow, isNothingServing, claim } = row;
  if (isUpForNow) return ['Up for now.'];
  if (serving !== null) return serving === claim.desired.revision ? [] : [`r${serving} still serves.`];
  if (isNothingServing) return ['Nothing serves.'];
  if (lastServing === null) return ['Whether anything serves is not known.'];
  return [`r${lastServing.revision} was serving when last seen.`];
}

/** What served then, in the words of what serves; none where it was what is wanted. */
function servedWords({ claim, isNothingLast }: ServiceRowView): string[] {
  const { serving, desired } = claim;
  if (isNothingLast) return claim.state === 'failed' || claim.state === 'degraded' ? ['Nothing served.'] : [];
  if (serving === null) return [];
  if (isUpForNow(claim)) return ['It was up between two exits.'];
  return serving.revision === desired.revision ? [] : [`r${serving.revision} still served.`];
}

/** The next mover and the move; null where nobody has to. */
export interface NextWords {
  /** Actions of the platform are for the people who run it; without one it goes on by itself. */
  readonly who: 'You' | 'Deployer' | 'Operator' | 'Platform';
  readonly note: string | null;
  /**
   * The same in a row of one line, which has room for the limit or for the move, and not for both: the limit is what such
   * rows are ordered by. Rejected: two lines, which make thousands of rows that wait each as high as two.
   */
  readonly inOneLine: string | null;
}

export function nextOf(
  row: ServiceRowView,
  sight: Pick<ListSight, 'serverNow' | 'mayOnlyRead'>,
): NextWords | null {
  const next = wholeNextOf(row, sight);
  if (next === null) return null;
  const { who, note, limit } = next;
  return { who, note, inOneLine: limit ?? note };
}

interface WholeNext extends Omit<NextWords, 'inOneLine'> {
  /** The limit alone, where the note names one: with a verb, so that nobody takes it for a time of arrival. */
  readonly limit?: string;
}

function wholeNextOf(
  row: ServiceRowView,
  { serverNow, mayOnlyRead }: Pick<ListSight, 'serverNow' | 'mayOnlyRead'>,
): WholeNext | null {
  const { claim, claimView, isTargetSilent, target } = row;
  const { next } = claim;
  // A claim that is too old names nobody.
  if (next.owner === 'none' || !claimView.isLive) return null;
  const ask = next.action === null ? null : askOf(next.action as ActionName, next.elsewhere);
  if (next.owner === 'user')
    return { who: mayOnlyRead ? 'Deployer' : 'You', note: ask === null ? null : possibleAsk(ask, row) };
  if (ask === null)
    return {
      who: 'Platform',
      note: limitWords(claim, serverNow) ?? (isTargetSilent ? `waits for ${target}` : null),
    };
  const within = limitMs(claim, serverNow);
  const todo = isTargetSilent ? `bring ${target} back` : ask;
  if (within === null) return { who: 'Operator', note: todo };
  const time = longSpan(within);
  return { who: 'Operator', note: `${todo} within ${time}`, limit: `has ${time} to act` };
}

const FIX = 'fix it and deploy again';

/** Nobody goes back from the first revision, and beside one that serves a fix is not the only way. */
function possibleAsk(ask: string, { serving, claim: { desired, actions } }: ServiceRowView): string {
  const isRefused = actions.some(({ action, allowed }) => action === 'rollback' && allowed === false);
  if (desired.revision === 1 || isRefused) return ask.replace(', or roll back', '');
  return ask === FIX && serving !== null && serving < desired.revision ? 'fix it, or roll back' : ask;
}

/** Ready and wanted copies. */
export interface ReadyCount {
  readonly ready: number;
  readonly wanted: number;
  readonly isProven: boolean;
}

/** By the claim where it counts them, else by the last report that the list was read with. */
export function readyCountOf({ claim, claimView, item, isTargetSilent }: ServiceRowView): ReadyCount | null {
  const isProven = claimView.isLive && claimView.state !== 'unknown' && !isTargetSilent;
  const { ready, wanted } = claim.cause?.params ?? {};
  if (claim.state === 'running')
    return { ready: claim.desired.replicas, wanted: claim.desired.replicas, isProven };
  if (ready !== undefined && wanted !== undefined)
    return { ready: Number(ready), wanted: Number(wanted), isProven };
  const copies = item.wanted?.copies ?? null;
  return copies === null ? null : { ...copies, isProven };
}
