import type { IncomingMessage } from 'node:http';
import { setsSession } from '../../contract/session-cookie.ts';
import { areForwardable, codingOf, isFramed } from '../supervise/answer-words.ts';
import { HOP_BY_HOP, pairsOf } from './request-head.ts';

/** An instance's answer as a client gets it, before its body. */
export interface AnswerHead {
  readonly status: number;
  readonly reason: string;
  readonly headers: readonly string[];
}

/**
 * Null if it is no answer that a client could get: a status that does not end a request (0, 100, 101), control bytes in
 * its words, a body in a coding that cannot be framed anew (F120). `marks` are the router's own; an app cannot set them.
 */
export function answerHead(
  answer: IncomingMessage,
  marks: Readonly<Record<string, string>>,
): AnswerHead | null {
  const { statusCode: status = 0, statusMessage: reason = '' } = answer;
  const coding = codingOf(answer);
  if (status < 200 || status > 999 || !isFramed(coding)) return null;
  return checked(status, reason, [
    ...forwarded(answer, coding === 'chunked'),
    ...Object.entries(marks).flatMap((mark) => [...mark]),
  ]);
}

/** The head with which a connection becomes a WebSocket; null if the answer is another. */
export function switchHead(answer: IncomingMessage): AnswerHead | null {
  if (answer.statusCode !== 101 || answer.headers.upgrade?.trim().toLowerCase() !== 'websocket') return null;
  return checked(101, 'Switching Protocols', [
    ...forwarded(answer, true),
    ...['connection', 'Upgrade', 'upgrade', 'websocket'],
  ]);
}

function* forwarded(answer: IncomingMessage, isFramedAnew: boolean): Generator<string> {
  for (const [name, value] of pairsOf(answer.rawHeaders)) {
    const known = name.toLowerCase();
    if (HOP_BY_HOP.has(known) || known.startsWith('x-evident-')) continue;
    if (known === 'content-length' && isFramedAnew) continue;
    if (known === 'set-cookie' && setsSession(value)) continue;
    yield* [name, value];
  }
}

function checked(status: number, reason: string, headers: readonly string[]): AnswerHead | null {
  return areForwardable(reason, headers) ? { status, reason, headers } : null;
}
