import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { Platform } from '../verbs/driver.ts';
import { T0 } from '../verbs/names.ts';
import { crash } from './case.ts';
import { controlOf } from './control.ts';
import { Results } from './results.ts';
import { useChildren } from './spawn.ts';
import { STEPS, type Step } from './steps.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-crash-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const start = useChildren();
const results = new Results('sqlite');
afterAll(() => results.print());

/** Prepares the data directory up to the step, once; each kill starts from a copy of it. */
async function prepare(step: Step): Promise<string> {
  const clock = { now: T0 };
  const data = mkdtempSync(join(dir, 'prepared-'));
  const store = await SqliteStore.open(data, { clock: () => clock.now });
  await step.prepare(new Platform(store, clock));
  await store.close();
  return data;
}

describe('a process that is killed on SQLite leaves all of a step or nothing', () => {
  it.each(STEPS)('$name', { timeout: 60_000 }, async (step) => {
    const [control, prepared] = [await controlOf(step), await prepare(step)];
    await results.collect(step, async (point) => {
      const data = `${prepared}-${point}`;
      cpSync(prepared, data, { recursive: true });
      return crash(start, step, point, { sqlite: data }, control);
    });
  });

  it.each(['between', 'unsent'] as const)(
    'a process is killed while it creates the tables, and the next one creates them: %s (F15)',
    { timeout: 60_000 },
    async (point) => {
      const data = mkdtempSync(join(dir, 'empty-'));
      const { ended } = start({ do: 'open', point, at: { sqlite: data } }, () => {});
      expect((await ended).signal).toBe('SIGKILL');
      const again = await SqliteStore.open(data);
      expect(await again.read((tx) => tx.select('heads', {}))).toEqual([]);
      await again.close();
    },
  );
});
