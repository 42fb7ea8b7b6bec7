import type { State } from '../vocabulary.ts';

/** A state as people read it. */
export const wordOf = (state: State) => state.replaceAll('_', ' ');

/** For a viewer that has something, and nothing fresh. `who` has not heard: the platform, or this page. */
export function lastKnownSentence(state: State, who: string): string {
  return `The last known state was ${wordOf(state)}, but ${who} has received no fresh evidence since.`;
}

/** Whose move it is cannot be said by what may no longer be so. */
export const STALE_MOVE =
  'What was known is too old to go by. Waiting loses nothing; what you ask for now is judged as things are then.';
