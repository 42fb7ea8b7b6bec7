import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { describeWithPostgres } from '../lab.ts';
import { Platform } from '../verbs/driver.ts';
import { T0 } from '../verbs/names.ts';
import { crash } from './case.ts';
import { controlOf } from './control.ts';
import { Results } from './results.ts';
import { useChildren } from './spawn.ts';
import { STEPS, type Step } from './steps.ts';

describeWithPostgres('a process that is killed on PostgreSQL leaves all of a step or nothing', (newUrl) => {
  const start = useChildren();
  const results = new Results('postgres');
  afterAll(() => results.print());

  /** Prepares the database up to the step, once; each kill starts from a copy of it. */
  async function prepare(step: Step): Promise<string> {
    const clock = { now: T0 };
    const url = await newUrl();
    const store = await PostgresStore.open(url, { clock: () => clock.now });
    await step.prepare(new Platform(store, clock));
    await store.close();
    await connectionsClosed(url);
    return url;
  }

  it.each(STEPS)('$name', { timeout: 60_000 }, async (step) => {
    const [control, prepared] = [await controlOf(step), await prepare(step)];
    await results.collect(step, async (point) => {
      const url = await copyOf(prepared, point);
      const found = await crash(
        // Waits until PostgreSQL has finished what the killed process had sent.
        (job, onLine) => {
          const child = start(job, onLine);
          return { ...child, ended: child.ended.then(async (end) => connectionsClosed(url).then(() => end)) };
        },
        step,
        point,
        { postgres: url },
        control,
      );
      return found;
    });
  });

  it.each(['between', 'unsent', 'sent'] as const)(
    'a process is killed while it creates the tables, and the next one creates them: %s (F15)',
    { timeout: 60_000 },
    async (point) => {
      const url = await newUrl();
      const { ended } = start({ do: 'open', point, at: { postgres: url } }, () => {});
      expect((await ended).signal).toBe('SIGKILL');
      const again = await PostgresStore.open(url);
      expect(await again.read((tx) => tx.select('heads', {}))).toEqual([]);
      await again.close();
    },
  );
});

/** Connects to another database of the server: nobody may be connected to one that is copied. */
async function asAdmin<T>(url: string, work: (client: pg.Client, name: string) => Promise<T>): Promise<T> {
  const admin = new URL(url);
  const name = admin.pathname.slice(1);
  admin.pathname = '/postgres';
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  try {
    return await work(client, name);
  } finally {
    await client.end();
  }
}

function copyOf(url: string, point: string): Promise<string> {
  return asAdmin(url, async (client, name) => {
    await client.query(`CREATE DATABASE "${name}_${point}" TEMPLATE "${name}"`);
    return `${url}_${point}`;
  });
}

/** Resolves when PostgreSQL has closed the connections of killed processes and ended their transactions. */
function connectionsClosed(url: string): Promise<void> {
  return asAdmin(url, async (client, name) => {
    for (;;) {
      const { rowCount } = await client.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [name]);
      if (rowCount === 0) return;
      // Without a pause this takes from PostgreSQL the time that it needs to close them.
      await wait(10);
    }
  });
}
