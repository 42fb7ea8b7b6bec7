import type { Claim } from '../../contract/claim.ts';
import { compareDigits, type Digits } from '../../contract/digits.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { seesDetail } from '../auth/access.ts';
import { Refused } from '../http/problems.ts';
import type { Call } from '../http/route.ts';
import type { Parts } from '../parts.ts';
import type { Place } from './feeds.ts';
import { freshness } from './freshness.ts';
import { HeldBack } from './held-back.ts';
import { claimsInView, snapshotOf, tellMissed } from './missed.ts';
import type { Viewer } from './org-feed.ts';
import { keepAlive, Sse } from './sse.ts';

const RECHECK_MS = 2_000;

export interface Watched {
  /** Null: all services of the org. */
  readonly service: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Taken beforehand, where there must be room before anything is done. */
  readonly place?: Place;
  readonly caughtUp?: (sse: Sse) => void;
}

/**
 * One viewer from connect to close. It joins the feed first and holds back what comes; then it takes its snapshot,
 * tells what was missed up to that, the claim, and lets go of what came after: no gap and no repetition (S12).
 */
export async function watch(parts: Parts, call: Call<unknown, unknown>, watched: Watched): Promise<'sent'> {
  const { host, feeds } = parts;
  const patient = { ...host, giveWay: feeds.turn };
  const { org } = call.caller;
  const { service } = watched;
  const audience = seesDetail(call.caller.role) ? 'operator' : 'user';
  const last = lastSeen(call);
  const place = watched.place ?? feeds.enter(org);

  const held = new HeldBack();
  let upTo: Digits | null = null;
  let sse: Sse | null = null;
  const tell = (text: string, position: Digits | null) => {
    if (upTo === null || sse === null) held.add(text, position);
    else if (position === null || compareDigits(position, upTo) > 0) sse.write(text);
  };
  const viewer: Viewer = {
    service,
    binding: call.caller,
    audience,
    tell,
    caughtUp: () => sse !== null && upTo !== null && watched.caughtUp?.(sse),
  };
  const which = service === null ? call.caller : { service, target: '*' };
  let leave = () => {};
  try {
    leave = await place.feed.join(viewer);
    let snapshot = await snapshotOf(host, org, service, audience);
    const fresh = service === null ? await freshness(host, org, call.caller.service !== '*') : null;
    const opened = new Sse(call, watched.headers);
    sse = opened;
    feeds.hold(sse, place);
    void sse.closed.then(leave);
    endWithToken(parts, call, sse);
    const live = keepAlive(sse);
    const taken = async (text: string) => {
      opened.write(text);
      await opened.drained();
      return opened.open;
    };
    for (let from = last; ; ) {
      const { position: to, claim } = snapshot;
      const missed = from === null ? null : ({ org, which, audience, from, to } as const);
      if (missed !== null && (await tellMissed(patient, missed, taken, place.feed.retold)) === 'reset') {
        const reason = 'this position is not of this story, or no longer kept';
        sse.send('reset', { ...(service === null ? {} : { service }), reason, position: to });
        if (service === null) await tellAll(sse, claimsInView(patient, call.caller, audience), to);
      }
      if (claim !== null) sse.send('claim', claim, to);
      if (!sse.open || !held.isTooMuch) break;
      held.forget();
      from = to;
      snapshot = await snapshotOf(host, org, service, audience);
    }
    // No claim tells the time here: a page that shows none would not know for seconds that it is live. Nor where it is:
    // what it misses before its first event would be missed for good.
    if (fresh !== null) {
      sse.bookmark(snapshot.position);
      sse.send('fresh', { now: rfc3339(fresh.now), targets: fresh.inView(call.caller) });
    }
    upTo = snapshot.position;
    for (const text of held.after(upTo)) sse.write(text);
    live();
  } catch (error) {
    leave();
    place.leave();
    // Its answer has begun: who reads it comes back, and begins anew.
    sse?.end('the store did not answer');
    throw error;
  }
  watched.caughtUp?.(sse);
  return 'sent';
}

/**
 * The whole picture, for who cannot be told how it came about. The position comes with its end: whoever is cut off
 * before that has none of it, and gets all of it anew.
 */
async function tellAll(sse: Sse, claims: AsyncIterable<Claim>, position: Digits): Promise<void> {
  let last: Claim | null = null;
  for await (const claim of claims) {
    if (last !== null) sse.send('claim', last);
    await sse.drained();
    if (!sse.open) return;
    last = claim;
  }
  if (last !== null) sse.send('claim', last, position);
}

/** What is longer is no position of anybody's; ours have 30 digits at most. */
export const MAX_POSITION = 40;

/** What is no position is refused; one that is not of this story, also one that we never get to, is void (F85). */
function lastSeen({ request }: Call<unknown, unknown>): Digits | null {
  const given = request.headers['last-event-id'] ?? (request.query as { after?: string }).after;
  if (given === undefined || given === '') return null;
  if (typeof given !== 'string' || !/^(?:0|[1-9]\d*)$/.test(given) || given.length > MAX_POSITION)
    throw new Refused('invalid_request', 'Last-Event-ID is a position: digits alone.', {
      errors: ['Last-Event-ID: malformed'],
    });
  return given;
}

/** A stream ends within 5 s of its token's end (F86). */
export function endWithToken(
  { auth, log }: Parts,
  { token, secret }: Call<unknown, unknown>,
  sse: Sse,
): void {
  const timer = setInterval(() => {
    auth.stillGood(token, secret).then(
      (good) => {
        if (!good) sse.end('this token has ended');
      },
      // A store that does not answer says nothing about the token; the next look may.
      (error) => log.debug({ err: error }, 'a stream could not check its token'),
    );
  }, RECHECK_MS);
  void sse.closed.then(() => clearInterval(timer));
}
