import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DigestMismatch, NoSpace, StorageUnavailable, TooLarge } from './storage-errors.ts';
import { type ArtifactLimits, ArtifactStore } from './store.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-artifacts-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const LIMITS: ArtifactLimits = { maxBytes: 1024 * 1024, minFreeBytes: 0 };
const open = (limits: Partial<ArtifactLimits> = {}) => ArtifactStore.open(dir, { ...LIMITS, ...limits });
const digestOf = (bytes: Uint8Array | string) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const pathOf = (digest: string) => join(dir, 'sha256', digest.slice(7, 9), digest.slice(9));
const temporaries = () => readdirSync(join(dir, 'tmp'));

async function* chunks(...parts: (string | Uint8Array | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield typeof part === 'string' ? Buffer.from(part) : part;
  }
}
async function listed(store: ArtifactStore, before?: number): Promise<string[]> {
  const found: string[] = [];
  for await (const { digest } of store.digests(before)) found.push(digest);
  return found;
}
async function content(store: ArtifactStore, digest: string): Promise<string | null> {
  const found = await store.get(digest);
  return found && (await buffer(found.bytes)).toString();
}

describe('put and get', () => {
  test('bytes are found under their digest', async () => {
    const store = await open();
    const stored = await store.put(chunks('hello ', 'world'), null);
    expect(stored).toEqual({ digest: digestOf('hello world'), size: 11, existed: false });
    expect(await content(store, stored.digest)).toBe('hello world');
    expect(readFileSync(pathOf(stored.digest), 'utf8')).toBe('hello world');
    expect(await store.has(stored.digest)).toBe(true);
    expect(temporaries()).toEqual([]);
  });

  test('empty bytes can be stored', async () => {
    const store = await open();
    const { digest, size } = await store.put(chunks(), digestOf(''));
    expect(size).toBe(0);
    expect(await content(store, digest)).toBe('');
  });

  test('an unknown or invalid digest is null: no path of a caller reaches the disk (F100)', async () => {
    const store = await open();
    for (const name of [digestOf('x'), 'sha256:..', '../../etc/passwd', `sha256:${'../'.repeat(21)}a`, '']) {
      expect(await store.get(name)).toBeNull();
      expect(await store.has(name)).toBe(false);
      expect(await store.remove(name)).toBe(false);
    }
    await expect(store.put(chunks('x'), 'sha256:../x')).rejects.toThrow(TypeError);
  });

  test('a repeated put says that the bytes existed, and two at once do no harm', async () => {
    const store = await open();
    const both = await Promise.all([store.put(chunks('a', 'b'), null), store.put(chunks('ab'), null)]);
    expect(both.map(({ existed }) => existed).sort()).toEqual([false, true]);
    expect(await store.put(chunks('ab'), digestOf('ab'))).toMatchObject({ existed: true });
    expect(await content(store, digestOf('ab'))).toBe('ab');
    expect(await listed(store)).toEqual([digestOf('ab')]);
  });
});

describe('refusals leave nothing behind', () => {
  test('bytes that do not match their digest are refused', async () => {
    const store = await open();
    const error = await store.put(chunks('other'), digestOf('announced')).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(DigestMismatch);
    expect(error).toMatchObject({ expected: digestOf('announced'), actual: digestOf('other') });
    expect(await listed(store)).toEqual([]);
    expect(temporaries()).toEqual([]);
  });

  test('bytes over the limit are refused with the limit, and reading stops there', async () => {
    const store = await open({ maxBytes: 10 });
    let read = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        read += 4;
        yield Buffer.from('four');
      }
    }
    const error = await store.put(endless(), null).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(TooLarge);
    expect(error).toMatchObject({ extra: { limit: 10 } });
    expect(read).toBe(12);
    expect(temporaries()).toEqual([]);
  });

  test('a put whose sender breaks off keeps nothing', async () => {
    const store = await open();
    await expect(store.put(chunks('half', new Error('gone')), null)).rejects.toThrow('gone');
    expect(await listed(store)).toEqual([]);
    expect(temporaries()).toEqual([]);
  });
});

