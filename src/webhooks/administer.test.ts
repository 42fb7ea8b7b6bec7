import { expect, it } from 'vitest';
import { newWebhookSchema } from '../contract/webhook.ts';
import { isIntact } from '../store/broken-row.ts';
import { MemoryStore } from '../store/memory.ts';
import { forgetOldDeliveries, insertWebhook, sendAgain, sendTest } from './administer.ts';
import { deliveryId } from './enqueue.ts';

const HOOK = { org: 'acme', id: 'hook' };
const DAY_MS = 24 * 3_600_000;

/** A store with one webhook, and three messages about the same that wait in their order. */
async function waiting() {
  let now = Date.parse('2026-05-01T12:00:00Z');
  const store = new MemoryStore(() => now);
  const wishes = newWebhookSchema.parse({ url: 'https://example.com/', events: ['alarm'] });
  await store.transact((tx) => insertWebhook(tx, { ...wishes, ...HOOK, createdBy: 'ana' }, now));
  const ids: string[] = [];
  for (let n = 0; n < 3; n++) ids.push((await sendTest(store, HOOK.org, HOOK.id, 'ana')) ?? '');
  const rows = async () =>
    (await store.read((tx) => tx.select('deliveries', { org: HOOK.org }, { order: 'nth' }))).filter(isIntact);
  const pass = (ms: number) => {
    now += ms;
  };
  return { store, ids, rows, pass };
}

it('gives only the first about a subject a time to be sent at', async () => {
  const { ids, rows } = await waiting();
  expect((await rows()).map(({ nextAt }) => nextAt !== null)).toEqual([true, false, false]);
  expect((await rows()).map(deliveryId)).toEqual(ids);
});

it('lets nothing that is sent again overtake what waits before it', async () => {
  const { store, ids, rows } = await waiting();
  expect(await sendAgain(store, HOOK.org, HOOK.id, ids[2] ?? '')).toBe(true);
  expect((await rows()).map(({ nextAt }) => nextAt !== null)).toEqual([true, false, false]);
});

it('sends nothing again under another id', async () => {
  const { store, ids, rows } = await waiting();
  const [first = ''] = ids;
  await store.transact((tx) =>
    tx.update('deliveries', { org: HOOK.org, webhook: HOOK.id, nth: 1 }, {}, { state: 'dead', nextAt: null }),
  );
  for (const wrong of [first.replace('hook', 'other'), first.replace('_1_', '_01_'), '', 'msg_hook_1'])
    expect(await sendAgain(store, HOOK.org, HOOK.id, wrong)).toBe(false);
  expect((await rows())[0]).toMatchObject({ state: 'dead', nextAt: null });
  expect(await sendAgain(store, HOOK.org, HOOK.id, first)).toBe(true);
  expect((await rows())[0]).toMatchObject({ state: 'waiting', tries: 0 });
});

it('forgets after a month what is over, and nothing that others wait behind', async () => {
  const { store, rows, pass } = await waiting();
  await store.transact((tx) =>
    tx.update('deliveries', { org: HOOK.org, webhook: HOOK.id, nth: 1 }, {}, { state: 'dead', nextAt: null }),
  );
  pass(31 * DAY_MS);
  await forgetOldDeliveries(store);
  expect((await rows()).map(({ nth, state }) => `${nth} ${state}`)).toEqual(['2 waiting', '3 waiting']);
});
