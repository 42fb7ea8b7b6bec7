import { expect, it } from 'vitest';
import { describeStore } from './conformance.ts';
import { MemoryStore, type Seams } from './memory.ts';

describeStore('in memory', (clock) => new MemoryStore(clock));

it('shows a host every statement and the commit, and lets it cut between', async () => {
  const seen: string[] = [];
  const seams: Seams = {
    before() {
      seen.push('statement');
      return undefined;
    },
    async commit(apply) {
      seen.push('commit');
      apply();
      throw new Error('the answer is lost');
    },
    wait: () => ({ promise: Promise.resolve(), wake: () => {} }),
  };
  const store = new MemoryStore(() => 0, seams);
  const lost = store.transact((tx) => tx.insert('artifacts', { org: 'a', digest: 'x', size: 1 }));
  await expect(lost).rejects.toThrow('the answer is lost');
  expect(seen).toEqual(['statement', 'commit']);
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

it('does not end a transaction that only reads by asking the host to commit', async () => {
  const seams: Seams = {
    before: () => undefined,
    commit: () => Promise.reject(new Error('never')),
    wait: () => ({ promise: Promise.resolve(), wake: () => {} }),
  };
  const store = new MemoryStore(() => 7, seams);
  expect(await store.transact((tx) => tx.now())).toBe(7);
});
