import type { Claim, Serving } from '../claim.ts';
import { targetOf } from '../names.ts';

/**
 * What a viewer has heard of the server, and when. `heardAt` and every `now` beside it are of the viewer's own steady
 * clock; instants of the server are computed from what it last said of its own, so that a wrong wall clock shows no
 * wrong age.
 */
export interface Heard {
  readonly heardAt: number;
  readonly serverThen: number;
  /** How fresh each target in view is, by the last `fresh` event. */
  readonly fresh: Freshness;
  /** The connection is known to be gone. */
  readonly lost: boolean;
}

export type Freshness = Readonly<Record<string, { readonly asOf: string; readonly validUntil: string }>>;

/** The server speaks at least every 5 s; a second more is the silence that S2 allows nobody to hide. */
export const SILENT_AFTER_MS = 6_000;
const LOST_AFTER_MS = 1_000;
/** What a word of the server may be late by: transit, and a beat of whoever draws. */
const SLACK_MS = 1_000;

export function serverNowOf({ serverThen, heardAt }: Heard, now: number): number {
  return serverThen + Math.max(0, now - heardAt);
}

/**
 * Something was heard; the server's clock only moves on, because a word that overtook another turns nothing back. What
 * lay waiting while the viewer slept is history: it says nothing of now, and would pass off old claims as fresh (S2).
 */
export function heard<H extends Heard>(view: H, now: number, serverNow: string | null): H {
  const there = serverNowOf(view, now);
  if (serverNow === null) return { ...view, heardAt: now, serverThen: there, lost: false };
  const said = Date.parse(serverNow);
  if (view.lost) return { ...view, heardAt: now, serverThen: said, lost: false };
  if (said < there - SILENT_AFTER_MS) return view;
  return { ...view, heardAt: now, serverThen: Math.max(said, view.serverThen) };
}

/** For how long nobody has said anything; null while the stream lives. */
export function silence({ heardAt, lost }: Heard, now: number): number | null {
  const ms = now - heardAt;
  return ms > SILENT_AFTER_MS || (lost && ms > LOST_AFTER_MS) ? ms : null;
}

/**
 * Whether what a claim rests on has not run out by the server's own clock. A `fresh` event moves that instant for all
 * services of its target; what does not rest on observation does not age.
 */
export function isFresh(view: Heard, { service, freshness }: Claim, now: number): boolean {
  const { freshForMs, validUntil } = freshness;
  if (freshForMs === null || validUntil === null) return true;
  return isValid(view, service, validUntil, now);
}

/** What serves, and when it was last seen to: each report of its target shows it anew. */
export function servingNow(
  view: Heard,
  service: string,
  serving: Serving,
  now: number,
): { readonly asOf: number; readonly isFresh: boolean } {
  const renewed = view.fresh[targetOf(service)]?.asOf ?? serving.asOf;
  return {
    asOf: Math.max(Date.parse(serving.asOf), Date.parse(renewed)),
    isFresh: isValid(view, service, serving.validUntil, now),
  };
}

function isValid(view: Heard, service: string, validUntil: string, now: number): boolean {
  const renewed = view.fresh[targetOf(service)]?.validUntil ?? validUntil;
  return serverNowOf(view, now) <= Math.max(Date.parse(validUntil), Date.parse(renewed)) + SLACK_MS;
}