describe('the disk (F48)', () => {
  test('below the floor of free space puts are refused, and it recovers by itself', async () => {
    let free = 50;
    const store = await open({ minFreeBytes: 100, freeBytes: async () => free });
    await expect(store.put(chunks('x'), null)).rejects.toThrow(NoSpace);
    expect(temporaries()).toEqual([]);
    free = 100;
    expect(await store.put(chunks('x'), null)).toMatchObject({ existed: false });
  });

  test('a put that runs out of space keeps nothing', async () => {
    let looks = 0;
    const store = await open({
      maxBytes: 1024 ** 3,
      minFreeBytes: 1,
      freeBytes: async () => (looks++ === 0 ? 1000 : 0),
    });
    const mebibyte = new Uint8Array(1024 * 1024);
    const error = await store.put(chunks(...Array(20).fill(mebibyte)), null).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(NoSpace);
    expect(error).toBeInstanceOf(StorageUnavailable);
    expect(temporaries()).toEqual([]);
  });

  test('files in tmp stay where the directory is shared, until no server can still write them', async () => {
    await open();
    const [fresh, old] = [join(dir, 'tmp', 'fresh'), join(dir, 'tmp', 'old')];
    for (const path of [fresh, old]) writeFileSync(path, 'half');
    const hoursAgo = Date.now() / 1000 - 2 * 3_600;
    utimesSync(old, hoursAgo, hoursAgo);
    await ArtifactStore.open(dir, { shared: true });
    expect(temporaries()).toEqual(['fresh']);
    await open();
    expect(temporaries()).toEqual([]);
  });

  test('left-overs of a crash are removed at the next open, stored bytes are not', async () => {
    const { digest } = await (await open()).put(chunks('kept'), null);
    writeFileSync(join(dir, 'tmp', 'left-over'), 'half');
    const again = await open();
    expect(temporaries()).toEqual([]);
    expect(await content(again, digest)).toBe('kept');
  });

  test('damage on the disk is found by the reader, who never gets the whole of it (F99); a put heals it', async () => {
    const store = await open();
    const bytes = new Uint8Array(200_000).fill(7);
    const { digest } = await store.put(chunks(bytes), null);
    writeFileSync(pathOf(digest), new Uint8Array(200_000).fill(8));
    const found = await store.get(digest);
    let received = 0;
    found?.bytes.on('data', (chunk: Buffer) => {
      received += chunk.length;
    });
    const error = await new Promise((resolve) => found?.bytes.on('error', resolve));
    expect(error).toBeInstanceOf(DigestMismatch);
    expect(received).toBeLessThan(200_000);
    await store.put(chunks(bytes), digest);
    expect(await content(store, digest)).toBe(Buffer.from(bytes).toString());
  });
});

describe('the collector', () => {
  test('lists and removes bytes that are old enough', async () => {
    const store = await open();
    const { digest: old } = await store.put(chunks('old'), null);
    const { digest: young } = await store.put(chunks('young'), null);
    utimesSync(pathOf(old), 1000, 1000);
    expect(await listed(store, 2_000_000)).toEqual([old]);
    expect((await listed(store)).sort()).toEqual([old, young].sort());
    expect(await store.remove(young, 2_000_000)).toBe(false);
    expect(await store.remove(old, 2_000_000)).toBe(true);
    expect(await store.has(old)).toBe(false);
    expect(await store.remove(old)).toBe(false);
  });

  test('bytes put again since it listed them are young, and stay', async () => {
    const store = await open();
    const { digest } = await store.put(chunks('again'), null);
    utimesSync(pathOf(digest), 1000, 1000);
    expect(await listed(store, 2_000_000)).toEqual([digest]);
    await store.put(chunks('again'), digest);
    expect(await store.remove(digest, 2_000_000)).toBe(false);
    expect(await store.has(digest)).toBe(true);
  });

  test('bytes that another server of the directory puts again meanwhile stay too', async () => {
    const [store, other] = [await open({ shared: true }), await open({ shared: true })];
    const { digest } = await store.put(chunks('again'), null);
    for (let turn = 0; turn < 400; turn += 1) {
      utimesSync(pathOf(digest), 1000, 1000);
      const putting = other.put(chunks('again'), digest);
      // Shifts the race by another number of steps in each turn.
      for (let n = turn % 20; n > 0; n -= 1) await other.has(digest);
      await Promise.all([putting, store.remove(digest, 2_000_000)]);
      expect(await content(other, digest)).toBe('again');
    }
    expect(temporaries()).toEqual([]);
  });
});
