import { authorize } from '../../access/authorize.ts';
import type { Caller } from '../../access/caller.ts';
import { audienceOf } from '../../access/roles.ts';
import type { Claim } from '../../contract/claim.ts';
import type { Digits } from '../../contract/digits.ts';
import type { Host } from '../../evidence/door/host.ts';
import type { SignedIn } from '../auth/authenticate.ts';
import type { ServerContext } from '../context.ts';
import { unwrap } from '../http/unwrap.ts';
import { endWithToken } from './end-with-token.ts';
import { EventQueue } from './event-queue.ts';
import type { StreamSlot } from './feeds.ts';
import { freshEvent, freshness } from './freshness.ts';
import type { Audience } from './last-read.ts';
import { claimsInView, missedTransitions, snapshotOf } from './missed.ts';
import type { OrgFeed } from './org-feed.ts';
import { type Followed, settledEvent } from './settled.ts';
import type { ClaimEvent, FreshEvent, WatchEvent } from './watch-event.ts';

export interface WatchRequest {
  /** Null: all services of the org that the caller may see. */
  readonly service: string | null;
  /** The last position that the client has; null: it has none. */
  readonly after: Digits | null;
  /** A place that was taken beforehand, where there must be room before anything is done. */
  readonly place?: StreamSlot;
  /** Ends the watch with a `settled` event once this attempt has an outcome. */
  readonly until?: Followed;
}

/**
 * The events of one watch. The consumer takes each when it is ready for it, and gives the watch up by `return()`, as
 * `for await` does. The last event is `end`; the watch keeps its place in the org until the consumer requests what comes
 * after that, so that a client that is slow to close its connection counts until it has (F88).
 */
export interface Watch extends AsyncIterableIterator<WatchEvent> {
  /** Resolves when the server ends the watch, also while the consumer waits for something else. */
  readonly ended: Promise<void>;
  return(): Promise<IteratorResult<WatchEvent>>;
}

/**
 * Watches one service or an org, for whatever carries the events to a client. Joins the feed first and holds back what
 * it pushes; then takes a snapshot, yields what was missed up to it and the claim, and then what was held back since: no
 * gap and no repetition (S12). Ends when the server stops, and within 5 s of the token's end (F86). Rejects before the
 * first event where there is nothing to watch or no room for it.
 */
export async function watch(
  context: Pick<ServerContext, 'host' | 'feeds' | 'auth' | 'log'>,
  signedIn: SignedIn,
  request: WatchRequest,
): Promise<Watch> {
  const { host, feeds, log } = context;
  const { caller } = signedIn;
  const { service } = request;
  if (service !== null) unwrap(authorize(caller, { operation: 'read', service }));
  const audience = audienceOf(caller);
  const place = request.place ?? feeds.enter(caller.org);
  const queue = new EventQueue();
  const endIfSettled = settledCheck(context, caller.org, request, audience, queue);
  let leave = () => {};
  let onClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    onClosed = resolve;
  });
  const close = () => {
    leave();
    place.leave();
    onClosed();
  };
  try {
    const send = (event: WatchEvent) => queue.push(event);
    leave = await place.feed.join({ service, binding: caller, audience, send, caughtUp: endIfSettled });
    const first = await snapshotOf(host, caller.org, service, audience);
    const targets = service === null ? await freshness(host, caller.org, caller.service !== '*') : null;
    const stream = { end: (why: string) => queue.end(why), closed };
    feeds.hold(stream, place);
    endWithToken(context, signedIn, stream);
    const patient = { ...host, yieldIfDue: feeds.turn };
    const begins = targets === null ? null : freshEvent(targets, caller);
    const past = pastEvents(patient, place.feed, caller, audience, request, first, queue);
    return closable(pastThenLive(past, begins, queue, endIfSettled, log), queue, close);
  } catch (error) {
    close();
    throw error;
  }
}

