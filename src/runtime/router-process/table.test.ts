import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { bootId } from '../process/proc.ts';
import { type RouterTable, readTable, TableFile } from './table.ts';

const dir = mkdtempSync(join(tmpdir(), 'evident-table-'));
const path = join(dir, 'routes.json');
afterEach(() => rmSync(path, { force: true }));

const table = (boot: string, revision = 1): RouterTable => ({
  version: 1,
  boot,
  listens: { host: '127.0.0.1', port: 7718 },
  routes: [
    {
      service: 'web@lab',
      hosts: ['web.localhost'],
      stamp: { revision, attempt: 1 },
      endpoints: [{ uid: 'a', address: '127.0.0.1', port: 4000 }],
      isStopped: false,
    },
  ],
  ports: [{ service: 'web@lab', port: 5000 }],
});

describe('the last table of a router', () => {
  it('is read as it was saved; the newest save wins', async () => {
    let revision = 1;
    const file = new TableFile(
      path,
      () => table(bootId(), revision),
      (error) => expect.unreachable(error.message),
    );
    file.saveSoon();
    revision = 2;
    file.saveSoon();
    await file.saved();
    expect(readTable(path)).toEqual(table(bootId(), 2));
    expect(JSON.parse(readFileSync(path, 'utf8')).routes[0].stamp.revision).toBe(2);
  });

  it('leads to nobody after a boot: the port of an instance may be anybody’s', () => {
    writeFileSync(path, JSON.stringify(table('another boot')));
    const read = readTable(path);
    expect(read.routes.map(({ endpoints }) => endpoints)).toEqual([[]]);
    expect([read.listens, read.ports]).toEqual([table('').listens, table('').ports]);
  });

  it.each(['', '{"version":1', '{"version":9}', 'null'])('is empty where it cannot be read: %j', (text) => {
    writeFileSync(path, text);
    expect(readTable(path)).toEqual({ version: 1, boot: bootId(), listens: null, routes: [], ports: [] });
  });
});
