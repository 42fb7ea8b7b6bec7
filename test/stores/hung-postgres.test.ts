import pg from 'pg';
import { afterEach, expect, it } from 'vitest';
import { isIntact } from '../../src/store/broken-row.ts';
import { headRow } from '../../src/store/conformance-lab.ts';
import { Locked, OutcomeUnknown, Unavailable } from '../../src/store/port.ts';
import { type PostgresOptions, PostgresStore } from '../../src/store/postgres/store.ts';
import { describeWithOwnPostgres } from '../lab.ts';

const LIMITS: PostgresOptions = { connections: 2, answerMs: 1_500, connectMs: 1_000, lockMs: 500 };

/** Only on PostgreSQL: no other store can accept a connection and not answer. */
describeWithOwnPostgres('a PostgreSQL that accepts connections and does not answer', (postgres) => {
  let store: PostgresStore;
  afterEach(async () => {
    postgres.cluster().thaw();
    await store.close();
  });
  const outcome = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) => error,
    );

  it('a transaction without an answer in time fails as not done or as outcome unknown, and the store recovers', async () => {
    store = await PostgresStore.open(await postgres.newUrl(), LIMITS);
    const writing = await store.begin();
    await writing.tx.insert('heads', headRow('a', '1'));
    const ending = await store.begin();
    await ending.tx.insert('heads', headRow('b', '1'));
    postgres.cluster().freeze();
    // Two transactions hold the connections for work; all others queue, for no longer than the timeout.
    const line = Array.from({ length: 30 }, () => outcome(store.read((tx) => tx.now())));
    const alive = outcome(store.read((tx) => tx.now(), 'liveness'));
    // A snapshot is sent together with its end, so that no commit of it can be in doubt.
    const looked = outcome(store.readSnapshot(['now', { table: 'heads', keys: [{ org: 'a' }] }], 'liveness'));
    const [written, ended] = await Promise.all([
      outcome(writing.tx.get('heads', { org: 'a' })),
      outcome(ending.commit()),
    ]);
    await writing.rollback();
    expect(written).toBeInstanceOf(Unavailable);
    expect(ended).toBeInstanceOf(OutcomeUnknown);
    for (const one of [alive, looked, ...line]) expect(await one).toBeInstanceOf(Unavailable);
    // A new connection gets no answer either.
    expect(await outcome(store.read((tx) => tx.now()))).toBeInstanceOf(Unavailable);
    postgres.cluster().thaw();
    await store.transact((tx) => tx.insert('heads', headRow('c', '1')));
    expect(await store.readSnapshot([{ table: 'heads', keys: [{ org: 'c' }] }])).toMatchObject([
      [{ org: 'c' }],
    ]);
    const heads = await store.read((tx) => tx.select('heads', {}, { order: 'org' }));
    expect(
      heads
        .filter(isIntact)
        .map(({ org }) => org)
        .filter((org) => org !== 'b'),
    ).toEqual(['c']);
  });

  it('concurrent reads leave no transaction open, also where the clock is read first', async () => {
    const clock = { now: Date.UTC(2026, 0) };
    const url = await postgres.newUrl();
    store = await PostgresStore.open(url, { ...LIMITS, connections: 1, wall: () => clock.now });
    await store.readSnapshot(['now']);
    clock.now -= 60_000;
    await store.readSnapshot(['now']);
    const look = new pg.Client({ connectionString: url });
    await look.connect();
    const { rows } = await look.query(
      "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'",
    );
    await look.end();
    expect(rows).toEqual([]);
  });

  it('a transaction waits only a short time for a row that another program has locked', async () => {
    const url = await postgres.newUrl();
    store = await PostgresStore.open(url, LIMITS);
    await store.transact((tx) => tx.insert('heads', headRow('a', '1')));
    const stranger = await store.begin();
    await stranger.tx.lock('heads', { org: 'a' });
    const refused = await outcome(store.transact((tx) => tx.lock('heads', { org: 'a' })));
    expect(refused).toBeInstanceOf(Locked);
    await stranger.rollback();
    expect(await store.transact((tx) => tx.lock('heads', { org: 'a' }))).toMatchObject({ position: '1' });
  });

  it('a server that is stopped in a transaction delays the others for a moment, and writes nothing', async () => {
    const url = await postgres.newUrl();
    store = await PostgresStore.open(url);
    const stopped = await PostgresStore.open(url, { connections: 1, idleMs: 500 });
    const head = { org: 'a' };
    await store.transact((tx) => tx.insert('heads', headRow('a', '1')));
    const committing = await stopped.begin();
    await committing.tx.update('heads', head, {}, { position: '2' });
    await store.transact((tx) => tx.update('heads', head, {}, { position: '3' }));
    expect(await outcome(committing.commit())).toBeInstanceOf(OutcomeUnknown);
    const asking = await stopped.begin();
    await asking.tx.lock('heads', head);
    expect(await store.transact((tx) => tx.lock('heads', head))).toMatchObject({ position: '3' });
    expect(await outcome(asking.tx.get('heads', head))).toBeInstanceOf(Unavailable);
    await asking.rollback();
    // The store has one connection, which is a new one now.
    expect(await stopped.read((tx) => tx.get('heads', head))).toMatchObject({ position: '3' });
    await stopped.close();
  });
});
