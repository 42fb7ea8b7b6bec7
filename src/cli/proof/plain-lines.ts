import { beyondTitle } from '../../contract/presentation/moves.ts';
import { serverNowOf, silenceMs } from '../../contract/presentation/server-contact.ts';
import { titledState, wordOf } from '../../contract/presentation/words.ts';
import { isActive, type ProofView } from './view.ts';

/** The part of a view whose change is worth another line of plain text. */
function newsOf(view: ProofView, now: number): string {
  const { claim, requested } = view;
  if (silenceMs(view, now) !== null) return 'no word from the server: what stands above is the last known';
  if (!isActive(view)) {
    const other = `r${claim.desired.revision}`;
    if (requested.revision < claim.desired.revision) return `${other} is requested instead`;
    return `waits behind ${other}, which is ${wordOf(claim.state)}`;
  }
  const { state, message } = claim;
  const isEnd = view.settled !== null && state !== 'running' && state !== 'stopped';
  const why = beyondTitle(claim);
  const news = `${titledState(state, message.title)}${why === '' ? '' : `. ${why}`}`;
  // The verdict that follows the last line says why.
  return `${isEnd ? wordOf(state) : news}${servingNote(view)}`;
}

/** The other revision that serves, or did when last seen (F116). */
function servingNote({ claim: { serving, lastServing }, requested }: ProofView): string {
  if (serving !== null)
    return serving.revision === requested.revision ? '' : ` [still serving r${serving.revision}]`;
  if (lastServing === null || lastServing.revision === requested.revision) return '';
  return ` [r${lastServing.revision} was serving when last seen]`;
}

/** Output without a terminal: one line for each change, none for passing time. */
export class PlainLines {
  #last = '';

  /** The line for a change, or null. */
  next(view: ProofView, now: number): string | null {
    const news = newsOf(view, now);
    // A failure is shown when it is seen, and its outcome is recorded a moment later.
    const isSaid = view.settled !== null && this.#last.startsWith(`${wordOf(view.claim.state)}: `);
    if (news === this.#last || isSaid) return null;
    this.#last = news;
    const { claim, requested } = view;
    const at = new Date(serverNowOf(view, now)).toISOString().slice(11, 19);
    return `${at}  ${claim.service} r${requested.revision}.${requested.attempt}  ${news}`;
  }
}
