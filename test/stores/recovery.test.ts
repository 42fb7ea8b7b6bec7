import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { newDatabase, startPostgres } from '../../lab/postgres.ts';
import { Incarnation } from '../../src/repair/incarnation.ts';
import { isIntact, readable } from '../../src/store/broken-row.ts';
import type { Store } from '../../src/store/port.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { KEYS, type Table } from '../../src/store/schema.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import { describeWithOwnPostgres } from '../lab.ts';
import { instance } from '../verbs/agent.ts';
import { Platform } from '../verbs/driver.ts';
import { running } from '../verbs/life.ts';
import { ORG, T0 } from '../verbs/names.ts';

type Closing = Store & { close(): Promise<void> };
type Open = (dir: string, clock: () => number) => Promise<Closing>;

/** A platform whose process can end and start again on a database that was replaced meanwhile. */
class Life {
  readonly clock = { now: T0 };
  readonly dir: string;
  readonly #open: Open;
  lab!: Platform;
  incarnation!: Incarnation;
  #store: Closing | null = null;

  constructor(open: Open) {
    this.dir = mkdtempSync(join(tmpdir(), 'evident-recovery-'));
    this.#open = open;
  }

  async start(): Promise<this> {
    const store = await this.#open(this.dir, () => this.clock.now);
    this.#store = store;
    this.lab = new Platform(store, this.clock);
    this.incarnation = await Incarnation.open(this.lab.host, this.dir);
    return this;
  }

  async end(): Promise<void> {
    await this.incarnation.close();
    await this.die();
  }

  /** Ends without a last write of the witness. */
  async die(): Promise<void> {
    await this.#store?.close();
    this.#store = null;
  }

  async remove(): Promise<void> {
    await this.die();
    rmSync(this.dir, { recursive: true, force: true });
  }

  cause = async () => (await this.lab.claim()).cause?.code;
  state = async () => (await this.lab.claim()).state;

  /** Another agent takes over, and reports what runs. */
  async seesAgain(): Promise<void> {
    await this.lab.tick(1_000);
    const agent = await this.lab.agent('agent-lab', this.lab.id('agent')).register();
    await agent.sees([instance('u1')]);
  }
}

const lives: Life[] = [];
afterEach(async () => {
  for (const life of lives.splice(0)) await life.remove();
});
function newLife(open: Open): Promise<Life> {
  const life = new Life(open);
  lives.push(life);
  return life.start();
}

