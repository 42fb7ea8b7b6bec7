import type { State } from '../vocabulary.ts';

/** A state as people read it. */
export const wordOf = (state: State) => state.replaceAll('_', ' ');
