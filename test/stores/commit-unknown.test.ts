import { connect, createServer, type Server } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { OutcomeUnknown } from '../../src/store/port.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { describeWithPostgres } from '../lab.ts';
import { Platform } from '../verbs/driver.ts';
import { ORG, SOURCE, T0 } from '../verbs/names.ts';

/** The fault at the next COMMIT: the database receives it and its answer is lost, or it is lost itself. */
type Cut = 'lose its answer' | 'lose it';

/** A proxy to the database that can cut the connection at COMMIT. */
async function wireTo(url: string): Promise<{ url: string; cutAtCommit(how: Cut): void; server: Server }> {
  const to = new URL(url);
  let next: Cut | null = null;
  const server = createServer((client) => {
    const database = connect(Number(to.port), to.hostname);
    let cutting: Cut | null = null;
    const cut = () => {
      client.destroy();
      database.destroy();
    };
    client.on('error', cut).on('close', cut);
    database.on('error', cut).on('close', cut);
    client.on('data', (bytes) => {
      if (next !== null && bytes.includes('COMMIT\0')) {
        cutting = next;
        next = null;
        if (cutting === 'lose it') return cut();
      }
      database.write(bytes);
    });
    database.on('data', (bytes) => (cutting === null ? client.write(bytes) : cut()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const through = new URL(url);
  through.port = String((server.address() as { port: number }).port);
  return {
    url: through.href,
    server,
    cutAtCommit: (how) => {
      next = how;
    },
  };
}

describeWithPostgres('the connection is lost at COMMIT (F03)', (newUrl) => {
  const opened: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const close of opened.splice(0)) await close();
  });

  it.each([
    ['lose its answer', true],
    ['lose it', false],
  ] as const)(
    '%s: the outcome is unknown, never failed, and the same key finds it out',
    async (how, committed) => {
      const wire = await wireTo(await newUrl());
      const store = await PostgresStore.open(wire.url, { clock: () => T0, connections: 1 });
      opened.push(
        () => store.close(),
        async () => wire.server.close(),
      );
      const lab = new Platform(store, { now: T0 });
      wire.cutAtCommit(how);
      await expect(lab.deploy(SOURCE, {}, { key: 'k1' })).rejects.toBeInstanceOf(OutcomeUnknown);
      expect(await lab.deploy(SOURCE, {}, { key: 'k1' })).toMatchObject({ revision: 1, replayed: committed });
      expect(await store.read((tx) => tx.select('revisions', { org: ORG }))).toHaveLength(1);
    },
  );
});
