import type { Claim, ServingRevision } from '../claim.ts';
import { targetOf } from '../names.ts';

/**
 * A viewer's last contact with the server. Instants of the server are computed from the server's own clock, so that a
 * wrong wall clock of the viewer shows no wrong age.
 */
export interface ServerContact {
  /** The instant of the last contact, by the viewer's steady clock; so is every `now` beside it. */
  readonly contactAt: number;
  /** The same instant by the server's clock. */
  readonly serverAt: number;
  /** The freshness of each target in view, by the last `fresh` event. */
  readonly fresh: FreshnessByTarget;
  /** Number of `fresh` events received, where it is counted: before the first, nothing is known of any target. */
  readonly looks?: number;
  /** The connection has ended. */
  readonly lost: boolean;
}

export type FreshnessByTarget = Readonly<
  Record<string, { readonly asOf: string; readonly validUntil: string }>
>;

/** The server sends something at least every 5 s; one second later a viewer must show the silence (S2). */
export const SILENT_AFTER_MS = 6_000;
const LOST_AFTER_MS = 1_000;
/** Allows for transit and for the interval between two drawings. */
const SLACK_MS = 1_000;

export function serverNowOf({ serverAt, contactAt }: ServerContact, now: number): number {
  return serverAt + Math.max(0, now - contactAt);
}

/**
 * The contact after something was received. The server's time never goes back, because events may overtake each other.
 * An event that waited while the viewer slept is ignored: it would pass off old claims as fresh (S2).
 */
export function received<H extends ServerContact>(view: H, now: number, serverNow: string | null): H {
  const expected = serverNowOf(view, now);
  if (serverNow === null) return { ...view, contactAt: now, serverAt: expected, lost: false };
  const serverAt = Date.parse(serverNow);
  if (view.lost) return { ...view, contactAt: now, serverAt, lost: false };
  if (serverAt < expected - SILENT_AFTER_MS) return view;
  return { ...view, contactAt: now, serverAt: Math.max(serverAt, view.serverAt) };
}

/** The time since the last contact; null while the stream lives. */
export function silenceMs({ contactAt, lost }: ServerContact, now: number): number | null {
  const ms = now - contactAt;
  return ms > SILENT_AFTER_MS || (lost && ms > LOST_AFTER_MS) ? ms : null;
}

/**
 * A claim is fresh until its `validUntil`, by the server's clock. A `fresh` event moves that instant for all services of
 * its target. A claim that does not rest on observation does not age.
 */
export function isFresh(view: ServerContact, { service, freshness }: Claim, now: number): boolean {
  const { freshForMs, validUntil } = freshness;
  if (freshForMs === null || validUntil === null) return true;
  return isValid(view, service, validUntil, now);
}

/**
 * The instant up to which a claim was proven, where it is not proven now: that of its newest observation, and never the
 * time at which the server was last heard, which proves nothing of what runs. What rests on the ledger alone does not age
 * while the server is heard.
 */
export function lastProofAt(
  view: ServerContact,
  { service, since, freshness: { asOf, freshForMs } }: Pick<Claim, 'service' | 'since' | 'freshness'>,
): number {
  if (freshForMs === null || asOf === null) return view.serverAt;
  const renewed = view.fresh[targetOf(service)]?.asOf ?? asOf;
  return Math.max(Date.parse(asOf), Date.parse(renewed), Date.parse(since));
}

/** The age of `serving`: each report of the target observes it anew. */
export function servingNow(
  view: ServerContact,
  service: string,
  serving: ServingRevision,
  now: number,
): { readonly asOf: number; readonly isFresh: boolean } {
  const renewed = view.fresh[targetOf(service)]?.asOf ?? serving.asOf;
  return {
    asOf: Math.max(Date.parse(serving.asOf), Date.parse(renewed)),
    isFresh: isValid(view, service, serving.validUntil, now),
  };
}

/** The age of the proof that nothing serves; null where that is not proven at this instant. */
export function nothingServesNow(
  view: ServerContact,
  { service, nothingServes }: Claim,
  now: number,
): { readonly asOf: number } | null {
  if (nothingServes === undefined || silenceMs(view, now) !== null) return null;
  const { asOf, validUntil } = nothingServes;
  // By the ledger alone it does not age, and it is as of now.
  if (validUntil === null) return { asOf: serverNowOf(view, now) };
  if (!isValid(view, service, validUntil, now)) return null;
  const renewed = view.fresh[targetOf(service)]?.asOf ?? asOf;
  return { asOf: Math.max(Date.parse(asOf), Date.parse(renewed)) };
}

/**
 * No report of the target counts now, by the last `fresh` event: every scope is named in it, so a target that is not
 * named was never heard. What a claim says of builds and queues may be proven all the same, but not what runs.
 */
export function isTargetSilent(view: ServerContact, target: string, now: number): boolean {
  if (view.looks === 0) return false;
  const heard = view.fresh[target];
  return heard === undefined || serverNowOf(view, now) > Date.parse(heard.validUntil) + SLACK_MS;
}

/**
 * The same of the target of a claim. Before the stream has spoken of any target, the claim may say that nobody there takes
 * work: the page is not to show for its first seconds what runs there as known.
 */
export const isSilentFor = (view: ServerContact, claim: Claim, now: number): boolean =>
  view.looks === 0
    ? claim.cause?.code === 'stale_runtime' || claim.message.code.endsWith('.target_offline')
    : isTargetSilent(view, targetOf(claim.service), now);

function isValid(view: ServerContact, service: string, validUntil: string, now: number): boolean {
  const renewed = view.fresh[targetOf(service)]?.validUntil ?? validUntil;
  return serverNowOf(view, now) <= Math.max(Date.parse(validUntil), Date.parse(renewed)) + SLACK_MS;
}