/** Replaces a file or folder by a copy of another, with its owners. */
function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  const { status, stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

/** Copies rows and nothing that belongs to the cluster, as a dump and its restore do. */
async function copyRows(from: Store, url: string): Promise<void> {
  const to = await PostgresStore.open(url);
  for (const table of Object.keys(KEYS) as Table[]) {
    const rows = await from.read((tx) => tx.select(table, {}));
    await to.transact(async (tx) => {
      for (const row of rows.filter(isIntact)) await tx.insert(table, row);
    });
  }
  await to.close();
}

describe('SQLite restored to an earlier day', () => {
  const open: Open = (dir, clock) => SqliteStore.open(dir, { clock });
  /** The database is its file and the log beside it: a copy of the file alone may be empty. */
  const filesOf = (dir: string) => readdirSync(dir).filter((name) => name.startsWith('evident.db'));
  const put = (from: string, to: string) => {
    for (const name of filesOf(to)) rmSync(join(to, name));
    for (const name of filesOf(from)) copy(join(from, name), join(to, name));
  };

  it('a restart is no recovery, clean or not', async () => {
    const life = await newLife(open);
    await running(life.lab);
    await life.end();
    await life.start();
    expect(life.incarnation.opened).toBeNull();
    expect(await life.state()).toBe('running');
    await life.lab.tick(1_000);
    await life.die();
    await life.start();
    expect(life.incarnation.opened).toBeNull();
  });

  it('an older copy of the database is found by the witness', async () => {
    const life = await newLife(open);
    await running(life.lab);
    await life.end();
    const backup = mkdtempSync(join(life.dir, 'backup-'));
    put(life.dir, backup);
    await life.start();
    await life.lab.deploy({ kind: 'image', image: 'web@sha256:lost' });
    await life.end();
    put(backup, life.dir);
    await life.start();
    expect(life.incarnation.opened).toMatchObject({ why: 'restored', orgs: [{ org: ORG, services: 1 }] });
    expect(await life.cause()).toBe('store_recovered');
    await life.seesAgain();
    expect(await life.state()).toBe('running');
    expect((await life.lab.restart()).revision, 'revision 2 was lost').toBeGreaterThan(1_000_000);
    await life.end();
    await life.start();
    expect(life.incarnation.opened, 'recovered once').toBeNull();
  });

  it('a missing database is found by the witness', async () => {
    const life = await newLife(open);
    await running(life.lab);
    await life.end();
    for (const name of filesOf(life.dir)) rmSync(join(life.dir, name));
    await life.start();
    expect(life.incarnation.opened).toMatchObject({ why: 'restored', orgs: [{ org: ORG, services: 0 }] });
    const again = await life.lab.deploy({ kind: 'image', image: 'web@sha256:again' });
    expect(again.revision).toBe(1_000_001);
  });
});

describeWithOwnPostgres('PostgreSQL restored, replaced or failed over', ({ cluster, newUrl }) => {
  async function onPostgres(): Promise<Life> {
    const url = await newUrl();
    return newLife((_, clock) => PostgresStore.open(url, { clock, connections: 4 }));
  }

  it('a restart is no recovery, not even one of the database under a running server', async () => {
    const life = await onPostgres();
    await running(life.lab);
    await life.incarnation.look();
    await cluster().halt();
    await expect(life.lab.claim()).rejects.toMatchObject({ name: 'Unavailable' });
    await cluster().go();
    expect(await life.state()).toBe('running');
    expect(await life.incarnation.look()).toBeNull();
    await life.end();
    await life.start();
    expect(life.incarnation.opened).toBeNull();
  });

  it('an older copy of the files is found by the witness, at start and under a running server', async () => {
    const life = await onPostgres();
    await running(life.lab);
    await cluster().halt();
    const backup = join(cluster().dir, 'backup');
    copy(cluster().data, backup);
    await cluster().go();
    await life.lab.deploy({ kind: 'image', image: 'web@sha256:lost' });
    await life.incarnation.look();
    await cluster().halt();
    copy(backup, cluster().data);
    await cluster().go();
    expect(await life.incarnation.look()).toMatchObject({ why: 'restored', orgs: [{ org: ORG }] });
    expect(await life.cause()).toBe('store_recovered');
    await life.end();
    await cluster().halt();
    copy(backup, cluster().data);
    await cluster().go();
    await life.start();
    expect(life.incarnation.opened).toMatchObject({ why: 'restored' });
    expect((await life.lab.restart()).revision, 'above both lost pasts').toBeGreaterThan(2_000_000);
    await life.seesAgain();
    expect(life.incarnation.id).not.toBe('');
  }, 60_000);

  it('a failover is found when a connection is opened again, before any claim is shown', async () => {
    const life = await onPostgres();
    await running(life.lab);
    await cluster().halt();
    // Recovery from an archive that has nothing more ends on a timeline of its own, as a promotion does.
    writeFileSync(join(cluster().data, 'recovery.signal'), '');
    await cluster().go(['hot_standby=off', 'restore_command=false']);
    await expect(life.lab.claim()).rejects.toThrow(/failed over/);
    await life.incarnation.look();
    expect(await life.cause()).toBe('store_recovered');
    await life.seesAgain();
    expect(await life.state()).toBe('running');
    const rows = await life.lab.store.read((tx) => tx.select('incarnations', {}, { order: 'ordinal' }));
    expect(rows.map((row) => readable(row).why)).toEqual(['created', 'failed_over']);
    expect(rows.map((row) => Number.parseInt(readable(row).timeline ?? '', 16))).toEqual([1, 2]);
    await life.end();
    await life.start();
    expect(life.incarnation.opened).toBeNull();
  }, 60_000);

  it('another cluster with the same rows is found without a witness', async () => {
    const life = await onPostgres();
    await running(life.lab);
    const other = await startPostgres();
    if (!other.ok) throw new Error(other.why);
    try {
      const moved = await newDatabase(other.cluster.url, 'moved');
      await copyRows(life.lab.store, moved);
      const elsewhere = await newLife((_, clock) => PostgresStore.open(moved, { clock, connections: 4 }));
      expect(elsewhere.incarnation.opened).toMatchObject({
        why: 'restored',
        reason: expect.stringMatching(/system identifier/),
      });
      expect(await elsewhere.cause()).toBe('store_recovered');
      await elsewhere.die();
    } finally {
      await other.cluster.stop();
    }
  }, 60_000);
});
