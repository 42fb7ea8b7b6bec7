import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { unpackTar } from 'modern-tar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pack } from './archive.ts';
import { readFolder } from './folder.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'evident-folder-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (files: Readonly<Record<string, string>>, at = root) => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at, path)), { recursive: true });
    writeFileSync(join(at, path), text);
  }
};
const paths = (at = root) => readFolder(at).files.map(({ path }) => path);

describe('the files of a folder that are deployed', () => {
  it('lacks ignored files, and never contains history, packages or tokens', () => {
    write({
      'app.js': '',
      'dist/x.js': '',
      'notes.md': '',
      '.git/config': 'secret',
      'node_modules/a/index.js': '',
      '.evident/admin-token': 'secret',
      'deep/.evident/admin-token': 'secret',
      'deep/node_modules/b.js': '',
      '.gitignore': 'dist/\n',
      '.evidentignore': '*.md\n',
    });
    expect(paths()).toEqual(['.evidentignore', '.gitignore', 'app.js']);
  });

  it('obeys ignore files of folders below, the nearest last', () => {
    write({
      '.gitignore': '*.log\n',
      'a.log': '',
      'keep/.gitignore': '!b.log\n',
      'keep/b.log': '',
      'keep/c.log': '',
      'deep/.evidentignore': '/only-here\n',
      'deep/only-here': '',
      'deep/er/only-here': '',
    });
    expect(paths()).toEqual([
      '.gitignore',
      'deep/.evidentignore',
      'deep/er/only-here',
      'keep/.gitignore',
      'keep/b.log',
    ]);
  });

  it('does not include a file of an ignored folder again, as in git', () => {
    write({ '.gitignore': 'out/\n!out/x\n', 'out/x': '', y: '' });
    expect(paths()).toEqual(['.gitignore', 'y']);
  });

  it('obeys the ignore files of the repository around it, unless that ignores the folder itself', () => {
    write({
      '.git/HEAD': '',
      '.gitignore': '.env\n/site/\n',
      'api/.env': 'KEY=1',
      'api/app.js': '',
      'site/index.html': '',
    });
    expect(paths(join(root, 'api'))).toEqual(['app.js']);
    expect(paths(join(root, 'site'))).toEqual(['index.html']);
  });

  it('follows no link out of the folder, and names what it leaves out', () => {
    const outside = mkdtempSync(join(tmpdir(), 'evident-outside-'));
    try {
      write({ secret: 'x' }, outside);
      write({ 'src/a.js': 'a' });
      symlinkSync(join(outside, 'secret'), join(root, 'leak'));
      symlinkSync(outside, join(root, 'leaks'));
      symlinkSync('nowhere', join(root, 'broken'));
      symlinkSync('..', join(root, 'src/loop'));
      symlinkSync('src/a.js', join(root, 'same.js'));
      symlinkSync('src', join(root, 'again'));
      const { files, leftOut } = readFolder(root);
      expect(files.map(({ path }) => path)).toEqual(['again/a.js', 'same.js', 'src/a.js']);
      expect([...leftOut].sort()).toEqual([
        'again/loop is a link that leads back to itself',
        'broken is a link that leads nowhere',
        'leak is a link that leads out of the folder',
        'leaks is a link that leads out of the folder',
        'src/loop is a link that leads back to itself',
      ]);
    } finally {
      rmSync(outside, { recursive: true });
    }
  });

  it('follows no link into what is never sent', () => {
    write({ '.evident/admin-token': 'secret', 'a.js': '' });
    symlinkSync('.evident/admin-token', join(root, 'token'));
    expect(readFolder(root)).toMatchObject({
      files: [{ path: 'a.js' }],
      leftOut: ['token is a link into .evident'],
    });
  });
});

describe('the archive', () => {
  const signal = new AbortController().signal;
  const archived = async (at = root) => {
    const archive = await pack(readFolder(at), () => {}, signal);
    try {
      const chunks: Uint8Array[] = [];
      for await (const chunk of archive.bytes()) chunks.push(chunk);
      return { digest: archive.digest, size: archive.size, bytes: Buffer.concat(chunks) };
    } finally {
      await archive.remove();
    }
  };

  it('is the same bytes for the same files, whenever and in whatever order they were written', async () => {
    write({ 'b/two': '2', 'a-one': '1', 'a/three': '3' });
    const first = await archived();
    const other = mkdtempSync(join(tmpdir(), 'evident-folder-'));
    try {
      write({ 'a/three': '3', 'a-one': '1', 'b/two': '2' }, other);
      utimesSync(join(other, 'a-one'), 1, 1);
      expect((await archived(other)).digest).toBe(first.digest);
      chmodSync(join(other, 'a-one'), 0o755);
      expect((await archived(other)).digest).not.toBe(first.digest);
    } finally {
      rmSync(other, { recursive: true });
    }
    expect(first.size).toBe(first.bytes.length);
  });

  it('holds the files and their executable bits', async () => {
    write({ 'run.sh': 'go', empty: '', [`${'long/'.repeat(30)}name`]: 'x', 'ümläut €.txt': 'y' });
    chmodSync(join(root, 'run.sh'), 0o700);
    const { bytes } = await archived();
    const entries = await unpackTar(gunzipSync(bytes));
    const packed = entries.map(({ header, data }) => [
      header.name,
      header.mode,
      Buffer.from(data ?? []).toString(),
    ]);
    expect(packed).toEqual([
      ['empty', 0o644, ''],
      [`${'long/'.repeat(30)}name`, 0o644, 'x'],
      ['run.sh', 0o755, 'go'],
      ['ümläut €.txt', 0o644, 'y'],
    ]);
  });
});
