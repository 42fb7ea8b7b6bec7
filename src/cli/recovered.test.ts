import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWithPostgres } from '../../test/lab.ts';
import { headRow } from '../store/conformance-lab.ts';
import type { Store } from '../store/port.ts';
import { PostgresStore } from '../store/postgres/store.ts';
import { SqliteStore } from '../store/sqlite/store.ts';
import { reasonOf } from './option-values.ts';
import { declareRecovered } from './recovered.ts';

let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'evident-recovered-'));
});
afterEach(() => rmSync(data, { recursive: true }));

const reason = 'yesterday’s copy was put back';
const lived = (store: Store) => store.transact((tx) => tx.insert('heads', headRow('acme', '41')));
const acted = (store: Store) =>
  store.read((tx) => tx.select('ledger', { org: 'acme', kind: 'operator.acted' }));

describe('evident recovered', () => {
  it('prints its effects in each org, and records the reason', async () => {
    const before = await SqliteStore.open(data);
    await lived(before);
    await before.close();
    expect(await declareRecovered({ data, reason, output: 'table' })).toMatch(
      /^acme: 0 services unknown until seen again, 0 leases void, positions 42 to 1000041 skipped\nIncarnation .* began\.$/,
    );
    const after = await SqliteStore.open(data);
    expect(await acted(after)).toMatchObject([{ position: '1000042', body: { reason, actor: 'operator' } }]);
    await after.close();
    const again = JSON.parse(await declareRecovered({ data, reason, output: 'json' }));
    expect(again.orgs).toMatchObject([{ org: 'acme', void: { from: '1000042', to: '2000042' } }]);
  });

  it('requires a reason', () => {
    for (const none of ['', '  ']) expect(() => reasonOf(none)).toThrow(/Say why/);
    expect(() => reasonOf('x'.repeat(1_001))).toThrow(/Say it in 1000 characters: this has 1001/);
    expect(reasonOf(reason)).toBe(reason);
  });

  it('refuses while a server owns the directory', async () => {
    const server = await SqliteStore.open(data);
    await expect(declareRecovered({ data, reason, output: 'table' })).rejects.toThrow(
      /belongs to a running Evident/,
    );
    await server.close();
  });

  it('creates no database where there is none', async () => {
    await expect(declareRecovered({ data, reason, output: 'table' })).rejects.toThrow(/There is no database/);
    expect(existsSync(join(data, 'evident.db'))).toBe(false);
  });
});

describeWithPostgres('evident recovered on PostgreSQL', (newUrl) => {
  it('writes no witness where another store may have its own', async () => {
    const database = await newUrl();
    await (await PostgresStore.open(database)).close();
    await expect(declareRecovered({ database, reason, output: 'table' })).rejects.toThrow(/with --data/);
  });

  it('refuses a directory that no server has used, and creates none', async () => {
    const database = await newUrl();
    const store = await PostgresStore.open(database);
    await lived(store);
    for (const dir of [data, join(data, 'typo')])
      await expect(declareRecovered({ data: dir, database, reason, output: 'table' })).rejects.toThrow(
        /is no data directory of a server: neither witness\.json nor admin-token is there\. Nothing was changed/,
      );
    expect([await acted(store), existsSync(join(data, 'typo'))]).toEqual([[], false]);
    await store.close();
  });

  it('has the same effects, and keeps its witness in the data directory', async () => {
    const database = await newUrl();
    const store = await PostgresStore.open(database);
    await lived(store);
    writeFileSync(join(data, 'admin-token'), 'one of a server\n');
    await declareRecovered({ data, database, reason, output: 'table' });
    expect(await acted(store)).toHaveLength(1);
    expect(existsSync(join(data, 'witness.json'))).toBe(true);
    await store.close();
  });
});
