import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { unpackTar } from 'modern-tar/fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PackRefused, packed } from './pack.ts';
import { SourceRejected } from './source-rejected.ts';
import { unpackSource } from './unpack.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-pack-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const bytesOf = async (root: string) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of packed(root)) chunks.push(chunk);
  return Buffer.concat(chunks);
};
const LONG = `${'a'.repeat(90)}/${'ü'.repeat(90)}.txt`;

function folder(name: string, files: readonly (readonly [string, string])[]): string {
  const root = join(dir, name);
  for (const [path, text] of files) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

describe('an artifact', () => {
  it('is the same bytes for the same files, whatever the order, time or mode of their creation', async () => {
    const files = [
      ['b/x.js', 'x'],
      ['a.txt', 'a'],
      [LONG, 'long'],
      ['empty', ''],
      ['big.bin', 'b'.repeat(200_000)],
    ] as const;
    const one = folder('one', files);
    const two = folder('two', files.toReversed());
    utimesSync(join(two, 'a.txt'), new Date(0), new Date(5_000));
    chmodSync(join(two, 'a.txt'), 0o600);
    rmSync(join(two, 'empty'));
    writeFileSync(join(dir, 'elsewhere'), '');
    linkSync(join(dir, 'elsewhere'), join(two, 'empty'));
    symlinkSync('x.js', join(one, 'b/link'));
    symlinkSync(join(two, 'b/x.js'), join(two, 'b/link'));
    expect((await bytesOf(one)).equals(await bytesOf(two))).toBe(true);
    chmodSync(join(two, 'a.txt'), 0o744);
    expect((await bytesOf(one)).equals(await bytesOf(two))).toBe(false);
  });

  it('is unpacked by modern-tar to the same files', async () => {
    const root = folder('one', [
      [LONG, 'long'],
      ['bin/run', '#!/bin/sh\n'],
      ['big.bin', 'b'.repeat(200_001)],
    ]);
    chmodSync(join(root, 'bin/run'), 0o755);
    mkdirSync(join(root, 'nothing'));
    symlinkSync(`../${LONG}`, join(root, 'bin/far'));
    const out = join(dir, 'out');
    await pipeline(Readable.from(packed(root)), unpackTar(out));
    expect(readFileSync(join(out, 'bin/far'), 'utf8')).toBe('long');
    expect(readlinkSync(join(out, 'bin/far'))).toBe(`../${LONG}`);
    expect(readFileSync(join(out, 'big.bin'), 'utf8')).toHaveLength(200_001);
    expect(lstatSync(join(out, 'bin/run')).mode & 0o777).toBe(0o755);
    expect(lstatSync(join(out, 'nothing')).isDirectory()).toBe(true);
    expect((await bytesOf(out)).equals(await bytesOf(root))).toBe(true);
  });

  it.each(['../outside', '/etc/passwd', 'b/../../outside'])('has no link to %s', async (to) => {
    const root = folder('one', [['a', 'a']]);
    symlinkSync(to, join(root, 'link'));
    await expect(bytesOf(root)).rejects.toThrow(PackRefused);
  });
});

describe('a source', () => {
  const never = new AbortController().signal;
  const entry = (name: string, body: string, mode: number) => ({
    header: { name, size: body.length, mode, type: 'file' as const },
    body,
  });

  it('is unpacked, zipped or not, with readable modes', async () => {
    const tar = Buffer.from(await packTar([entry('a/run', 'x', 0o701), entry('b', 'y', 0)]));
    for (const [at, bytes] of [tar, gzipSync(tar)].entries()) {
      writeFileSync(join(dir, `source-${at}`), bytes);
      await unpackSource(join(dir, `source-${at}`), join(dir, `out-${at}`), never);
      expect(lstatSync(join(dir, `out-${at}/a/run`)).mode & 0o777).toBe(0o755);
      expect(lstatSync(join(dir, `out-${at}/b`)).mode & 0o777).toBe(0o644);
    }
  });

  it('keeps the links that stay inside it (F94)', async () => {
    const link = { header: { name: 'l', type: 'symlink' as const, linkname: 'a/run', size: 0 } };
    writeFileSync(join(dir, 'source'), Buffer.from(await packTar([entry('a/run', 'x', 0o755), link])));
    await unpackSource(join(dir, 'source'), join(dir, 'out'), never);
    expect(readlinkSync(join(dir, 'out/l'))).toBe('a/run');
    expect(readFileSync(join(dir, 'out/l'), 'utf8')).toBe('x');
  });

  it('as tar writes it, with "." entries, is unpacked to the same files', async () => {
    const root = folder('one', [
      [LONG, 'long'],
      ['package.json', '{}'],
    ]);
    execFileSync('tar', ['-C', root, '-czf', join(dir, 'source'), '.']);
    await unpackSource(join(dir, 'source'), join(dir, 'out'), never);
    expect((await bytesOf(join(dir, 'out'))).equals(await bytesOf(root))).toBe(true);
  });

  it('is refused by the server’s rules on the builder too (F93)', async () => {
    writeFileSync(join(dir, 'source'), Buffer.from(await packTar([entry('../a', 'x', 0o644)])));
    await expect(unpackSource(join(dir, 'source'), join(dir, 'out/in'), never)).rejects.toThrow(
      SourceRejected,
    );
    expect(() => lstatSync(join(dir, 'out/a'))).toThrow();
  });
});
