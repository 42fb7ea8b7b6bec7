import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../projection/facts.ts';
import { beat } from '../repair/beat.ts';
import { readable } from '../store/broken-row.ts';
import { MemoryStore } from '../store/memory.ts';
import { isSameDirectory, markFiles, markText, readMark } from './files-mark.ts';
import { refuseSeparateFiles } from './refuse-separate-files.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-files-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('a directory has one id, whichever server reads it first and whatever its path is', async () => {
  const real = join(dir, 'real');
  mkdirSync(real);
  const marks = await Promise.all(Array.from({ length: 5 }, () => markFiles(real)));
  expect(new Set(marks.map(({ id }) => id)).size).toBe(1);
  symlinkSync(real, join(dir, 'mounted'));
  const [one] = marks;
  const mounted = await markFiles(join(dir, 'mounted'));
  if (one === undefined) throw new Error('no mark');
  expect(isSameDirectory(mounted, one)).toBe(true);
  expect(isSameDirectory(await markFiles(join(dir, 'another')), one)).toBe(false);
});

it('a beat carries id and path; one of an older version has the path alone', async () => {
  const mark = await markFiles(join(dir, 'with a space'));
  expect(readMark(markText(mark))).toEqual(mark);
  const old = readMark('/var/lib/evident');
  expect(old).toEqual({ id: null, path: '/var/lib/evident' });
  expect(isSameDirectory({ id: mark.id, path: '/var/lib/evident' }, old)).toBe(true);
  expect(isSameDirectory(mark, old)).toBe(false);
});

it('a server refuses to start while another with other files sends beats, and otherwise starts', {
  timeout: 30_000,
}, async () => {
  const store = new MemoryStore(Date.now);
  const host = { store, settings: DEFAULT_SETTINGS };
  const [here, there] = [await markFiles(join(dir, 'here')), await markFiles(join(dir, 'there'))];
  await beat(host, 'dead', markText(there));
  await beat(host, 'friend', markText(here));
  await beat(host, 'this', markText(here));
  await refuseSeparateFiles(host, 'this', here);

  const living = setInterval(() => void beat(host, 'living', markText(there)), 100);
  try {
    await new Promise((done) => setTimeout(done, 200));
    await beat(host, 'next', markText(here));
    await expect(refuseSeparateFiles(host, 'next', here)).rejects.toThrow(
      `living, keeps its files in ${there.path}, and this one in ${here.path}`,
    );
  } finally {
    clearInterval(living);
  }
  const left = await store.read((tx) => tx.select('beats', {}));
  expect(
    left.map((row) => readable(row).server),
    'the refused one leaves no beat',
  ).not.toContain('next');
});
