import type { Claim } from '../../../src/contract/claim.ts';
import { targetOf } from '../../../src/contract/names.ts';
import {
  isFresh,
  lastProofAt,
  nothingServesNow,
  type ServerContact,
  serverNowOf,
  servingNow,
  silenceMs,
} from '../../../src/contract/presentation/server-contact.ts';
import { isUpForNow } from '../../../src/contract/presentation/up-for-now.ts';
import type { State } from '../../../src/contract/vocabulary.ts';

/** The presentation of a claim at this instant: an expired state is last known (S2). */
export interface ClaimView {
  readonly state: State;
  /** Set where the state is not proven now: the last known state and its age. */
  readonly was: { readonly state: State; readonly agoMs: number } | null;
  readonly isLive: boolean;
  /** Age of the newest observation; null where none counts. */
  readonly ageMs: number | null;
}

export function claimViewOf(claim: Claim, contact: ServerContact, now: number): ClaimView {
  const serverNow = serverNowOf(contact, now);
  const ageMs = ageOf(claim, contact, serverNow);
  const isLive = silenceMs(contact, now) === null && isFresh(contact, claim, now);
  if (claim.state === 'unknown') {
    const { lastKnown } = claim;
    const was =
      lastKnown === null ? null : { state: lastKnown.state, agoMs: serverNow - Date.parse(lastKnown.at) };
    return { state: 'unknown', was, isLive, ageMs };
  }
  if (isLive) return { state: claim.state, was: null, isLive, ageMs };
  const agoMs = Math.max(0, serverNow - lastProofAt(contact, claim));
  return { state: 'unknown', was: { state: claim.state, agoMs }, isLive, ageMs };
}

/**
 * The revision that is proven to serve at this instant, and whether it is proven that none does, or that it does only until
 * the app exits again.
 */
export function servedNow(claim: Claim, { isLive }: ClaimView, contact: ServerContact, now: number) {
  const { service, serving } = claim;
  const isServing = isLive && serving !== null && servingNow(contact, service, serving, now).isFresh;
  return {
    serving: isServing ? serving.revision : null,
    isUpForNow: isServing && isUpForNow(claim),
    isNothingServing: isLive && nothingServesNow(contact, claim, now) !== null,
  };
}

/** A report of the target covers each service on it, so the newest of them gives the age. */
function ageOf(
  { service, freshness, state }: Claim,
  { fresh }: ServerContact,
  serverNow: number,
): number | null {
  if (freshness.asOf === null) return null;
  const own = Date.parse(freshness.asOf);
  const renewed =
    freshness.freshForMs === null || state === 'unknown' ? undefined : fresh[targetOf(service)]?.asOf;
  return Math.max(0, serverNow - Math.max(own, renewed === undefined ? own : Date.parse(renewed)));
}
