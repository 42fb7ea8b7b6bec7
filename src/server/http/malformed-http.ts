import { randomUUID } from 'node:crypto';
import { maxHeaderSize, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import type { ProblemCode } from '../../contract/problem.ts';
import { problemDocument } from './problems.ts';

interface Malformed {
  readonly code: ProblemCode;
  /** The status of the answer; HTTP has one of its own for some of these errors. */
  readonly status: number;
  readonly detail: string;
  readonly limit?: number;
}

const MALFORMED: Readonly<Record<string, Malformed>> = {
  HPE_HEADER_OVERFLOW: {
    code: 'too_large',
    status: 431,
    detail: `The address and the headers are larger than ${maxHeaderSize} bytes, the limit here.`,
    limit: maxHeaderSize,
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: 'invalid_request',
    status: 408,
    detail: 'The request did not arrive in time.',
  },
};
const NO_HTTP: Malformed = { code: 'invalid_request', status: 400, detail: 'This is no HTTP request.' };

/** Answers bytes that are no HTTP request with a problem on the bare connection, and ends it. */
export const answerMalformed =
  (log: FastifyBaseLogger) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    const { _httpMessage: answering } = socket as Socket & { _httpMessage?: ServerResponse | null };
    // Writes nothing to a client that is gone, nor into the middle of a response.
    if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) {
      socket.destroy();
      return;
    }
    const { code, status, detail, limit } = MALFORMED[error.code ?? ''] ?? NO_HTTP;
    const correlation = randomUUID();
    const errors = code === 'invalid_request' ? { errors: [detail] } : { limit };
    const body = JSON.stringify({ ...problemDocument(code, detail, correlation, errors), status });
    log.info({ correlation, status, code, cause: error.code }, 'refused');
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/problem+json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-correlation-id: ${correlation}`,
      'connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
    socket.destroySoon();
  };
