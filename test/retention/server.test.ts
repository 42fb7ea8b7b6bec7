import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoreLocation } from '../crash/open-store.ts';
import { describeWithPostgres } from '../lab.ts';
import { type Servers, useServers } from '../server/servers.ts';
import { ORG } from '../verbs/names.ts';
import { createOldStore, missing, rowsAt, rowsIn } from './old-store.ts';

/** An old store, with the arguments of a server on it. */
type Found = { readonly data: string; readonly at: StoreLocation; readonly args: readonly string[] };

function suite(servers: Servers, found: () => Promise<Found>): void {
  const launch = ({ data, args }: Found) =>
    servers.launch(['server', '--data', data, '--port', '0', '--keep-revisions', '1', ...args]);

  it('writes archived rows to its archive files, and logs where', async () => {
    const old = await found();
    const before = await rowsAt(old.at);
    const server = launch(old);
    const [line] = await server.until(/^.*moves out of the store.*$/m);
    server.process.kill('SIGKILL');
    await server.ended;

    const after = await rowsAt(old.at);
    const dir = join(old.data, 'archive', ORG);
    const [name = ''] = readdirSync(dir);
    const file = join(dir, name);
    expect(name).toMatch(/^\d{4}-\d\d-\d\d\.server-[0-9a-f]{8}\.ndjson$/);
    expect(missing(before, after).length).toBeGreaterThan(10);
    expect(missing(before, after, rowsIn(file))).toEqual([]);
    expect(JSON.parse(line)).toMatchObject({ level: 30, org: ORG, file, rows: expect.any(Number) });
    expect([statSync(dir).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it('deletes nothing while it cannot write, logs that, and archives when it can', async () => {
    const old = await found();
    const before = await rowsAt(old.at);
    const inTheWay = join(old.data, 'archive');
    writeFileSync(inTheWay, '');
    const failing = launch(old);
    const [line] = await failing.until(/^.*"loop":"retention".*a turn failed.*$/m);
    expect(JSON.parse(line).err.message).toContain(inTheWay);
    failing.process.kill('SIGKILL');
    await failing.ended;
    expect(missing(before, await rowsAt(old.at))).toEqual([]);

    rmSync(inTheWay);
    const server = launch(old);
    await server.until(/moves out of the store/);
    server.process.kill('SIGKILL');
    await server.ended;
    const files = readdirSync(join(inTheWay, ORG)).map((name) => join(inTheWay, ORG, name));
    expect(missing(before, await rowsAt(old.at), rowsIn(...files))).toEqual([]);
  });
}

describe('retention of a server, on SQLite', () => {
  const servers = useServers();
  suite(servers, async () => {
    const data = await servers.newData();
    await createOldStore({ sqlite: data });
    return { data, at: { sqlite: data }, args: [] };
  });
});

describeWithPostgres('retention of a server, on PostgreSQL', (newUrl) => {
  const servers = useServers();
  suite(servers, async () => {
    const [data, url] = [await servers.newData(), await newUrl()];
    await createOldStore({ postgres: url });
    return { data, at: { postgres: url }, args: ['--database', url] };
  });
});
