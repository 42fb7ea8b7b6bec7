import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AnswerHead, answerHead, switchHead } from './answer-head.ts';
import type { RequestHead } from './request-head.ts';

/** An answer that has begun must have its whole head within this time. */
const ANSWER_HEAD_MS = 5_000;

export type ExchangeEnd =
  /** An answer began, and was forwarded as far as it came. */
  | 'answered'
  /** The connection ended before an answer began. */
  | 'broken_off'
  /** The instance sent something that is no answer to this request (F120). */
  | 'malformed';

export interface Exchange {
  /** A connection to the instance, on which nothing was sent yet. */
  readonly socket: Socket;
  readonly head: RequestHead;
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Put on an answer that the instance gave. */
  readonly marks: Readonly<Record<string, string>>;
  /** The client's connection, if it wants to make a WebSocket of it, and what it has sent after the request. */
  readonly upgrade: { readonly client: Duplex; readonly first: Buffer } | null;
  readonly answerHeadMs?: number;
}

/**
 * One request to one instance. Whatever the instance says ends here: every listener is guarded, and an error of any of
 * them ends this exchange and nothing else (F120).
 *
 * Rejected: httpxy. It hands the instance's status and words to Node unread, inside listeners of its own, and what Node
 * throws at them ended the process.
 */
export function exchange(options: Exchange): Promise<ExchangeEnd> {
  const { socket, head, req, res, marks, upgrade, answerHeadMs = ANSWER_HEAD_MS } = options;
  const { method, path, headers, hasBody } = head;
  return new Promise((done) => {
    const outgoing = request({ createConnection: () => socket, method, path, headers, setHost: false });
    // Every header counts: of more than its limit Node would keep the first ones.
    outgoing.maxHeadersCount = 0;
    let begun = false;
    let read: IncomingMessage | null = null;
    let isOver = false;
    let timer: NodeJS.Timeout | undefined;
    const end = (outcome: ExchangeEnd) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      res.off('close', onClose);
      if (begun && !res.writableEnded) res.destroy();
      if (hasBody) req.unpipe(outgoing).resume();
      outgoing.destroy();
      socket.destroy();
      done(outcome);
    };
    const onClose = () => end('answered');
    const guarded =
      <A extends unknown[]>(act: (...args: A) => void) =>
      (...args: A) => {
        try {
          act(...args);
        } catch {
          end(begun ? 'answered' : 'malformed');
        }
      };
    const expectHead = () => {
      timer ??= setTimeout(() => end('malformed'), answerHeadMs);
    };
    const expectNothing = () => {
      clearTimeout(timer);
      timer = undefined;
    };
    res.on('close', onClose);
    outgoing.on('error', ({ code }: NodeJS.ErrnoException) => {
      // Bytes after a whole answer are ignored: a body after the answer to HEAD is a common mistake.
      if (read?.complete) return;
      end(begun ? 'answered' : code?.startsWith('HPE_') ? 'malformed' : 'broken_off');
    });
    // A connection that closes after the head is the answer's matter: the client may still be reading it.
    outgoing.once('close', () => {
      if (read === null) end('broken_off');
    });
    outgoing.once('socket', () => socket.prependListener('data', onBytes));
    const onBytes = () => {
      if (read === null) expectHead();
    };
    // A lone 100 is no answer: nobody asked for it, and the answer must follow.
    outgoing.on('information', ({ statusCode }) => (statusCode === 100 ? expectHead() : expectNothing()));
    const begin = guarded((answer: IncomingMessage, answered: AnswerHead) => {
      if (isOver) return;
      res.writeHead(answered.status, answered.reason, [...answered.headers]);
      begun = true;
      forward(answer, res, end);
    });
    outgoing.once(
      'response',
      guarded((answer: IncomingMessage) => {
        const answered = answerHead(answer, marks);
        if (answered === null) return end('malformed');
        read = answer;
        expectNothing();
        // Bytes that came with the head are parsed first: if they are no HTTP, nothing was answered yet.
        process.nextTick(begin, answer, answered);
      }),
    );
    outgoing.once(
      'upgrade',
      guarded((answer: IncomingMessage, instance: Duplex, first: Buffer) => {
        const answered = upgrade && switchHead(answer);
        if (upgrade === null || answered === null) return end('malformed');
        isOver = true;
        expectNothing();
        res.off('close', onClose);
        res.detachSocket(upgrade.client as Socket);
        const lines = answered.headers.map((text, at) => (at % 2 === 0 ? `\r\n${text}: ` : text));
        upgrade.client.write(`HTTP/1.1 101 ${answered.reason}${lines.join('')}\r\n\r\n`, 'latin1');
        join(upgrade.client, upgrade.first, instance, first);
        done('answered');
      }),
    );
    if (hasBody) send(req, outgoing);
    else outgoing.end();
  });
}

function send(req: IncomingMessage, outgoing: ClientRequest): void {
  req.on('error', () => outgoing.destroy());
  req.pipe(outgoing);
}

function forward(answer: IncomingMessage, res: ServerResponse, end: (outcome: ExchangeEnd) => void): void {
  answer.on('error', () => end('answered'));
  answer.once('close', () => {
    if (!answer.complete) end('answered');
  });
  // An app that sends its head and then waits has a client that waits for that head.
  const flush = setImmediate(() => res.flushHeaders());
  answer.once('data', () => clearImmediate(flush));
  answer.once('end', () => {
    clearImmediate(flush);
    res.once('finish', () => end('answered'));
  });
  answer.pipe(res);
}

/** Either end takes the other with it: an upgraded connection has no request that could end it. */
function join(client: Duplex, fromClient: Buffer, instance: Duplex, fromInstance: Buffer): void {
  for (const [one, other] of [
    [client, instance],
    [instance, client],
  ] as const) {
    one.on('error', () => other.destroy());
    one.once('close', () => other.destroy());
  }
  if (fromClient.length > 0) client.unshift(fromClient);
  if (fromInstance.length > 0) instance.unshift(fromInstance);
  instance.pipe(client).pipe(instance);
}
