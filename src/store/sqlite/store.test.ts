import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeStore } from '../conformance.ts';
import { headRow } from '../conformance-lab.ts';
import { Locked, lte } from '../port.ts';
import { SqliteConnection } from './connection.ts';
import { SqliteStore } from './store.ts';

let dir: string;
let open: SqliteStore[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-sqlite-'));
});
afterEach(async () => {
  for (const store of open) await store.close();
  open = [];
  rmSync(dir, { recursive: true, force: true });
});

/** Two suites of the conformance tests create a store each, so each has a directory of its own. */
async function newStore(clock?: () => number): Promise<SqliteStore> {
  const store = await SqliteStore.open(mkdtempSync(join(dir, 'data-')), clock ? { clock } : {});
  open.push(store);
  return store;
}

/** Writes rows that an index lacks: while they are written the index is declared as a partial one without them. */
function lose(file: string, index = 'commands_waiting', rows = [COMMAND]): void {
  const saying = (sql: string) => {
    const db = new SqliteConnection(file);
    db.exec('PRAGMA writable_schema = ON');
    db.exec(`UPDATE sqlite_master SET sql = ${sql} WHERE name = '${index}'`);
    db.close();
  };
  saying(`sql || ' WHERE 0'`);
  const db = new SqliteConnection(file);
  for (const row of rows) db.exec(row);
  db.close();
  saying(`replace(sql, ' WHERE 0', '')`);
}
const COMMAND = `INSERT INTO commands VALUES ('a', 'c', 'web@lab', 'lab', 1, 1, 'build', 'published', '010', 0, 0, 0)`;

describeStore('SQLite', newStore, { serial: true });

describe('the clock', () => {
  afterEach(() => vi.restoreAllMocks());

  it('set back, continues from where it was; also after a restart, from what is recorded (F35)', async () => {
    const data = join(dir, 'clock');
    const real = Date.now;
    const first = await SqliteStore.open(data);
    const before = await first.read((tx) => tx.now());
    vi.spyOn(Date, 'now').mockImplementation(() => real() - 3_600_000);
    expect(await first.read((tx) => tx.now())).toBeGreaterThanOrEqual(before);
    await first.transact((tx) => tx.insert('heads', { ...headRow('acme', '1'), at: before + 5_000 }));
    await first.close();
    const second = await SqliteStore.open(data);
    expect(await second.read((tx) => tx.now())).toBeGreaterThanOrEqual(before + 5_000);
    await second.close();
  });
});

it('a lock that another program holds on the file is waited for, but not for long, and delays nothing else', async () => {
  const data = join(dir, 'mine');
  const store = await SqliteStore.open(data, { lockMs: 1_500 });
  open.push(store);
  const stranger = new SqliteConnection(join(data, 'evident.db'));
  stranger.exec('BEGIN IMMEDIATE');
  let turns = 0;
  const others = setInterval(() => {
    turns += 1;
  }, 10);
  const attempts = Array.from({ length: 20 }, () =>
    store.transact((tx) => tx.insert('heads', headRow('a', '1'))).catch((error: unknown) => error),
  );
  for (const refused of await Promise.all(attempts)) expect(refused).toBeInstanceOf(Locked);
  clearInterval(others);
  expect(turns, 'the thread was free meanwhile').toBeGreaterThan(5);
  expect(await store.read((tx) => tx.select('heads', {})), 'who reads needs no lock').toEqual([]);
  const waits = store.transact((tx) => tx.insert('heads', headRow('a', '1')));
  stranger.exec('ROLLBACK');
  stranger.close();
  expect(await waits).toBe(true);
});

describe('the data directory', () => {
  it('belongs to one opener: the second is refused with what to do (F52)', async () => {
    const data = join(dir, 'mine');
    const first = await SqliteStore.open(data);
    await expect(SqliteStore.open(data)).rejects.toThrow(
      /belongs to a running Evident \(process \d+\).*--data/,
    );
    await first.close();
    await (await SqliteStore.open(data)).close();
  });

  it('is readable by its owner only, since it holds secrets of apps', async () => {
    const data = join(dir, 'mine');
    mkdirSync(data, { mode: 0o755 });
    writeFileSync(join(data, 'evident.db'), '', { mode: 0o644 });
    const store = await SqliteStore.open(data);
    await store.transact((tx) => tx.insert('heads', headRow('a', '7')));
    const modes = readdirSync(data)
      .filter((name) => name.startsWith('evident.db'))
      .map((name) => statSync(join(data, name)).mode & 0o777);
    await store.close();
    expect(modes.length).toBeGreaterThan(1);
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  it('keeps what was committed', async () => {
    const data = join(dir, 'mine');
    const first = await SqliteStore.open(data);
    await first.transact((tx) => tx.insert('heads', headRow('a', '7')));
    await first.close();
    const again = await SqliteStore.open(data);
    expect(await again.read((tx) => tx.get('heads', { org: 'a' }))).toEqual(headRow('a', '7'));
    await again.close();
  });

  it('can be opened again even if it was closed with a transaction in progress', async () => {
    const data = join(dir, 'mine');
    const first = await SqliteStore.open(data);
    const open = await first.begin();
    await open.tx.insert('heads', headRow('a', '7'));
    await first.close();
    const again = await SqliteStore.open(data);
    expect(await again.transact((tx) => tx.insert('heads', headRow('a', '8')))).toBe(true);
    await again.close();
  });

  it('with an index that lacks a row has the index rebuilt from the table', async () => {
    const data = join(dir, 'mine');
    await (await SqliteStore.open(data)).close();
    lose(join(data, 'evident.db'));
    const lacking = /missing from index commands_waiting/;
    await expect(SqliteStore.open(data, { asIs: true })).rejects.toThrow(/commands_waiting.*Start a server/);
    const found: string[] = [];
    const store = await SqliteStore.open(data, { onRebuilt: (what) => found.push(what) });
    open.push(store);
    expect(found).toEqual([expect.stringMatching(lacking)]);
    const waiting = { org: 'a', state: 'published', availableAt: lte(0) } as const;
    expect(await store.read((tx) => tx.select('commands', waiting))).toMatchObject([{ id: 'c' }]);
    await store.close();
    open.pop();
    const again = await SqliteStore.open(data, { onRebuilt: (what) => found.push(what) });
    open.push(again);
    expect(found.length).toBe(1);
  });

  it('with an index that cannot be rebuilt is refused, and nothing was changed', async () => {
    const data = join(dir, 'mine');
    await (await SqliteStore.open(data)).close();
    const token = (id: string) =>
      `INSERT INTO tokens VALUES ('a', '${id}', 'h', 'n', 'viewer', '*', '*', 0, NULL, NULL, NULL)`;
    lose(join(data, 'evident.db'), 'tokens_by_hash', [token('t1'), token('t2')]);
    for (let n = 0; n < 2; n++)
      await expect(SqliteStore.open(data)).rejects.toThrow(/is damaged \(UNIQUE.*Restore it from a backup/);
  });

  it('with a damaged database is refused with that reason (F53)', async () => {
    const data = join(dir, 'mine');
    await (await SqliteStore.open(data)).close();
    writeFileSync(join(data, 'evident.db'), 'this is not a database, and it never was one'.repeat(200));
    rmSync(join(data, 'evident.db-wal'), { force: true });
    await expect(SqliteStore.open(data)).rejects.toThrow(/is damaged .*Restore it from a backup/);
  });
});
