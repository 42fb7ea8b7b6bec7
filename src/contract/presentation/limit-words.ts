import type { Claim } from '../claim.ts';
import { longSpan } from './times.ts';

/** What the platform does at the end of a stage: it gives up, or it takes from a holder what was cancelled. */
const AT_ITS_END: Readonly<Partial<Record<Claim['state'], string>>> = { cancelling: 'ends it' };

/**
 * The time until the limit of the current stage; null where there is none, or it has passed. The end of a lease is no
 * limit: its holder renews it. Nor is the instant at which a claim is read anew while its stage goes on (`endsAt`).
 */
export function limitMs(
  { expecting, state }: Pick<Claim, 'expecting' | 'state'>,
  serverNow: number,
): number | null {
  const end = stageEnd(expecting);
  if (end === null || state === 'running') return null;
  const left = Date.parse(end) - serverNow;
  return left <= 0 ? null : left;
}

/** The instant at which the current stage ends, wherever a page counts up or down to it; null: none is known. */
export const stageEnd = (expecting: Claim['expecting']): string | null =>
  expecting?.endsAt ?? expecting?.by ?? null;

/** The limit in words that no reader takes for a time of arrival: "gives up in 4 min". */
export function limitWords(claim: Pick<Claim, 'expecting' | 'state'>, serverNow: number): string | null {
  const left = limitMs(claim, serverNow);
  return left === null ? null : `${AT_ITS_END[claim.state] ?? 'gives up'} in ${longSpan(left)}`;
}
