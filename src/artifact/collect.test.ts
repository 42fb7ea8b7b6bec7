import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectGarbage } from './collect.ts';
import { ArtifactStore } from './store.ts';

const BEFORE = 2_000_000;
let dir: string;
let store: ArtifactStore;
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'evident-collect-'));
  store = await ArtifactStore.open(dir, { maxBytes: 1000, minFreeBytes: 0 });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function put(text: string, isOld = true): Promise<string> {
  const { digest } = await store.put(
    (async function* () {
      yield Buffer.from(text);
    })(),
    null,
  );
  if (isOld) utimesSync(join(dir, 'sha256', digest.slice(7, 9), digest.slice(9)), 1000, 1000);
  return digest;
}

/** Writes a file as an old put would have left it, without waiting for the disk. */
function leave(text: string): void {
  const hex = createHash('sha256').update(text).digest('hex');
  const path = join(dir, 'sha256', hex.slice(0, 2), hex.slice(2));
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, 1000, 1000);
}

test('the collector removes old bytes without a reference; young or referred ones stay', async () => {
  const [held, young] = [await put('held'), await put('young', false)];
  const checked: string[][] = [];
  for (let n = 0; n < 250; n++) leave(`garbage ${n}`);
  const { removed } = await collectGarbage(store, BEFORE, async (digests) => {
    checked.push([...digests]);
    return new Set([held]);
  });
  expect(removed).toBe(250);
  expect(checked.map((digests) => digests.length)).toEqual([200, 51]);
  expect(checked.flat()).not.toContain(young);
  const left: string[] = [];
  for await (const { digest } of store.digests()) left.push(digest);
  expect(left.sort()).toEqual([held, young].sort());
});

test('bytes that are put again while the references are read stay', async () => {
  const digest = await put('again');
  const result = await collectGarbage(store, BEFORE, async () => {
    await put('again', false);
    return new Set();
  });
  expect(result).toEqual({ removed: 0, bytes: 0 });
  expect(await store.has(digest)).toBe(true);
});

test('no bytes are removed when the references cannot be read', async () => {
  const digest = await put('kept');
  const failing = collectGarbage(store, BEFORE, async () => {
    throw new Error('no answer');
  });
  await expect(failing).rejects.toThrow('no answer');
  expect(await store.has(digest)).toBe(true);
});
