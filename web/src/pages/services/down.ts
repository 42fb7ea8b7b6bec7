import type { ServiceRowView } from './rows.ts';

interface TroubledOrNot extends Pick<ServiceRowView, 'isNothingServing' | 'isUpForNow'> {
  readonly claimView: Pick<ServiceRowView['claimView'], 'state'>;
}

/**
 * Something is wrong, and nothing serves, or only until the next exit: it is louder than what is wrong beside a revision
 * that serves.
 */
export const isDown = ({ claimView: { state }, isNothingServing, isUpForNow }: TroubledOrNot): boolean =>
  (state === 'failed' || state === 'degraded') && (isNothingServing || isUpForNow);

/**
 * `2 serve nothing, 1 is up for now`: the services in trouble that nobody can use, as the list, its summary and the page of
 * the targets count them; empty where there is none. What answers between two exits is counted apart: it serves nobody for
 * long, and yet to say that nothing of it serves would be false at that instant.
 */
export function downWords(rows: readonly TroubledOrNot[]): string {
  const down = rows.filter(isDown);
  const up = down.filter(({ isUpForNow }) => isUpForNow).length;
  const nothing = down.length - up;
  return [
    ...(nothing === 0
      ? []
      : [`${nothing.toLocaleString('en')} ${nothing === 1 ? 'serves' : 'serve'} nothing`]),
    ...(up === 0 ? [] : [`${up.toLocaleString('en')} ${up === 1 ? 'is' : 'are'} up for now`]),
  ].join(', ');
}
