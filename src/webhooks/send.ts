import { type ClientRequest, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { DestinationRefused, type Destinations } from './destination.ts';

/** The receiver has so long to answer. */
const ANSWER_MS = 15_000;

/** How a try ended. `askedMs` is what the receiver asked for by `Retry-After`. */
export interface Tried {
  readonly status: number | null;
  readonly problem: string | null;
  readonly askedMs: number | null;
}

interface Message {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a message once. Only an answer from 200 to 299 is a success; a redirection is not followed, because it could lead
 * to where the operator lets nobody (F106). Nothing of the answer's body is read or kept.
 *
 * Rejected: `AbortSignal.any` with a timeout, whose timer may be collected before it fires.
 */
export function sendOnce(
  destinations: Destinations,
  { url, headers, body }: Message,
  stopping: AbortSignal,
  answerMs = ANSWER_MS,
): Promise<Tried> {
  return new Promise((resolve) => {
    const failed = (problem: string) => resolve({ status: null, problem, askedMs: null });
    let sent: ClientRequest;
    try {
      const to = destinations.parse(url);
      const bytes = Buffer.from(body);
      sent = (to.protocol === 'http:' ? requestHttp : requestHttps)(to, {
        method: 'POST',
        agent: false,
        lookup: destinations.lookup,
        headers: { ...headers, 'content-length': bytes.length, 'user-agent': 'evident' },
      });
      sent.end(bytes);
    } catch (error) {
      return failed(reasonOf(error));
    }
    const late = setTimeout(() => {
      failed(`It gave no answer within ${Math.round(answerMs / 1_000)} s.`);
      sent.destroy();
    }, answerMs);
    const stop = () => sent.destroy();
    stopping.addEventListener('abort', stop);
    if (stopping.aborted) stop();
    sent.once('response', (response) => {
      const { statusCode: status = 0 } = response;
      const askedMs = asked(response.headers['retry-after']);
      const problem = status >= 200 && status < 300 ? null : problemOf(status);
      resolve({ status, problem, askedMs });
      response.destroy();
    });
    sent.on('error', (error) => failed(reasonOf(error)));
    // An answer that changes the protocol ends the request without an error.
    sent.once('close', () => {
      clearTimeout(late);
      stopping.removeEventListener('abort', stop);
      failed('It closed the connection without an answer.');
    });
  });
}

function problemOf(status: number): string {
  if (status >= 300 && status < 400) return `It answered ${status}: redirections are not followed.`;
  return `It answered ${status}.`;
}

function reasonOf(error: unknown): string {
  if (error instanceof DestinationRefused) return error.message;
  const { name, code } = error as NodeJS.ErrnoException;
  return `It could not be reached (${code ?? name}).`;
}

/** In seconds, or as a date. */
function asked(header: string | undefined): number | null {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) && ms > 0 ? ms : null;
}
