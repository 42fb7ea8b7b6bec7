import { expect, it } from 'vitest';
import type { Client } from '../client/client.ts';
import { OutageLog } from '../client/persist.ts';
import type { ApplyResult, Runtime } from '../runtime/port.ts';
import { Commands } from './commands.ts';
import type { Registration } from './registration.ts';

interface Item {
  readonly service: string;
  readonly kind: string;
  readonly body: object;
}

/** The evidence of apply commands that wait together, with this answer of the runtime; the reports sent before it, and all calls. */
async function applies(
  answer: ApplyResult,
  services: readonly string[] = ['web@lab'],
): Promise<{ items: readonly Item[]; order: readonly string[]; paths: readonly string[] }> {
  const stop = new AbortController();
  const order: string[] = [];
  const paths: string[] = [];
  const items: Item[] = [];
  let isOffered = false;
  const leases = services.map((service, i) => ({
    ...{ id: `l${i}`, command: `c${i}`, kind: 'apply', service, revision: 3, attempt: 1, fence: '2' },
    ttlMs: 60_000,
    input: { artifact: 'registry/web:1', spec: { replicas: 1 } },
  }));
  const held = { ttlMs: 60_000, cancelRequested: false, superseded: false };
  const client = {
    call: async (_: string, path: string, body: { items: readonly Item[]; beats: object[]; max: number }) => {
      paths.push(path === '/v1/leases' ? `${path} ${body.max}` : path);
      if (path.endsWith('/heartbeat')) return held;
      if (path.endsWith('/heartbeats')) return { beats: body.beats.map((beat) => ({ ...beat, ...held })) };
      if (path === '/v1/evidence') {
        items.push(...body.items);
        order.push('evidence');
        if (items.length === services.length) setImmediate(() => stop.abort());
        return { results: body.items.map((item) => ({ ...item, verdict: 'admitted' })) };
      }
      if (path === '/v1/leases' && !isOffered) {
        isOffered = true;
        return { leases };
      }
      await new Promise<void>((done) => stop.signal.addEventListener('abort', () => done()));
      return null;
    },
  };
  await new Commands({
    client: client as unknown as Client,
    runtime: { apply: async () => answer } as unknown as Runtime,
    registration: { current: async () => ({ epoch: '1', instance: 'i' }) } as unknown as Registration,
    ...{ target: 'lab', agent: 'a', signal: stop.signal, outages: new OutageLog(() => {}), say: () => {} },
    reportApplied: async () => {
      order.push('report');
    },
    reportRemoved: () => {},
  }).run();
  return { items, order, paths };
}

const objects = [{ kind: 'container', name: 'web-1' }];

it('the agent sends the digest that the runtime found for an image named by a tag', async () => {
  const artifact = `sha256:${'a'.repeat(64)}`;
  const { items } = await applies({ kind: 'applied', objects, artifact });
  expect(items).toMatchObject([{ kind: 'runtime.applied' }]);
  expect(items[0]?.body).toEqual({ objects, artifact });
});

it('the agent sends no digest where the runtime has none, and reports before it sends the evidence', async () => {
  const { items, order } = await applies({ kind: 'applied', objects });
  expect(items[0]?.body).toEqual({ objects });
  expect(order.slice(0, 2)).toEqual(['report', 'evidence']);
});

it('the agent takes all commands that wait, as many as it works on at once, and acknowledges them in one request', async () => {
  const services = ['a@lab', 'b@lab', 'c@lab'];
  const { items, paths } = await applies({ kind: 'applied', objects }, services);
  expect(items.map(({ service }) => service).toSorted()).toEqual(services);
  expect(paths.slice(0, 3)).toEqual(['/v1/leases 8', '/v1/leases/heartbeats', '/v1/leases 5']);
});
