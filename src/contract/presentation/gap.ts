import type { RecoveryView } from '../answers/views.ts';

/** Names a gap in history, and how long it is. */
export function gapSentence({ at, lostSince }: Pick<RecoveryView, 'at' | 'lostSince'>): string {
  const lost =
    lostSince === null
      ? 'what was recorded before that may be lost'
      : `what was recorded from ${toSecond(lostSince)} until then is lost`;
  return `The records were restored at ${toSecond(at)}: ${lost}.`;
}

const toSecond = (at: string) => `${at.slice(0, 10)} ${at.slice(11, 19)}Z`;
