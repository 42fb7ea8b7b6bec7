import type { FastifyRequest } from 'fastify';
import type { Digits } from '../../contract/digits.ts';
import type { ServerContext } from '../context.ts';
import { Refused } from '../http/problems.ts';
import type { Call } from '../http/route.ts';
import { keepAlive, Sse } from './sse.ts';
import type { Watch } from './watch.ts';

/** Writes a watch to its client as server-sent events, beside the handler, until either of them ends. */
export function sendEvents(
  log: ServerContext['log'],
  call: Pick<Call<unknown, unknown>, 'reply' | 'correlation'>,
  events: Watch,
  headers: Readonly<Record<string, string>> = {},
): void {
  const sse = new Sse(call, headers);
  writeEvents(sse, events).catch((error: unknown) => {
    log.error({ err: error, correlation: call.correlation }, 'a stream failed; its client reconnects');
    sse.end('the stream failed');
  });
}

async function writeEvents(sse: Sse, events: Watch): Promise<void> {
  void sse.closed.then(() => events.return());
  const stopKeepAlive = keepAlive(sse);
  let isLive = false;
  let lastId: Digits | undefined;
  for await (const event of events) {
    if (event.event === 'end') {
      sse.end(event.why);
      await sse.closed;
    } else if (event.event === 'caught_up') {
      isLive = true;
      stopKeepAlive();
      // A client of an org has no id before its first event: what it misses until then would be missed for good (S12).
      if (lastId !== event.position) sse.bookmark(event.position);
    } else {
      sse.send(event);
      if ('id' in event) lastId = event.id;
      // The past is sent at the pace of the reader. A live event is not: a reader that is too far behind is cut off by
      // `send` (F83).
      if (!isLive) await Promise.race([sse.drained(), events.ended]);
    }
  }
}

export const wantsStream = ({ headers }: Pick<FastifyRequest, 'headers'>) =>
  /\btext\/event-stream\b/.test(headers.accept ?? '');

/** Bounds a position in a request; the server's own have 30 digits at most. */
export const MAX_POSITION = 40;

/**
 * The position after which a client resumes. Anything but a position is refused; a position that is not of this ledger,
 * or that it has not reached, is answered by a reset (F85).
 */
export function resumesAfter({ request }: Pick<Call<unknown, unknown>, 'request'>): Digits | null {
  const position = request.headers['last-event-id'] ?? (request.query as { after?: string }).after;
  if (position === undefined || position === '') return null;
  if (typeof position !== 'string' || !/^(?:0|[1-9]\d*)$/.test(position) || position.length > MAX_POSITION)
    throw new Refused('invalid_request', 'Last-Event-ID is a position: digits alone.', {
      errors: ['Last-Event-ID: malformed'],
    });
  return position;
}
