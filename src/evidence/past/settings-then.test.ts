import { expect, it } from 'vitest';
import { DEFAULT_SETTINGS, type Settings } from '../../projection/facts.ts';
import { MemoryStore } from '../../store/memory.ts';
import { settingsAt } from './settings-then.ts';

it('stored settings count where they are readable; anything else is ignored (F56)', async () => {
  const store = new MemoryStore(() => 100);
  const stored: readonly [number, unknown][] = [
    [0, { ...DEFAULT_SETTINGS, freshForMs: 2_000 }],
    [10, { freshForMs: '2000' }],
    [20, { freshForMs: -1 }],
    [30, { freshForMs: null }],
    [40, ['freshForMs']],
    [50, 'soon'],
    [60, { freshForMs: 3_000 }],
  ];
  await store.transact(async (tx) => {
    for (const [from, settings] of stored)
      await tx.append('settings', { from, settings: settings as Settings });
  });
  const freshAt = async (at: number) =>
    (await store.read((tx) => settingsAt(tx, at, DEFAULT_SETTINGS))).freshForMs;
  expect(await Promise.all(stored.map(([from]) => freshAt(from)))).toEqual([
    2_000, 15_000, 15_000, 15_000, 15_000, 15_000, 3_000,
  ]);
});
