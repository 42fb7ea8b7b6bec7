import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Rng } from '../../../lab/rng.ts';
import { DEFAULT_SETTINGS } from '../../../src/projection/facts.ts';
import { SqliteStore } from '../../../src/store/sqlite/store.ts';
import { useChildren } from '../spawn.ts';
import { RaceLog } from './race-log.ts';
import type { PollResult } from './reader.ts';
import type { WriteAnswer } from './writer.ts';

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

it('an owner of a data directory is killed at any instant: every reader reads each position once and in order, and no acknowledged write is lost', {
  timeout: 120_000,
}, async () => {
  const data = join(dir, 'data');
  const rng = new Rng(SEED);
  const log = new RaceLog();
  let kills = 0;
  for (let over = false; !over; ) {
    const lines = rng.int(10, 60);
    const writers = WRITERS.map((writer) => ({ writer, from: log.nextOf(writer) }));
    const readers = READERS.map((reader) => ({ reader, from: log.positionOf(reader) }));
    const child = start({ do: 'own', dir: data, writers, to: TO, readers, lines }, (line) =>
      log.add(line as WriteAnswer | PollResult),
    );
    const { signal, code, errors } = await child.ended;
    expect(errors).toBe('');
    if (signal === 'SIGKILL') kills += 1;
    else expect(code).toBe(0);
    over = signal !== 'SIGKILL';
  }
  const store = await SqliteStore.open(data);
  await log.check(store, { store, settings: DEFAULT_SETTINGS });
  await store.close();
  console.log(`seed ${SEED}: ${kills} kills, ${log.answers.length} answers`);
  expect(kills).toBeGreaterThan(5);
});
