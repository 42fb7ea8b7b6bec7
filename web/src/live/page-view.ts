import type { FreshEventData, TransitionEventData } from '../../../src/contract/answers/views.ts';
import type { Claim } from '../../../src/contract/claim.ts';
import { compareDigits } from '../../../src/contract/digits.ts';
import { received, type ServerContact } from '../../../src/contract/presentation/server-contact.ts';

/** Everything this tab has received: whole claims by service, never single fields. */
export interface PageView extends ServerContact {
  readonly claims: ReadonlyMap<string, Claim>;
  /** Number of transitions received; data read beside the stream is read again when it grows. */
  readonly changes: number;
  /**
   * Number of `fresh` events received: one comes at once when something changed within a state, else every
   * few seconds.
   */
  readonly looks: number;
  /** When the server last could not resume and the page started anew; null if never. */
  readonly resetAt: number | null;
}

export type StreamMessage =
  | { readonly kind: 'open' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'claims'; readonly claims: readonly Claim[] }
  | { readonly kind: 'transition'; readonly event: TransitionEventData }
  | { readonly kind: 'fresh'; readonly event: FreshEventData }
  | { readonly kind: 'reset' };

/** The view before the first message: nothing may be shown as current. */
export const emptyView = (now: number): PageView => ({
  claims: new Map(),
  changes: 0,
  looks: 0,
  resetAt: null,
  contactAt: now,
  serverAt: 0,
  fresh: {},
  lost: true,
});

/** The next view of the page after a message from the server. Pure: `now` is from the steady clock. */
export function applyMessage(view: PageView, message: StreamMessage, now: number): PageView {
  switch (message.kind) {
    case 'open':
      return view;
    case 'lost':
      return { ...view, lost: true };
    case 'reset':
      return { ...view, claims: new Map(), changes: view.changes + 1, resetAt: now };
    case 'fresh':
      return {
        ...received(view, now, message.event.now),
        fresh: { ...view.fresh, ...message.event.targets },
        looks: view.looks + 1,
      };
    case 'claims':
      return withClaims(view, message.claims, now);
    case 'transition': {
      const { claim } = message.event;
      const next = claim === null ? received(view, now, null) : withClaims(view, [claim], now);
      return { ...next, changes: view.changes + 1 };
    }
  }
}

function withClaims(view: PageView, claims: readonly Claim[], now: number): PageView {
  const newer = claims.filter((claim) => isNewer(claim, view.claims.get(claim.service)));
  const latest = claims.reduce<string | null>((max, c) => (max === null || c.now > max ? c.now : max), null);
  const next = latest === null ? view : received(view, now, latest);
  if (newer.length === 0) return next;
  const all = new Map(view.claims);
  for (const claim of newer) all.set(claim.service, claim);
  return { ...next, claims: all };
}

/** An older claim that arrives late does not replace a newer one. */
function isNewer(claim: Claim, before: Claim | undefined): boolean {
  if (before === undefined) return true;
  const order = compareDigits(claim.position, before.position);
  return order > 0 || (order === 0 && claim.now >= before.now);
}
