import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Rng } from '../../../sim/rng.ts';
import { DEFAULT_SETTINGS } from '../../../src/projection/facts.ts';
import { SqliteStore } from '../../../src/store/sqlite/store.ts';
import { useChildren } from '../spawn.ts';
import type { Seen } from './reader.ts';
import { Heard } from './story.ts';
import type { Told } from './writer.ts';

const SEED = 42;
const WRITERS = ['w1', 'w2', 'w3', 'w4', 'w5', 'w6'];
const READERS = ['r1', 'r2'];
const TO = 60;

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-race-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const start = useChildren();

it('an owner killed at any instant: no reader misses, repeats or overtakes anything, and nothing acknowledged is lost', {
  timeout: 120_000,
}, async () => {
  const data = join(dir, 'data');
  const rng = new Rng(SEED);
  const heard = new Heard();
  let deaths = 0;
  for (let over = false; !over; ) {
    const lines = rng.int(10, 60);
    const writers = WRITERS.map((writer) => ({ writer, from: heard.nextOf(writer) }));
    const readers = READERS.map((reader) => ({ reader, from: heard.positionOf(reader) }));
    const child = start({ do: 'own', dir: data, writers, to: TO, readers, lines }, (line) =>
      heard.hear(line as Told | Seen),
    );
    const { signal, code, errors } = await child.ended;
    expect(errors).toBe('');
    if (signal === 'SIGKILL') deaths += 1;
    else expect(code).toBe(0);
    over = signal !== 'SIGKILL';
  }
  const store = await SqliteStore.open(data);
  await heard.check(store, { store, settings: DEFAULT_SETTINGS });
  await store.close();
  console.log(`seed ${SEED}: ${deaths} deaths, ${heard.told.length} answers`);
  expect(deaths).toBeGreaterThan(5);
});
