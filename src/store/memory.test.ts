import { expect, it } from 'vitest';
import { describeStore } from './conformance.ts';
import { MemoryStore, type Seams } from './memory.ts';

describeStore('in memory', (clock) => new MemoryStore(clock));
describeStore(
  'in memory, one transaction at a time',
  (clock) => new MemoryStore(clock, undefined, { serial: true }),
  {
    serial: true,
  },
);

it('shows a host every statement and the commit, and lets it interrupt between them', async () => {
  const calls: string[] = [];
  const seams: Seams = {
    before() {
      calls.push('statement');
      return undefined;
    },
    async commit(apply) {
      calls.push('commit');
      apply();
      throw new Error('the answer is lost');
    },
    wait: () => ({ promise: Promise.resolve(), wake: () => {} }),
  };
  const store = new MemoryStore(() => 0, seams);
  const lost = store.transact((tx) => tx.insert('artifacts', { org: 'a', digest: 'x', size: 1 }));
  await expect(lost).rejects.toThrow('the answer is lost');
  expect(calls).toEqual(['statement', 'commit']);
  expect(store.tables.artifacts.size).toBe(1);
});

it('keeps nothing of a commit that was cut before it was applied', async () => {
  const seams: Seams = {
    before: () => undefined,
    commit: () => Promise.reject(new Error('died')),
    wait: () => ({ promise: Promise.resolve(), wake: () => {} }),
  };
  const store = new MemoryStore(() => 0, seams);
  await expect(
    store.transact((tx) => tx.insert('artifacts', { org: 'a', digest: 'x', size: 1 })),
  ).rejects.toThrow('died');
  expect(store.tables.artifacts.size).toBe(0);
});

it('does not call the host’s commit for a transaction that only reads', async () => {
  const seams: Seams = {
    before: () => undefined,
    commit: () => Promise.reject(new Error('never')),
    wait: () => ({ promise: Promise.resolve(), wake: () => {} }),
  };
  const store = new MemoryStore(() => 7, seams);
  expect(await store.transact((tx) => tx.now())).toBe(7);
});

it('passes the turn of a waiter that died to the next one', async () => {
  const deaths: (() => void)[] = [];
  const seams: Seams = {
    before: () => undefined,
    commit: (apply) => void apply(),
    wait() {
      let wake = () => {};
      const promise = new Promise<void>((resolve, reject) => {
        wake = resolve;
        deaths.push(() => reject(new Error('died')));
      });
      return { promise, wake: () => wake() };
    },
  };
  const store = new MemoryStore(() => 0, seams, { serial: true });
  const put = (digest: string) =>
    store.transact((tx) => tx.insert('artifacts', { org: 'a', digest, size: 1 }));
  const first = store.begin();
  await first.turn();
  const [dies, diesWithTheTurn, lives] = [put('x'), put('y'), put('z')];
  deaths[0]?.();
  await expect(dies).rejects.toThrow('died');
  deaths[1]?.();
  await first.rollback();
  await expect(diesWithTheTurn).rejects.toThrow('died');
  expect(await lives).toBe(true);
  expect([...store.tables.artifacts.keys()]).toEqual(['a|z']);
});
