import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openStore } from '../crash/open-store.ts';
import { useServers } from '../server/servers.ts';
import { createOldStore, missing, rowsAt, rowsIn } from './old-store.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-archive-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('evident archive', () => {
  const servers = useServers();
  let data: string;
  let file: string;
  let before: ReadonlySet<string>;
  beforeEach(async () => {
    const own = mkdtempSync(join(dir, 'own-'));
    data = join(own, 'data');
    file = join(own, 'old.ndjson');
    await createOldStore({ sqlite: data });
    before = await rowsAt({ sqlite: data });
  });
  const archive = (...args: readonly string[]) =>
    servers.run(['archive', '--data', data, '--keep-revisions', '1', ...args], {});
  const unchanged = async () => {
    expect(await rowsAt({ sqlite: data })).toEqual(before);
    const store = await openStore({ sqlite: data });
    expect(await store.read((tx) => tx.select('retention', {})), 'no border').toEqual([]);
    await store.close();
  };

  it('writes archived rows to a file that only its owner may read', async () => {
    expect(archive('-o', file)).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^Moved out: .*ledger/),
    });
    const after = await rowsAt({ sqlite: data });
    expect(missing(before, after).length).toBeGreaterThan(10);
    expect(missing(before, after, rowsIn(file))).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('appends to a file that a shell opened, behind a line that was cut short', async () => {
    const child = spawn('sh', [
      '-c',
      `printf '{"table":"led' > ${file}; exec "$@" >> ${file}`,
      'sh',
      ...program(),
    ]);
    expect(await text(child.stderr)).toMatch(/^Moved out/);
    expect(missing(before, await rowsAt({ sqlite: data }), rowsIn(file))).toEqual([]);
  });

  it('deletes nothing for a folder that does not exist, and says so', async () => {
    const { code, err } = archive('-o', '/nonexistent/x');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^\/nonexistent\/x cannot be written: no such file or directory\. /),
    ]);
    expect(err).toMatch(/Nothing that is not written was taken away.* run .*again/);
    expect(err).not.toMatch(/\n\s+at /);
    await unchanged();
  });

  it.each(['/dev/null', '/dev/full', '/dev/stdout', 'a pipe with a name'])(
    'deletes nothing for %s, which is no file, and names --export-only',
    async (named) => {
      const output = named.startsWith('/') ? named : `${file}.pipe`;
      if (output !== named) execFileSync('mkfifo', [output]);
      const { code, err } = archive('-o', output);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/ is no file.* Nothing was taken away\. .* --export-only/),
      ]);
      await unchanged();
    },
  );

  it('exports to any output that accepts it, and names the error of one that does not', async () => {
    expect(archive('--export-only', '-o', '/dev/null')).toMatchObject({ code: 0 });
    const exporting = spawn('sh', ['-c', '"$@" --export-only -o /dev/stdout | head -1', 'sh', ...program()]);
    expect(await text(exporting.stdout)).toMatch(/^\{"table":"/);
    expect(archive('--export-only', '-o', '/dev/full')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/^\/dev\/full cannot be written: no space left on device\. /),
    });
    await unchanged();
  });

  it.each(['evident.db', 'evident.db-wal', 'owner.lock', 'witness.json', 'any.ndjson', 'runtime/local/x'])(
    'deletes nothing for %s of the data directory, and leaves that unchanged, under any name',
    async (name) => {
      const ours = join(data, name);
      const bytes = () => (existsSync(ours) ? readFileSync(ours, 'latin1') : null);
      const found = bytes();
      symlinkSync(ours, `${file}.link`);
      for (const args of [
        ['-o', ours],
        ['-o', `${file}.link`],
        ['--export-only', '-o', ours],
      ]) {
        const { code, err } = archive(...args);
        expect([code, err]).toEqual([
          2,
          expect.stringMatching(/ is in the data directory.* Nothing was taken away/),
        ]);
        expect(bytes() === found).toBe(true);
      }
      await unchanged();
    },
  );

  it('deletes nothing for a shell that appends to the database', async () => {
    const child = spawn('sh', ['-c', `exec "$@" >> ${join(data, 'evident.db')}`, 'sh', ...program()]);
    expect(await text(child.stderr)).toMatch(/is in the data directory/);
    await unchanged();
  });

  it('deletes nothing for a file with other content, under any name', async () => {
    writeFileSync(file, '# notes of mine\n');
    linkSync(join(data, 'evident.db'), `${file}.db`);
    for (const output of [file, `${file}.db`]) {
      const size = statSync(output).size;
      expect(archive('-o', output)).toMatchObject({
        code: 1,
        err: expect.stringMatching(
          / holds something else than rows that were moved out\. Nothing was taken away/,
        ),
      });
      expect(statSync(output).size).toBe(size);
    }
    await unchanged();
  });

  it('appends to a file of its own, and to one of the server’s', async () => {
    const servers = join(data, 'archive', 'lab');
    mkdirSync(servers, { recursive: true });
    const output = join(servers, 'by-hand.ndjson');
    appendFileSync(output, '{"table":"led');
    expect(archive('-o', output)).toMatchObject({ code: 0 });
    expect(missing(before, await rowsAt({ sqlite: data }), rowsIn(output))).toEqual([]);
  });

  it('deletes nothing for a pipe, and says what to do', async () => {
    const { code, out, err } = archive();
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^Standard output is no file.* -o/)]);
    await unchanged();
  });

  it('only exports to a pipe, and says when its reader has gone', async () => {
    expect(archive('--export-only')).toMatchObject({ code: 0, out: expect.stringContaining('"ledger"') });
    const child = spawn(process.execPath, [...program().slice(1), '--export-only']);
    child.stdout.destroy();
    const [printed, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, printed]).toEqual([
      1,
      expect.stringMatching(/^standard output cannot be written: broken pipe/),
    ]);
    await unchanged();
  });

  it('opens its output before it opens a store', async () => {
    const nowhere = join(dir, 'nowhere');
    const { code, err } = servers.run(['archive', '--data', nowhere, '-o', '/nonexistent/x'], {});
    expect([code, err]).toEqual([1, expect.stringMatching(/^\/nonexistent\/x cannot be written/)]);
    expect(existsSync(nowhere)).toBe(false);
  });

  const program = () => [
    process.execPath,
    servers.program(),
    'archive',
    '--data',
    data,
    '--keep-revisions',
    '1',
  ];
});
