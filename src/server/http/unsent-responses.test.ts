import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { UnsentResponses } from './unsent-responses.ts';

it('unsent responses are bounded, and readers that take nothing are cut off (F83, F89)', async () => {
  const unsent = new UnsentResponses(8 * 1024 ** 2, 200);
  const body = Buffer.alloc(8 * 1024 ** 2, 'x');
  const server = createServer((_request, response) => {
    try {
      unsent.requireRoom();
    } catch {
      response.writeHead(429).end();
      return;
    }
    unsent.hold(response, body.length);
    response.end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const download = async () => {
    const [response] = await once(get({ port, host: '127.0.0.1', agent: false }), 'response');
    let bytes = 0;
    for await (const some of response) bytes += some.length;
    return [response.statusCode, bytes];
  };
  expect(await download()).toEqual([200, body.length]);
  const connected = once(server, 'connection');
  const stuck = connect(port, '127.0.0.1').pause();
  stuck.on('error', () => {});
  const [socket] = await connected;
  const gone = once(socket, 'close');
  const begun = once(server, 'request');
  stuck.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await begun;
  expect(await download(), 'while somebody takes nothing').toEqual([429, 0]);
  await gone;
  expect(await download()).toEqual([200, body.length]);
  stuck.destroy();
  server.close();
});
