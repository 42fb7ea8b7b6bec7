import { type AddressInfo, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Destinations } from './destination.ts';
import { sendOnce } from './send.ts';

const LOCAL = new Destinations(['127.0.0.0/8']);
const NEVER = new AbortController().signal;

/** A receiver below HTTP: it answers with these bytes, or never. */
async function answering(bytes: string | null): Promise<string> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    socket.once('data', () => bytes !== null && socket.write(bytes));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

const sent = async (bytes: string | null, stopping = NEVER, answerMs = 10_000) =>
  sendOnce(LOCAL, { url: await answering(bytes), headers: {}, body: '{}' }, stopping, answerMs);

it('ends with a receiver that never answers', async () => {
  expect(await sent(null, NEVER, 50)).toMatchObject({
    status: null,
    problem: 'It gave no answer within 0 s.',
  });
});

it('ends with one that changes the protocol, and with one that speaks none', async () => {
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
  expect(await sent(upgrade)).toMatchObject({ status: null, problem: expect.any(String) });
  expect(await sent('no HTTP at all\r\n\r\n')).toMatchObject({ status: null, problem: expect.any(String) });
});

it('ends when the server stops', async () => {
  const stopping = new AbortController();
  const sending = sent(null, stopping.signal);
  stopping.abort();
  expect(await sending).toMatchObject({ status: null });
});

it('takes the status, and the time that the receiver asks for', async () => {
  expect(await sent('HTTP/1.1 204 No Content\r\n\r\n')).toEqual({
    status: 204,
    problem: null,
    askedMs: null,
  });
  expect(await sent('HTTP/1.1 503 x\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n')).toEqual({
    ...{ status: 503, problem: 'It answered 503.', askedMs: 120_000 },
  });
});
