import { setTimeout as wait } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { FreshEventData, LogLineView, TransitionEventData } from '../contract/answers/views.ts';
import type { Claim } from '../contract/claim.ts';
import type { Digits } from '../contract/digits.ts';
import { type Client, ProblemAnswer, Unreachable } from './client.ts';
import { backOffMs } from './persist.ts';

/** The server's events, and two of this client's own: `open` and `lost` describe the connection. */
export type StreamEvent =
  | { readonly event: 'claim'; readonly id: Digits | null; readonly data: Claim }
  | { readonly event: 'transition'; readonly id: Digits | null; readonly data: TransitionEventData }
  | { readonly event: 'fresh'; readonly id: null; readonly data: FreshEventData }
  | { readonly event: 'reset'; readonly id: Digits | null; readonly data: { readonly reason: string } }
  | { readonly event: 'log'; readonly id: null; readonly data: LogLineView }
  | { readonly event: 'open' }
  | { readonly event: 'lost'; readonly why: string };

const EVENTS = new Set(['claim', 'transition', 'fresh', 'reset', 'log']);

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** Resumes after this position: the events since then come first. */
  readonly after?: Digits | null;
  /** A connection that sends nothing for this long is dead: the server sends at least every 5 s (F87). */
  readonly quietMs?: number;
  /** Throws `Unreachable` after this long without anything from any server. */
  readonly giveUpAfterMs?: number;
}

const QUIET_MS = 10_000;
export const GIVE_UP_AFTER_MS = 30_000;

/**
 * A stream that outlives its connections. It resumes after the last id it received, so that no event comes
 * twice and none is missing (S12). Where the server cannot resume it sends `reset`, and a full snapshot
 * follows.
 */
export async function* follow(
  client: Client,
  path: string,
  options: FollowOptions,
): AsyncGenerator<StreamEvent> {
  const { signal, quietMs = QUIET_MS, giveUpAfterMs = GIVE_UP_AFTER_MS } = options;
  let after = options.after ?? null;
  let heardAt = performance.now();
  for (let tries = 0; !signal.aborted; tries++) {
    const connection = new AbortController();
    const either = AbortSignal.any([signal, connection.signal]);
    let why = 'the server ended the stream';
    try {
      const headers = { accept: 'text/event-stream', ...(after === null ? {} : { 'last-event-id': after }) };
      const bytes = await client.download(path, { signal: either, headers, timeoutMs: quietMs });
      tries = 0;
      heardAt = performance.now();
      yield { event: 'open' };
      for await (const event of eventsIn(bytes, quietMs, connection)) {
        heardAt = performance.now();
        if (event === 'word') continue;
        if ('id' in event && event.id !== null) after = event.id;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof ProblemAnswer && error.status < 500 && error.status !== 429) throw error;
      why = connection.signal.aborted ? `no word for ${quietMs / 1000} s` : (error as Error).message;
    } finally {
      connection.abort();
    }
    if (signal.aborted) return;
    yield { event: 'lost', why };
    if (performance.now() - heardAt >= giveUpAfterMs)
      throw new Unreachable(
        `No server has answered at ${client.server} for ${Math.round(giveUpAfterMs / 1000)} s.`,
      );
    const left = giveUpAfterMs - (performance.now() - heardAt);
    await wait(Math.min(backOffMs(tries), Math.max(1, left)), undefined, { signal }).catch(() => {});
  }
}

/** Yields every event when it is complete, and `word` for bytes that only prove that the server is there. */
async function* eventsIn(
  bytes: AsyncIterable<Uint8Array>,
  quietMs: number,
  connection: AbortController,
): AsyncGenerator<StreamEvent | 'word'> {
  let found: StreamEvent[] = [];
  const parser = createParser({
    onEvent: (message) => {
      const event = parseEvent(message);
      if (event !== null) found.push(event);
    },
  });
  const decoder = new TextDecoder();
  let dog = setTimeout(() => connection.abort(), quietMs);
  try {
    for await (const chunk of bytes) {
      clearTimeout(dog);
      parser.feed(decoder.decode(chunk, { stream: true }));
      const events = found;
      found = [];
      yield 'word';
      yield* events;
      dog = setTimeout(() => connection.abort(), quietMs);
    }
  } finally {
    clearTimeout(dog);
  }
}

/** Skips events of a newer server that this client does not know. */
function parseEvent({ event, id, data }: EventSourceMessage): StreamEvent | null {
  if (event === undefined || !EVENTS.has(event)) return null;
  return { event, id: id ?? null, data: JSON.parse(data) } as StreamEvent;
}
