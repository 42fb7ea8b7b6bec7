import { expect, it } from 'vitest';
import type { Client } from './client.ts';
import { beatTogether } from './heartbeats.ts';

const held = { ttlMs: 4_000, cancelRequested: false, superseded: false };
const lease = (id: string) => ({ id, fence: '1' });

/** A client whose calls are answered by this function, and the calls. */
function clientOf(answer: (path: string, body: { beats?: { id: string }[] }) => unknown) {
  const calls: string[] = [];
  const call = async (_: string, path: string, body: { beats?: { id: string }[] }) => {
    calls.push(`${path} ${(body.beats ?? []).map(({ id }) => id)}`.trim());
    return answer(path, body);
  };
  return { calls, client: { call } as unknown as Client };
}

const options = () => ({ timeoutMs: 1_000, signal: new AbortController().signal });

it('heartbeats of one moment are one request, each answered by itself', async () => {
  const { calls, client } = clientOf((_, { beats = [] }) => ({
    beats: beats.map(({ id }) =>
      id === 'b' ? { id, code: 'lease_lost', detail: 'stop' } : { id, ...held, superseded: id === 'c' },
    ),
  }));
  const beat = beatTogether(client);
  const outcomes = await Promise.allSettled(['a', 'b', 'c'].map((id) => beat(lease(id), options())));
  expect(calls).toEqual(['/v1/leases/heartbeats a,b,c']);
  expect(outcomes).toMatchObject([
    { status: 'fulfilled', value: { superseded: false } },
    { status: 'rejected', reason: { code: 'lease_lost', status: 409 } },
    { status: 'fulfilled', value: { superseded: true } },
  ]);
});

it('one alone is a request of its own, and those of a later moment are another', async () => {
  const { calls, client } = clientOf(() => held);
  const beat = beatTogether(client);
  await beat(lease('a'), options());
  await beat(lease('b'), options());
  expect(calls).toEqual(['/v1/leases/a/heartbeat', '/v1/leases/b/heartbeat']);
});

it('a lease that ends waits no longer, and the others go on', async () => {
  const ended = new AbortController();
  const { client } = clientOf(async (_, { beats = [] }) => {
    ended.abort(new Error('over'));
    await new Promise((later) => setImmediate(later));
    return { beats: beats.map(({ id }) => ({ id, ...held })) };
  });
  const beat = beatTogether(client);
  const over = beat(lease('a'), { timeoutMs: 1_000, signal: ended.signal });
  const other = beat(lease('b'), options());
  await expect(over).rejects.toThrow('over');
  expect(await other).toMatchObject(held);
});

it('an answer that leaves one out, or a server that does not answer, fails those that wait for it', async () => {
  const short = beatTogether(clientOf(() => ({ beats: [{ id: 'a', ...held }] })).client);
  const [first, second] = await Promise.allSettled([
    short(lease('a'), options()),
    short(lease('b'), options()),
  ]);
  expect([first.status, second.status]).toEqual(['fulfilled', 'rejected']);
  const gone = clientOf(() => {
    throw new Error('gone');
  });
  const lost = beatTogether(gone.client);
  const both = [lost(lease('a'), options()), lost(lease('b'), options())];
  for (const one of await Promise.allSettled(both))
    expect(one).toMatchObject({ reason: { message: 'gone' } });
});
