import { spawn } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OutputFile } from './output-file.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'evident-output-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const write = (text: string, segment = 'output.log') => appendFileSync(join(home, segment), text);
const bytesIn = (dir: string) =>
  readdirSync(dir).reduce(
    (sum, name) => sum + (statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
const texts = (lines: readonly { line: string }[]) => lines.map(({ line }) => line);

/** A busy machine takes its time. */
const PATIENT = { timeout: 20_000 };

describe('the output of an app', { timeout: 40_000 }, () => {
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

  it('goes on after the end of a line that was cut, also where that comes later (F89, S15)', async () => {
    const file = new OutputFile(home);
    write('z'.repeat(300_000));
    const [first] = await file.read(10, false);
    expect(first?.line.length).toBe(65_536);
    await file.taken(first === undefined ? [] : [first]);
    expect(await file.read(10, false)).toEqual([]);
    write(`${'z'.repeat(100_000)}the other half\nnext\n`);
    expect(await new OutputFile(home).read(10, false)).toMatchObject([{ seq: 2, line: 'next' }]);
  });

  it('is cut where a line is too long, and read in pieces where there is much (F89)', async () => {
    const file = new OutputFile(home);
    write(`${'x'.repeat(100_000)}\nlast\n`);
    const lines = await file.read(10, false);
    expect(lines.map(({ line }) => line.length)).toEqual([65_536, 4]);
    await file.taken(lines);
    write('more\n'.repeat(100_000));
    let read = 0;
    for (let found = await file.read(500, false); found.length > 0; found = await file.read(500, false)) {
      read += found.length;
      await file.taken(found);
    }
    expect(read).toBe(100_000);
  });

  it('is removed segment by segment once it was taken, and a line may go over the end of one', async () => {
    const file = new OutputFile(home);
    write('one\nbeginning ', 'output.1.log');
    write('and end\nlast\n', 'output.2.log');
    const lines = await file.read(10, false);
    expect(lines).toMatchObject([
      { seq: 1, line: 'one' },
      { seq: 2, line: 'beginning and end' },
      { seq: 3, line: 'last' },
    ]);
    await file.taken(lines.slice(0, 2));
    expect(existsSync(join(home, 'output.1.log'))).toBe(false);
    expect(await new OutputFile(home).read(10, false)).toMatchObject([{ seq: 3, line: 'last' }]);
  });

  it('has a line that counts what was dropped before it was taken (F121)', async () => {
    const file = new OutputFile(home);
    write('one\ntwo\nthree\n', 'output.1.log');
    await file.taken(await file.read(1, false));
    rmSync(join(home, 'output.1.log'));
    write('far on\n', 'output.9.log');
    writeFileSync(join(home, 'output.dropped'), '3412884\n');
    const lines = await file.read(10, false);
    expect(lines).toMatchObject([
      { seq: 2, line: '[3,412,883 lines were dropped here: more was written than could be sent in time]' },
      { seq: 3, line: 'far on' },
    ]);
    await file.taken(lines.slice(0, 1));
    expect(await new OutputFile(home).read(10, false)).toMatchObject([{ seq: 3, line: 'far on' }]);
  });

  it('of `yes` is held within bounds, counted and held up, while nobody takes it and after (F121)', async () => {
    const file = new OutputFile(home);
    const out = await file.begin();
    const app = spawn('yes', { stdio: ['ignore', out, 'ignore'] });
    closeSync(out);
    try {
      const lines = () => file.read(500, false);
      const isDropping = () => existsSync(join(home, 'output.dropped'));
      await vi.waitFor(() => expect(isDropping()).toBe(true), PATIENT);
      expect(bytesIn(home)).toBeLessThan(48 * 1024 ** 2);
      let dropped = '';
      for (let n = 0; n < 2_000 && dropped === ''; n += 1) {
        const found = await lines();
        dropped = texts(found).find((line) => line !== 'y') ?? '';
        await file.taken(found);
      }
      expect(dropped).toMatch(/^\[[\d,]{7,} lines were dropped here/);
      expect(bytesIn(home)).toBeLessThan(48 * 1024 ** 2);
    } finally {
      app.kill('SIGKILL');
    }
    await vi.waitFor(() => expect(file.isComplete).toBe(true), PATIENT);
  });

  it('is complete, its last word included, when the app has ended', async () => {
    const file = new OutputFile(home);
    const out = await file.begin();
    spawn('sh', ['-c', 'echo first; printf last'], { stdio: ['ignore', out, out] });
    closeSync(out);
    await vi.waitFor(() => expect(file.isComplete).toBe(true), PATIENT);
    expect(texts(await file.read(10, true))).toEqual(['first', 'last']);
  });

  it('gets another pump when its own was killed, and the app does not notice', async () => {
    const file = new OutputFile(home);
    const out = await file.begin();
    const app = spawn('sh', ['-c', 'echo before; read -r _; echo after; read -r _'], {
      stdio: ['pipe', out, out],
    });
    closeSync(out);
    await vi.waitFor(async () => expect(texts(await file.read(10, false))).toEqual(['before']), PATIENT);
    await file.end();
    expect(file.isComplete).toBe(true);
    app.stdin?.write('go\n');
    await vi.waitFor(
      async () => expect(texts(await file.read(10, false))).toEqual(['before', 'after']),
      PATIENT,
    );
    app.stdin?.end();
    await vi.waitFor(() => expect(file.isComplete).toBe(true), PATIENT);
  });
});
