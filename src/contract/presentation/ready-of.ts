import type { Tense } from './tense.ts';

/** Counts ready instances. More may be ready than wanted, while the last of a larger size stop. */
export const readyOf = (ready: number, wanted: number) =>
  ready > wanted ? `${wanted} wanted, ${ready} ready` : `${ready} of ${wanted} ready`;

/** All copies of a service as the subject of a sentence, with its verb. */
export function allCopies(copies: number, tense: Tense): string {
  if (copies === 1) return `Its one copy ${tense('is')}`;
  return `${copies === 2 ? 'Both' : `All ${copies}`} copies ${tense('are')}`;
}
