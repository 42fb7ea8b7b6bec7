import type { State } from '../../../../src/contract/vocabulary.ts';
import type { ServiceRowView } from './rows.ts';

/** In these states evidence changes a claim, and no transition tells of it: how often it exited, how many are ready, what serves. */
const CHANGING: ReadonlySet<State> = new Set(['starting', 'degraded', 'failed']);
const CHANGES_AFTER_MS = 10_000;
const CHANGING_AT_ONCE = 5;

/**
 * The services whose claim may say something else by now, within its state, the oldest first. Without them a list would
 * count other exits than the page of the service does. Pure.
 */
export const changingRows = <T extends Pick<ServiceRowView, 'claim' | 'claimView'>>(
  rows: readonly T[],
  serverNow: number,
): readonly T[] =>
  rows
    .filter(
      ({ claim, claimView }) =>
        claimView.isLive &&
        CHANGING.has(claim.state) &&
        claim.freshness.freshForMs !== null &&
        serverNow - Date.parse(claim.now) > CHANGES_AFTER_MS,
    )
    .sort((a, b) => (a.claim.now < b.claim.now ? -1 : 1))
    .slice(0, CHANGING_AT_ONCE);
