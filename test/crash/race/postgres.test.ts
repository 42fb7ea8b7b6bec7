import { expect, it } from 'vitest';
import { Rng } from '../../../lab/rng.ts';
import { DEFAULT_SETTINGS } from '../../../src/projection/facts.ts';
import { readable } from '../../../src/store/broken-row.ts';
import { PostgresStore } from '../../../src/store/postgres/store.ts';
import { describeWithPostgres } from '../../lab.ts';
import { useChildren } from '../spawn.ts';
import { RaceLog } from './race-log.ts';
import type { PollResult } from './reader.ts';
import type { WriteAnswer } from './writer.ts';

const SEED = 41;
const WRITERS = ['w1', 'w2', 'w3'];
const READERS = ['r1', 'r2'];
const TO = 60;

describeWithPostgres('several processes of one PostgreSQL race and are killed', (newUrl) => {
  const start = useChildren();

  it('every reader reads each position once and in order, and no acknowledged write is lost', {
    timeout: 120_000,
  }, async () => {
    const url = await newUrl();
    const at = { postgres: url };
    const store = await PostgresStore.open(url);
    const rng = new Rng(SEED);
    const log = new RaceLog();
    const alive = new Set<() => void>();
    let kills = 0;

    /** Starts the job again after each kill, until it is over. A kill comes after a random number of lines. */
    async function runAndKillRepeatedly(
      job: (lines: number) => Parameters<typeof start>[0],
      over: () => boolean,
    ) {
      while (!over()) {
        const child = start(job(rng.int(3, 25)), (line) => {
          log.add(line as WriteAnswer | PollResult);
          if (over()) child.process.kill('SIGKILL');
        });
        const killIfOver = () => void (over() && child.process.kill('SIGKILL'));
        alive.add(killIfOver);
        const { signal, code, errors } = await child.ended;
        alive.delete(killIfOver);
        expect(errors).toBe('');
        if (signal === 'SIGKILL') kills += 1;
        else expect(code).toBe(0);
      }
    }

    const writers = WRITERS.map((writer) =>
      runAndKillRepeatedly(
        (lines) => ({ do: 'write', at, writer, from: log.nextOf(writer), to: TO, lines }),
        () => log.nextOf(writer) > TO,
      ),
    );
    let head = Number.POSITIVE_INFINITY;
    const readers = READERS.map((reader) =>
      runAndKillRepeatedly(
        (lines) => ({ do: 'read', at, reader, from: log.positionOf(reader), lines }),
        () => Number(log.positionOf(reader)) >= head,
      ),
    );
    await Promise.all(writers);
    head = Number(readable(await store.read((tx) => tx.get('heads', { org: 'shared' }))).position);
    // A reader that is already at the head prints no more line that would end it.
    for (const killIfOver of alive) killIfOver();
    await Promise.all(readers);
    await log.check(store, { store, settings: DEFAULT_SETTINGS });
    await store.close();
    console.log(`seed ${SEED}: ${kills} kills, ${log.answers.length} answers, ${head} positions`);
    expect(kills).toBeGreaterThan(10);
  });
});
