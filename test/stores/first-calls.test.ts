import { afterEach, expect, it } from 'vitest';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { describeWithPostgres } from '../lab.ts';
import { Platform, SOURCE, T0 } from '../verbs/driver.ts';
import { waiting } from '../verbs/life.ts';
import { overtaken } from '../verbs/overtaken.ts';

/**
 * Only on PostgreSQL can two transactions read a row as absent before either inserts it: memory locks absent rows,
 * SQLite everything.
 */
describeWithPostgres('two first calls of one worker', (newUrl) => {
  let store: PostgresStore;
  afterEach(() => store.close());

  it('both calls count: the later one extends the span that the earlier one began', async () => {
    const clock = { now: T0 };
    store = await PostgresStore.open(await newUrl(), { clock: () => clock.now, connections: 4 });
    const lab = new Platform(store, clock);
    const isFirst = (statement: string, table?: string) => statement === 'insert' && table === 'workers';
    const [one, two] = [overtaken(lab, isFirst), overtaken(lab, isFirst)];
    const earlier = one.server.builder().acquire();
    await one.stopped;
    lab.sleep(10_000);
    const later = two.server.builder().acquire();
    await two.stopped;
    one.resume();
    await earlier;
    two.resume();
    await later;
    await waiting(lab);
    lab.sleep(14_999);
    expect((await lab.claim()).cause?.code).toBe('offered');
    lab.sleep(1);
    expect((await lab.claim()).cause?.code).toBe('no_worker_online');
  });
});

describeWithPostgres('two first writers of an org', (newUrl) => {
  let store: PostgresStore;
  afterEach(() => store.close());

  it('both write, and neither mistakes the head that the other created for a lost one', async () => {
    const clock = { now: T0 };
    store = await PostgresStore.open(await newUrl(), { clock: () => clock.now, connections: 4 });
    const lab = new Platform(store, clock);
    const founds = (statement: string, table?: string) =>
      (statement === 'insert' && table === 'heads') || (statement === 'select' && table === 'ledger');
    const { server, stopped, resume } = overtaken(lab, founds);
    const slow = server.deploy(SOURCE);
    await stopped;
    await lab.deploy(SOURCE, {}, { service: 'other@lab' });
    resume();
    await slow;
    expect((await lab.claim()).desired.revision).toBe(1);
  });
});
