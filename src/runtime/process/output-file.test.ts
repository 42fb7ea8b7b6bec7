import { appendFileSync, mkdtempSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OutputFile } from './output-file.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'evident-output-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (text: string) => appendFileSync(join(home, 'output.log'), text);
const texts = (lines: readonly { line: string }[]) => lines.map(({ line }) => line);

describe('the output of an app', () => {
  it('is read line by line, the last part only when the app has ended', async () => {
    const file = new OutputFile(home);
    expect(await file.read(10, false)).toEqual([]);
    write('one\r\ntwo\nhal');
    expect(texts(await file.read(10, false))).toEqual(['one', 'two']);
    expect(texts(await file.read(10, true))).toEqual(['one', 'two', 'hal']);
    await file.taken(await file.read(10, false));
    write('f\n');
    expect(await file.read(10, false)).toMatchObject([{ seq: 3, line: 'half' }]);
  });

  it('is sent again under the same numbers by the next reader, unless it was acknowledged', async () => {
    write('one\ntwo\nthree\n');
    const first = new OutputFile(home);
    await first.taken(await first.read(1, false));
    await first.read(10, false);
    expect(await new OutputFile(home).read(10, false)).toMatchObject([
      { seq: 2, line: 'two' },
      { seq: 3, line: 'three' },
    ]);
  });

  it('is cut where a line has no end, and read in pieces where there is much (F89)', async () => {
    const file = new OutputFile(home);
    write(`${'x'.repeat(100_000)}\nlast\n`);
    const lines = await file.read(10, false);
    expect(lines.map(({ line }) => line.length)).toEqual([65_536, 34_464, 4]);
    await file.taken(lines);
    write('more\n'.repeat(100_000));
    let read = 0;
    for (let found = await file.read(500, false); found.length > 0; found = await file.read(500, false)) {
      read += found.length;
      await file.taken(found);
    }
    expect(read).toBe(100_000);
  });

  it('is deleted as far as it was acknowledged when the file is large', async () => {
    const file = new OutputFile(home);
    write(`${'y'.repeat(1_000)}\n`.repeat(9_000));
    let last = 0;
    for (let found = await file.read(500, false); found.length > 0; found = await file.read(500, false)) {
      last = found.at(-1)?.seq ?? 0;
      await file.taken(found);
    }
    expect(last).toBe(9_000);
    expect(statSync(join(home, 'output.log')).size).toBeLessThan(512 * 1024);
    write('on\n');
    expect(await file.read(10, false)).toMatchObject([{ seq: 9_001, line: 'on' }]);
  });

  it('is deleted so too when the reader never catches up, and no line is lost', async () => {
    const file = new OutputFile(home);
    const line = `${'y'.repeat(1_000)}\n`;
    write(line.repeat(9_000));
    let largest = 0;
    let written = 9_000;
    let last = 0;
    for (let n = 0; n < 100; n += 1) {
      const found = await file.read(500, false);
      expect(found[0]).toMatchObject({ seq: last + 1, line: 'y'.repeat(1_000) });
      last = found.at(-1)?.seq ?? last;
      write(line.repeat(100));
      written += 100;
      await file.taken(found);
      largest = Math.max(largest, statSync(join(home, 'output.log')).size);
    }
    expect(last).toBe(written - 100);
    expect(largest).toBeLessThan(20 * 1024 ** 2);
    expect(statSync(join(home, 'output.log')).size).toBeLessThan(9 * 1024 ** 2);
  });

  it('is skipped but for the newest where an app writes faster than it is read, and a line marks the gap (F89)', async () => {
    const file = new OutputFile(home);
    write('first\n');
    await file.taken(await file.read(10, false));
    for (let n = 0; n < 40; n += 1) write(`${'z'.repeat(1_023)}\n`.repeat(1_024));
    write('newest\n');
    const [notice, ...some] = await file.read(500, false);
    expect(notice).toMatchObject({ seq: 2, line: expect.stringMatching(/^\[39 MiB are missing here/) });
    expect(some[0]).toMatchObject({ seq: 3, line: 'z'.repeat(1_023) });
    let last = '';
    for (let found = await file.read(500, false); found.length > 0; found = await file.read(500, false)) {
      last = found.at(-1)?.line ?? '';
      await file.taken(found);
    }
    expect(last).toBe('newest');
    expect(statSync(join(home, 'output.log')).size).toBeLessThan(2 * 1024 ** 2);
  });

  it('is read from the beginning of its file if that was emptied without a record of it', async () => {
    write('one\ntwo\n');
    const file = new OutputFile(home);
    await file.taken(await file.read(10, false));
    truncateSync(join(home, 'output.log'));
    write('on\n');
    expect(await new OutputFile(home).read(10, false)).toMatchObject([{ seq: 3, line: 'on' }]);
  });
});
