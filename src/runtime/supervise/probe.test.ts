import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { probe } from './probe.ts';

const close: (() => void)[] = [];
afterEach(() => {
  for (const end of close.splice(0)) end();
});

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  close.push(() => server.close());
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

const probing = (port: number) =>
  probe({ addresses: ['127.0.0.1'], port, path: '/healthz', timeoutMs: 2_000 });

it('a redirect is an answer, and nothing is requested from where it leads (F106)', async () => {
  let requests = 0;
  const elsewhere = await listening((_, response) => {
    requests += 1;
    response.end();
  });
  const port = await listening((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${elsewhere}/latest/meta-data` }).end();
  });
  expect(await probing(port)).toEqual({ kind: 'ready', address: '127.0.0.1' });
  expect(requests).toBe(0);
});

it('a status of 400 or more is not ready, and its message names the status', async () => {
  const port = await listening((_, response) => response.writeHead(503).end());
  expect(await probing(port)).toEqual({ kind: 'failed', message: 'the health check answered 503' });
});
