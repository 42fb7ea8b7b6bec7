import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { useServers } from '../server/servers.ts';
import { livedLongAgo, missing, rowsAt, rowsIn } from './long-ago.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-archive-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe('evident archive', () => {
  const servers = useServers();
  let data: string;
  let before: ReadonlySet<string>;
  beforeEach(async () => {
    data = mkdtempSync(join(dir, 'data-'));
    await livedLongAgo({ sqlite: data });
    before = await rowsAt({ sqlite: data });
  });
  const archive = (...args: readonly string[]) =>
    servers.run(['archive', '--data', data, '--keep-revisions', '1', ...args], {});
  const unchanged = async () => expect(await rowsAt({ sqlite: data })).toEqual(before);

  it('writes what moves out to a file that its owner alone may read', async () => {
    const file = join(data, 'old.ndjson');
    expect(archive('-o', file)).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^Moved out: .*ledger/),
    });
    const after = await rowsAt({ sqlite: data });
    expect(missing(before, after).length).toBeGreaterThan(10);
    expect(missing(before, after, rowsIn(file))).toEqual([]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('to a shell’s file too, and goes on behind a line that was cut short', async () => {
    const file = join(data, 'old.ndjson');
    const child = spawn('sh', [
      '-c',
      `printf '{"table":"led' > ${file}; exec "$@" >> ${file}`,
      'sh',
      ...program(),
    ]);
    expect(await text(child.stderr)).toMatch(/^Moved out/);
    expect(missing(before, await rowsAt({ sqlite: data }), rowsIn(file))).toEqual([]);
  });

  it.each([
    ['a full disk', '/dev/full', /^\/dev\/full cannot be written: no space left on device\. /],
    [
      'a folder that is not there',
      '/nonexistent/x',
      /^\/nonexistent\/x cannot be written: no such file or directory\. /,
    ],
  ])('takes nothing away for %s, and says so', async (_, output, said) => {
    const { code, err } = archive('-o', output);
    expect([code, err]).toEqual([1, expect.stringMatching(said)]);
    expect(err).toMatch(/Nothing that is not written was taken away.* run .*again/);
    expect(err).not.toMatch(/\n\s+at /);
    await unchanged();
  });

  it('takes nothing away for a pipe, and says what to do', async () => {
    const { code, out, err } = archive();
    expect([code, out, err]).toEqual([1, '', expect.stringMatching(/^Standard output is no file.* -o/)]);
    await unchanged();
  });

  it('only shows it to a pipe, and says when whoever read it has gone', async () => {
    expect(archive('--export-only')).toMatchObject({ code: 0, out: expect.stringContaining('"ledger"') });
    const child = spawn(process.execPath, [...program().slice(1), '--export-only']);
    child.stdout.destroy();
    const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect([code, said]).toEqual([
      1,
      expect.stringMatching(/^standard output cannot be written: broken pipe/),
    ]);
    await unchanged();
  });

  it('opens its output before it looks at a store', async () => {
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
