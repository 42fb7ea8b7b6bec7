import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { newLab, ORG } from '../../../test/verbs/driver.ts';
import type { ServerContext } from '../context.ts';
import type { Call } from '../http/route.ts';
import { SharedReads } from '../reads/shared-reads.ts';
import { readRoutes } from './reads.ts';

const image = { kind: 'image', image: `registry.example/web@sha256:${'9b1f'.repeat(16)}` } as const;

/** The list of services of an org, called as HTTP calls it; counts the reads of the store that are open at once. */
async function listed() {
  const lab = newLab();
  for (const name of ['a', 'b', 'c']) await lab.deploy(image, {}, { service: `${name}@lab` });
  const read: typeof lab.store.read = lab.store.read.bind(lab.store);
  const reads = { open: 0, most: 0, begun: 0 };
  lab.store.read = async (body) => {
    reads.open += 1;
    reads.begun += 1;
    reads.most = Math.max(reads.most, reads.open);
    await new Promise((turn) => setImmediate(turn));
    return read(body).finally(() => {
      reads.open -= 1;
    });
  };
  const logs = { read: async () => [] };
  const context = { config: { maxPageItems: 200 }, host: lab.host, logs } as unknown as ServerContext;
  const route = readRoutes(context, new SharedReads()).find(({ path }) => path === '/v1/services');
  const list = async (limit: number) => {
    const caller = { org: ORG, role: 'viewer', name: 'ana', instance: 'x', target: '*', service: '*' };
    const call = {
      ...{ caller, query: { limit, order: 'name' }, request: { url: `/v1/services?limit=${limit}` } },
      reply: { raw: new EventEmitter() },
    } as unknown as Call<never, never>;
    return (await route?.handle(call)) as { readonly body: Buffer };
  };
  return { list, reads };
}

it('viewers of one org who list in numbers take one read at a time, and others their turns between (F125)', async () => {
  const { list, reads } = await listed();
  const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => list((n % 50) + 1)));
  expect(reads.most).toBe(1);
  const counts = answers.slice(0, 4).map(({ body }) => JSON.parse(body.toString()).items.length);
  expect(counts).toEqual([1, 2, 3, 3]);
});

it('viewers who ask for the same page at once share its reading and its text (F125)', async () => {
  const { list, reads } = await listed();
  await list(10);
  const { begun } = reads;
  const answers = await Promise.all(Array.from({ length: 64 }, () => list(10)));
  expect(reads.begun).toBe(2 * begun);
  expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
});
