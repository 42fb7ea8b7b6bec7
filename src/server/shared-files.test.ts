import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../projection/facts.ts';
import { MemoryStore } from '../store/memory.ts';
import { LOOK_MS, SharedFiles } from './shared-files.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-shared-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function oneServer() {
  let now = 1_000_000;
  const store = new MemoryStore(() => now);
  const beats = (server: string, files: string | null = null) =>
    store.transact(async (tx) => {
      await tx.insert('beats', { server, at: now, files });
      await tx.update('beats', { server }, {}, { at: now });
    });
  const shared = await SharedFiles.open({ store, settings: DEFAULT_SETTINGS }, dir, 'this');
  return {
    shared,
    beats,
    pass: (ms: number) => {
      now += ms;
    },
    /** The next look, before which these have beaten. */
    look: async (...alive: string[]) => {
      now += LOOK_MS;
      for (const server of ['this', ...alive]) await beats(server);
      return shared.look();
    },
  };
}

it('its own dead predecessor is no other server: it took its name along, and its last beat is still young', async () => {
  const { shared, beats, look } = await oneServer();
  await beats('predecessor');
  await shared.look();
  expect(shared.notes).toEqual([]);
  await look();
  expect(shared.notes).toEqual([]);
});

it('one that goes on beating and has no name here keeps its files elsewhere, until it is gone', async () => {
  const { shared, look } = await oneServer();
  await look('other');
  expect(await look('other')).toBe(true);
  expect(shared.notes).toEqual([expect.stringMatching(/^Another server/)]);
  expect(await look()).toBe(false);
  expect(await look()).toBe(false);
  expect(await look(), 'it has not beaten for a while').toBe(true);
  expect(shared.notes).toEqual([]);
});

it('an outage of the database ends nothing: everybody’s beat is late after it', async () => {
  const { shared, look } = await oneServer();
  await look('other');
  await look('other');
  // This one beats again first; the other waits out its backoff.
  for (const alive of [[], [], ['other'], ['other']]) expect(await look(...alive)).toBe(false);
  expect(shared.notes).toHaveLength(1);
});

it('one whose name appears shares them again', async () => {
  const { shared, look } = await oneServer();
  await look('other');
  await look('other');
  writeFileSync(join(dir, 'servers', 'other'), '');
  expect(await look('other')).toBe(true);
  expect(shared.notes).toEqual([]);
});

it('one that keeps them elsewhere is no trouble where they can be read', async () => {
  const { shared, beats, look } = await oneServer();
  const other = join(dir, 'other');
  mkdirSync(join(other, 'servers'), { recursive: true });
  await beats('other', other);
  await look('other');
  await look('other');
  expect(shared.notes, 'its name is not there').toHaveLength(1);
  writeFileSync(join(other, 'servers', 'other'), '');
  await look('other');
  expect(shared.notes).toEqual([]);
  expect(await shared.reached()).toEqual([other]);
});

it('of one that has not beaten since this one began nothing is read, and of one that has beaten, also when it is gone', async () => {
  const { shared, beats, pass } = await oneServer();
  const [before, since] = ['before', 'since'].map((name) => {
    const there = join(dir, name);
    mkdirSync(join(there, 'servers'), { recursive: true });
    writeFileSync(join(there, 'servers', name), '');
    return there;
  });
  await beats('before', before);
  pass(1_000);
  await beats('since', since);
  expect(await shared.reached()).toEqual([since]);
});
