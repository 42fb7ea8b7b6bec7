import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Client, ProblemAnswer, Unreachable } from '../../src/client/client.ts';
import { follow, type StreamEvent } from '../../src/client/events.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** A server on a real socket that answers each connection with the next of the answers. */
async function streaming(...answers: readonly Answer[]) {
  const resumed: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    resumed.push(request.headers['last-event-id'] as string | undefined);
    answers[Math.min(resumed.length, answers.length) - 1]?.(response, request);
  }).listen(0);
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  await new Promise((done) => server.once('listening', done));
  return { client: new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 't'), resumed };
}

const opened = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
const event = (name: string, id: string | null) =>
  `${id === null ? '' : `id: ${id}\n`}event: ${name}\ndata: {"n": "${id}"}\n\n`;
const cutAfter =
  (...texts: readonly string[]): Answer =>
  (response) => {
    for (const text of texts) opened(response).write(text);
    // The written bytes are sent before the connection is destroyed.
    response.write('', () => setImmediate(() => response.socket?.destroy()));
  };

/** Reads until an event for which `is` holds. */
async function read(
  stream: AsyncGenerator<StreamEvent>,
  is: (received: StreamEvent) => boolean,
): Promise<string[]> {
  const names: string[] = [];
  for await (const received of stream) {
    names.push(
      'id' in received && received.id !== null ? `${received.event} ${received.id}` : received.event,
    );
    if (is(received)) break;
  }
  return names;
}
const signal = new AbortController().signal;

describe('a stream that outlives its connections (S12)', () => {
  it('resumes after the last id it received, and yields no event that came in part', async () => {
    const half = event('transition', '8').slice(0, -2);
    const { client, resumed } = await streaming(
      cutAfter(event('claim', '5') + event('transition', '7') + event('fresh', null) + half),
      (response) => opened(response).write(event('transition', '8') + event('claim', '9')),
    );
    const names = await read(
      follow(client, '/events', { signal, after: '3' }),
      (received) => 'id' in received && received.id === '9',
    );
    expect(resumed).toEqual(['3', '7']);
    expect(names).toEqual([
      'open',
      'claim 5',
      'transition 7',
      'fresh',
      'lost',
      'open',
      'transition 8',
      'claim 9',
    ]);
  });

  it('begins again at its old position where it was cut off during a reset', async () => {
    const { client, resumed } = await streaming(
      cutAfter(event('reset', null) + event('claim', null)),
      cutAfter(event('reset', null) + event('claim', '2')),
      (response) => opened(response).write(event('claim', '3')),
    );
    await read(
      follow(client, '/events', { signal, after: '900' }),
      (received) => 'id' in received && received.id === '3',
    );
    expect(resumed).toEqual(['900', '900', '2']);
  });

  it('reconnects after a silent connection; a comment counts as contact', async () => {
    const { client, resumed } = await streaming(
      (response) => void opened(response).write(': calm\n\n'),
      (response) => opened(response).write(event('claim', '1')),
    );
    const names = await read(
      follow(client, '/events', { signal, quietMs: 500 }),
      ({ event }) => event === 'claim',
    );
    expect([names, resumed.length]).toEqual([['open', 'lost', 'open', 'claim 1'], 2]);
  });

  it('waits for a server that is unavailable, and not for one that refuses', async () => {
    const problem =
      (status: number): Answer =>
      (response) =>
        response
          .writeHead(status, { 'content-type': 'application/problem+json' })
          .end(JSON.stringify({ code: 'x', status, title: 'x', detail: 'x' }));
    const { client } = await streaming(problem(503), (response) =>
      opened(response).write(event('claim', '1')),
    );
    expect(await read(follow(client, '/events', { signal }), ({ event }) => event === 'claim')).toEqual([
      'lost',
      'open',
      'claim 1',
    ]);
    const refusing = await streaming(problem(404));
    await expect(read(follow(refusing.client, '/events', { signal }), () => false)).rejects.toBeInstanceOf(
      ProblemAnswer,
    );
  });

  it('gives up where no server answers for too long', async () => {
    const { client } = await streaming(cutAfter(event('claim', '1')), (response) =>
      response.socket?.destroy(),
    );
    await expect(
      read(follow(client, '/events', { signal, giveUpAfterMs: 300 }), () => false),
    ).rejects.toBeInstanceOf(Unreachable);
  });

  it('ends when its signal is aborted', async () => {
    const { client } = await streaming((response) => opened(response).write(event('claim', '1')));
    const stop = new AbortController();
    const names: string[] = [];
    for await (const received of follow(client, '/events', { signal: stop.signal })) {
      names.push(received.event);
      if (received.event === 'claim') stop.abort();
    }
    expect(names).toEqual(['open', 'claim']);
  });
});