/** Yields what the client missed, and the claim; returns the position up to which that is complete. */
async function* pastEvents(
  host: Host,
  feed: OrgFeed,
  caller: Caller,
  audience: Audience,
  { service, after }: WatchRequest,
  first: Awaited<ReturnType<typeof snapshotOf>>,
  queue: EventQueue,
): AsyncGenerator<WatchEvent, Digits> {
  const { org } = caller;
  const which = service === null ? caller : { service, target: '*' };
  let snapshot = first;
  for (let from = after; ; ) {
    const { position: to, claim } = snapshot;
    const missed = from === null ? null : { org, which, audience, from, to };
    if (missed !== null && (yield* missedTransitions(host, missed, feed.past)) === 'reset') {
      const reason = 'this position is not of this story, or no longer kept';
      yield { event: 'reset', data: { ...(service === null ? {} : { service }), reason, position: to } };
      if (service === null) yield* withPositionAtEnd(claimsInView(host, caller, audience), to);
    }
    if (claim !== null) yield { event: 'claim', id: to, data: claim };
    if (!queue.hasOverflowed) return to;
    queue.clear();
    from = to;
    snapshot = await snapshotOf(host, org, service, audience);
  }
}

/** Defines the order of events. `fresh` follows the past for an org, which has no claim with the time. */
async function* pastThenLive(
  past: AsyncGenerator<WatchEvent, Digits>,
  fresh: FreshEvent | null,
  queue: EventQueue,
  endIfSettled: () => void,
  log: ServerContext['log'],
): AsyncGenerator<WatchEvent> {
  try {
    let next = await past.next();
    for (; !next.done && queue.why === null; next = await past.next()) yield next.value;
    if (next.done && queue.why === null) {
      yield { event: 'caught_up', position: next.value };
      if (fresh !== null) yield fresh;
      queue.goLive(next.value);
      endIfSettled();
    } else {
      // Held-back events would follow on a past that is not sent any more.
      queue.clear();
    }
    for (let event = await queue.take(); event !== null; event = await queue.take()) yield event;
  } catch (error) {
    log.warn({ err: error }, 'a watch could not read what was missed; its client resumes');
    queue.end('the store did not answer');
  }
  yield { event: 'end', why: queue.why ?? '' };
}

/** Ends the watch once the attempt that it follows has an outcome. Does nothing where it follows none. */
function settledCheck(
  { host, log }: Pick<ServerContext, 'host' | 'log'>,
  org: string,
  { service, until }: WatchRequest,
  audience: Audience,
  queue: EventQueue,
): () => void {
  if (until === undefined || service === null) return () => {};
  let isChecking = false;
  const check = async () => {
    const settled = await settledEvent(host, org, service, until, audience);
    if (settled === null) return;
    if (settled !== 'unreadable') queue.push(settled);
    queue.end('settled');
  };
  return () => {
    if (isChecking || !queue.isLive || queue.why !== null) return;
    isChecking = true;
    check()
      .catch((error) => log.debug({ err: error }, 'a watch could not look at its attempt; it looks again'))
      .finally(() => {
        isChecking = false;
      });
  };
}

/**
 * An async generator runs its `return()` only after the `next()` that is pending, which may wait for an event that never
 * comes. This one ends the queue first.
 */
function closable(events: AsyncGenerator<WatchEvent>, queue: EventQueue, close: () => void): Watch {
  const over = (result: IteratorResult<WatchEvent>) => {
    if (result.done) close();
    return result;
  };
  return {
    ended: queue.ended,
    next: async () => over(await events.next()),
    return: async () => {
      queue.end('the consumer has left');
      close();
      return events.return(undefined);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/**
 * All claims of an org, for a client that cannot receive how they came about. Only the last one carries the position: a
 * client that is cut off before has none, and receives all of them again.
 */
async function* withPositionAtEnd(
  claims: AsyncIterable<Claim>,
  position: Digits,
): AsyncGenerator<ClaimEvent> {
  let last: Claim | null = null;
  for await (const claim of claims) {
    if (last !== null) yield { event: 'claim', data: last };
    last = claim;
  }
  if (last !== null) yield { event: 'claim', id: position, data: last };
}
