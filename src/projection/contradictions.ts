import type { State } from '../contract/vocabulary.ts';

/** The words of a claim that can contradict each other. */
export interface Said {
  readonly state: State;
  readonly title: string;
  readonly body: string;
}

interface Rule {
  readonly why: string;
  readonly breaks: (said: Said, whole: string) => boolean;
}

/**
 * A claim's sentence is put together from its state's words and its cause's. Each was read alone when it was written;
 * these rules are what reading them together has found wrong. They know words only, so a new sentence that contradicts
 * itself in a new way needs a new rule.
 */
const RULES: readonly Rule[] = [
  {
    why: 'says that it is ready, and that it should become so',
    breaks: (_, whole) => IS_READY.test(whole) && /become ready|as it should|should /.test(whole),
  },
  {
    why: 'says "not yet" of what was there before',
    breaks: (_, whole) => /\byet\b/.test(withoutSteady(whole)) && /before\.|was running/.test(whole),
  },
  {
    why: 'says that it does not start, and that it starts',
    breaks: (_, whole) => /does not start/.test(whole) && /\bstarts\b/.test(whole),
  },
  {
    why: 'failed, and asks nobody for anything though nothing of it gets better by itself',
    breaks: ({ state }, whole) =>
      state === 'failed' && /goes on by itself|Nothing needs/.test(whole) && !IS_READY.test(whole),
  },
  {
    why: 'says that it runs, and that nothing does',
    breaks: ({ title }, whole) => /^Running/.test(title) && /\b0 of [1-9]/.test(whole),
  },
  {
    why: 'asks for a correction while it is being started again',
    breaks: ({ state }, whole) =>
      state === 'degraded' && /started again/.test(whole) && /your move/.test(whole),
  },
  {
    why: 'says that it does not start, and that it ended',
    breaks: (_, whole) =>
      /does not start/.test(whole) && /exited|stopped by|used more|ran longer/.test(whole),
  },
  {
    why: 'counts all as ready, and says that fewer are than before',
    breaks: (_, whole) => /\b(\d+) of \1 ready; all/.test(whole),
  },
  {
    why: 'wants no copies, and misses one',
    breaks: (_, whole) => /No copies should/.test(whole) && /become ready|\d+ of 0/.test(whole),
  },
  {
    why: 'asks for a repetition of what was not done',
    breaks: ({ state }, whole) => state === 'failed' && /tear it down again/.test(whole),
  },
];

const IS_READY = /\bis ready( now)?;|ready again;/;
/** The title of a service that is ready and only has to prove stable. */
const withoutSteady = (whole: string) => whole.replace('not yet steady', '');

/** Lists the contradictions in a claim's words. */
export function contradictionsIn(said: Said): string[] {
  const whole = `${said.title}. ${said.body}`;
  return RULES.filter(({ breaks }) => breaks(said, whole)).map(({ why }) => why);
}
