import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, expect, it, vi } from 'vitest';
import { openAccess } from '../../src/kubernetes/api/access.ts';
import { ApiConnection } from '../../src/kubernetes/api/connection.ts';
import { type ReadItem, readAll } from '../../src/kubernetes/api/read-all.ts';
import type { ApiResource } from '../../src/kubernetes/api/resources.ts';
import { FakeApi, type FakeRequest } from './fake-api.ts';

const PODS: ApiResource = { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true };
const JOBS: ApiResource = { group: 'batch', version: 'v1', resource: 'jobs', kind: 'Job', namespaced: true };

let fake: FakeApi;
let connection: ApiConnection;
afterEach(async () => {
  connection.close();
  await fake.stop();
});

async function readFrom(answer: (request: FakeRequest) => void, resources = [PODS]): Promise<ReadItem[]> {
  fake = await FakeApi.start(answer);
  connection = new ApiConnection(fake.access);
  const items: ReadItem[] = [];
  for await (const item of readAll(connection, resources, { namespace: 'shop' })) items.push(item);
  return items;
}

const pod = (uid: string) => ({ metadata: { name: uid, uid } });
const page = (uids: string[], next?: string) => ({
  kind: 'PodList',
  metadata: { resourceVersion: '7', ...(next === undefined ? {} : { continue: next }) },
  items: uids.map(pod),
});
const uids = (items: ReadItem[]) =>
  items.map((item) =>
    item.kind === 'object' ? (item.object as ReturnType<typeof pod>).metadata.uid : item.problem.kind,
  );

it('reads page after page, and gives each object its kind', async () => {
  const items = await readFrom(({ query, json }) =>
    json(query.get('continue') ? page(['b']) : page(['a'], 't')),
  );
  expect(items[0]).toMatchObject({ object: { apiVersion: 'v1', kind: 'Pod' } });
  expect(uids(items)).toEqual(['a', 'b']);
  expect(fake.requests.map(({ path }) => path)).toEqual(Array(2).fill('/api/v1/namespaces/shop/pods'));
});

it('begins again when the token of a page expires, and repeats nothing (F59)', async () => {
  let first = true;
  const items = await readFrom(({ query, json }) => {
    if (!query.get('continue')) return json(first ? page(['a', 'b'], 't') : page(['b', 'c']));
    first = false;
    json({ kind: 'Status', code: 410, message: 'too old' }, 410);
  });
  expect(uids(items)).toEqual(['a', 'b', 'c']);
});

it('names a kind that may not be read, and goes on with the others (F77)', async () => {
  const items = await readFrom(
    ({ path, json }) => (path.includes('/apis/batch') ? json(page(['j'])) : json({ kind: 'Status' }, 403)),
    [PODS, JOBS],
  );
  expect(uids(items)).toEqual(['forbidden', 'j']);
});

it.each([
  ['half a document', (request: FakeRequest) => request.json('{"kind": "PodList", "ite'), 'protocol'],
  ['another document', (request: FakeRequest) => request.json({ kind: 'Hello' }), 'protocol'],
  ['a stream that is reset', ({ stream }: FakeRequest) => stream.close(2), 'unreachable'],
  ['a connection that ends', ({ stream }: FakeRequest) => stream.session?.destroy(), 'unreachable'],
  [
    'a document that breaks off',
    (request: FakeRequest) => {
      request.begin();
      request.line('{"kind": "PodList",');
      setImmediate(() => request.stream.session?.destroy());
    },
    'unreachable',
  ],
])('says so when it gets %s', async (_, answer, kind) => {
  expect(uids(await readFrom(answer))).toEqual([kind]);
});

it('reads the credentials again after a 401, once', async () => {
  const items = await readFrom(({ headers, json }) => {
    if (headers.authorization !== 'Bearer second') {
      fake.token = 'second';
      return json({ kind: 'Status', message: 'Unauthorized' }, 401);
    }
    json(page(['a']));
  });
  expect(uids(items)).toEqual(['a']);
});

it('opens another connection after GOAWAY', async () => {
  const items = await readFrom(({ query, json, stream }) => {
    json(query.get('continue') ? page(['b']) : page(['a'], 't'));
    stream.session?.goaway();
  });
  expect(uids(items)).toEqual(['a', 'b']);
  expect(fake.requests.map(({ connection }) => connection)).toEqual([1, 2]);
});

it('presents the client certificate of a kubeconfig', async () => {
  const names: unknown[] = [];
  fake = await FakeApi.start(({ stream, json }) => {
    const socket = stream.session?.socket as TLSSocket | undefined;
    names.push(socket?.getPeerCertificate().subject?.CN);
    json(page(['a']));
  });
  const data = (text: string) => Buffer.from(text).toString('base64');
  const { key, cert } = fake.pair;
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'));
  const cluster = { server: fake.access.server.href, 'certificate-authority-data': data(cert) };
  const user = { 'client-certificate-data': data(cert), 'client-key-data': data(key) };
  const config = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(join(folder, 'config'), JSON.stringify(config));
  connection = new ApiConnection(await openAccess({ kubeconfig: join(folder, 'config') }));
  const items: ReadItem[] = [];
  for await (const item of readAll(connection, [PODS], 'all')) items.push(item);
  expect(uids(items)).toEqual(['a']);
  expect(names).toEqual(['fake']);
  rmSync(folder, { recursive: true });
});

it('reads through a plain HTTP/1.1 proxy, as kubectl proxy is one', async () => {
  fake = await FakeApi.start(() => {});
  const paths: unknown[] = [];
  const proxy = createServer((request, response) => {
    paths.push(request.url);
    response.end(JSON.stringify(page(['a'])));
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  const { port } = proxy.address() as AddressInfo;
  connection = new ApiConnection({ ...fake.access, server: new URL(`http://127.0.0.1:${port}/prefix/`) });
  const items: ReadItem[] = [];
  for await (const item of readAll(connection, [PODS], 'all')) items.push(item);
  expect(uids(items)).toEqual(['a']);
  expect(paths).toEqual(['/prefix/api/v1/pods?limit=100']);
  proxy.close();
});

it('opens further connections for more requests than one should carry', async () => {
  const held: FakeRequest[] = [];
  fake = await FakeApi.start((request) => held.push(request));
  connection = new ApiConnection(fake.access);
  const answers = Array.from({ length: 200 }, () => connection.document('/version'));
  await vi.waitFor(() => expect(held.length).toBe(200), 10_000);
  expect(new Set(held.map(({ connection }) => connection)).size).toBe(3);
  for (const { json } of held) json({});
  await Promise.all(answers);
});
