import { expect, it } from 'vitest';
import { Rng } from '../../../sim/rng.ts';
import { DEFAULT_SETTINGS } from '../../../src/projection/facts.ts';
import { readable } from '../../../src/store/broken-row.ts';
import { PostgresStore } from '../../../src/store/postgres/store.ts';
import { describeWithPostgres } from '../../lab.ts';
import { useChildren } from '../spawn.ts';
import type { Seen } from './reader.ts';
import { Heard } from './story.ts';
import type { Told } from './writer.ts';

const SEED = 41;
const WRITERS = ['w1', 'w2', 'w3'];
const READERS = ['r1', 'r2'];
const TO = 60;

describeWithPostgres('several processes that race and are killed', (newUrl) => {
  const start = useChildren();

  it('no reader misses, repeats or overtakes anything, and nothing acknowledged is lost', {
    timeout: 120_000,
  }, async () => {
    const url = await newUrl();
    const at = { postgres: url };
    const store = await PostgresStore.open(url);
    const rng = new Rng(SEED);
    const heard = new Heard();
    const alive = new Set<() => void>();
    let deaths = 0;

    /** Starts it again after each death, which comes after so many lines, in the middle of whatever comes next. */
    async function killedAgainAndAgain(
      job: (lines: number) => Parameters<typeof start>[0],
      over: () => boolean,
    ) {
      while (!over()) {
        const child = start(job(rng.int(3, 25)), (line) => {
          heard.hear(line as Told | Seen);
          if (over()) child.process.kill('SIGKILL');
        });
        const lookAgain = () => void (over() && child.process.kill('SIGKILL'));
        alive.add(lookAgain);
        const { signal, code, errors } = await child.ended;
        alive.delete(lookAgain);
        expect(errors).toBe('');
        if (signal === 'SIGKILL') deaths += 1;
        else expect(code).toBe(0);
      }
    }

    const writers = WRITERS.map((writer) =>
      killedAgainAndAgain(
        (lines) => ({ do: 'write', at, writer, from: heard.nextOf(writer), to: TO, lines }),
        () => heard.nextOf(writer) > TO,
      ),
    );
    let head = Number.POSITIVE_INFINITY;
    const readers = READERS.map((reader) =>
      killedAgainAndAgain(
        (lines) => ({ do: 'read', at, reader, from: heard.positionOf(reader), lines }),
        () => Number(heard.positionOf(reader)) >= head,
      ),
    );
    await Promise.all(writers);
    head = Number(readable(await store.read((tx) => tx.get('heads', { org: 'shared' }))).position);
    // Whoever has seen it all already hears of nothing more that would end it.
    for (const lookAgain of alive) lookAgain();
    await Promise.all(readers);
    await heard.check(store, { store, settings: DEFAULT_SETTINGS });
    await store.close();
    console.log(`seed ${SEED}: ${deaths} deaths, ${heard.told.length} answers, ${head} positions`);
    expect(deaths).toBeGreaterThan(10);
  });
});
