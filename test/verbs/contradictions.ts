import type { State } from '../../src/contract/vocabulary.ts';

/** The words of a claim that can contradict each other. */
export interface ClaimWords {
  readonly state: State;
  readonly title: string;
  readonly body: string;
}

interface Rule {
  readonly why: string;
  readonly breaks: (words: ClaimWords, text: string) => boolean;
}

/**
 * Finds sentences that contradict each other. A claim's text combines the words of its state and of its
 * cause, each written alone; these rules are the contradictions that were found when reading them together.
 * They match words, so a new kind of contradiction needs a new rule.
 */
const RULES: readonly Rule[] = [
  {
    why: 'says that it is ready, and that it should become so',
    breaks: (_, text) => IS_READY.test(text) && /become ready|as it should|should /.test(text),
  },
  {
    why: 'says "not yet" of what was there before',
    breaks: (_, text) => /\byet\b/.test(withoutSteady(text)) && /before\.|was running/.test(text),
  },
  {
    why: 'says that it does not start, and that it starts',
    breaks: (_, text) => /does not start/.test(text) && /\bstarts\b/.test(text),
  },
  {
    why: 'failed, and asks nobody for anything though nothing of it gets better by itself',
    breaks: ({ state }, text) =>
      state === 'failed' && /Nothing is needed|Nothing to do/.test(text) && !IS_READY.test(text),
  },
  {
    why: 'says that it runs, and that nothing does',
    breaks: ({ title }, text) => /^Running/.test(title) && /\b0 of [1-9]/.test(text),
  },
  {
    why: 'asks for a correction while it is being started',
    breaks: ({ state }, text) => state === 'degraded' && /being started/.test(text) && /Your move/.test(text),
  },
  {
    why: 'says that it does not start, and that it ended',
    breaks: (_, text) => /does not start/.test(text) && /exited|stopped by|used more|ran longer/.test(text),
  },
  {
    why: 'counts all as ready, and says that fewer are than before',
    breaks: (_, text) => /\b(\d+) of \1 ready; all/.test(text),
  },
  {
    why: 'wants no copies, and misses one',
    breaks: (_, text) => /No copies should/.test(text) && /become ready|\d+ of 0/.test(text),
  },
  {
    why: 'asks for a repetition of what was not done',
    breaks: ({ state }, text) => state === 'failed' && /tear it down again/.test(text),
  },
];

const IS_READY = /\bis ready( now)?;|ready again;/;
/** The title of a service that is ready and only has to prove stable. */
const withoutSteady = (text: string) => text.replace('not yet steady', '');

/** Lists the contradictions in a claim's words. */
export function contradictionsIn(words: ClaimWords): string[] {
  const text = `${words.title}. ${words.body}`;
  return RULES.filter(({ breaks }) => breaks(words, text)).map(({ why }) => why);
}
