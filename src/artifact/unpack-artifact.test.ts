import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar, type TarEntry } from 'modern-tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { unpackArtifact } from './unpack-artifact.ts';

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-unpack-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const file = (name: string, body: string, mode = 0o644): TarEntry => ({
  header: { name, size: Buffer.byteLength(body), mode, mtime: new Date(0) },
  body,
});
const link = (name: string, linkname: string): TarEntry => ({
  header: { name, type: 'symlink', linkname, size: 0, mtime: new Date(0) },
});

async function unpack(entries: TarEntry[], pack = (bytes: Uint8Array): Uint8Array => bytes) {
  const bytes = pack(await packTar(entries));
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
  }
  await unpackArtifact(chunks(), join(dir, 'out'), AbortSignal.timeout(10_000));
}

describe('an artifact', () => {
  it.each([['tar'], ['tar.gz']])('is unpacked from a %s, with its executable bits', async (kind) => {
    const entries = [file('bin/run', '#!/bin/sh\n', 0o755), file('data.txt', 'x', 0o600)];
    await unpack(entries, kind === 'tar' ? undefined : (bytes) => gzipSync(bytes));
    expect(readFileSync(join(dir, 'out/bin/run'), 'utf8')).toBe('#!/bin/sh\n');
    expect(lstatSync(join(dir, 'out/bin/run')).mode & 0o777).toBe(0o755);
    expect(lstatSync(join(dir, 'out/data.txt')).mode & 0o777).toBe(0o644);
  });

  it('keeps links that stay inside, long ones too', async () => {
    const long = `${'deep/'.repeat(30)}cli.js`;
    await unpack([
      file('node_modules/tool/cli.js', 'tool'),
      link('node_modules/.bin/tool', '../tool/cli.js'),
      file(long, 'deep'),
      link('short', long),
      link('nowhere', 'not/there'),
    ]);
    expect(readlinkSync(join(dir, 'out/node_modules/.bin/tool'))).toBe('../tool/cli.js');
    expect(readFileSync(join(dir, 'out/short'), 'utf8')).toBe('deep');
  });

  it.each([
    ['an absolute link', [file('a', ''), link('b', '/etc/passwd')]],
    ['a link above the root', [file('a', ''), link('d/b', '../../etc')]],
    ['a link to the parent', [file('a', ''), link('b', '..')]],
    ['a file through a link', [link('d', 'e'), file('d/a', 'x'), file('e/b', '')]],
    ['a link over a file', [file('a', 'x'), link('a', 'b')]],
    ['a link that leads out through another', [file('d/a', ''), link('d/e', '..'), link('f', 'd/e/..')]],
    ['a link that leads out through a later one', [file('d/a', ''), link('f', 'd/e/..'), link('d/e', '..')]],
    ['a path above the root', [file('../a', 'x')]],
  ])('F94: is refused as a whole for %s', async (_, entries) => {
    await expect(unpack(entries)).rejects.toThrow(
      /leads out|leaves the archive|twice|written through|points outside/,
    );
    expect(readdirSync(dir)).toEqual([]);
  });
});
