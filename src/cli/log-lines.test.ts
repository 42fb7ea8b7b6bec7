import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { LogLines } from './log-lines.ts';

/** An output that accepts `room` bytes. */
function disk(room: number) {
  const held = { text: '', room };
  const failing = (code: string) => Object.assign(new Error(code), { code });
  const lines = new LogLines((bytes) => {
    if (held.room === 0) throw failing('ENOSPC');
    const taken = bytes.subarray(0, held.room);
    held.room -= taken.length;
    held.text += taken.toString();
    return taken.length;
  });
  return { held, lines, failing };
}

it('lines without room are dropped, and counted when there is room again', () => {
  const { held, lines } = disk(6);
  for (const line of ['one\n', 'two\n', 'three\n']) lines.write(line);
  expect(held.text).toBe('one\ntw');
  held.room = 1_000;
  for (const line of ['four\n', 'five\n']) lines.write(line);
  expect(held.text).toMatch(/^one\ntw\n\{"level":40,.*"dropped":2,.*\}\nfour\nfive\n$/);
});

it('waits a short time for a slow reader, and not for ever', () => {
  const { failing } = disk(0);
  let busy = 3;
  let text = '';
  const lines = new LogLines((bytes) => {
    if (busy-- > 0) throw failing('EAGAIN');
    text += bytes.toString();
    return bytes.length;
  });
  lines.write('one\n');
  expect(text).toBe('one\n');
  busy = 1_000;
  lines.write('two\n');
  expect(text).toBe('one\n');
});

it('pino writes to a file and to one that is always full', () => {
  const dir = mkdtempSync(join(tmpdir(), 'evident-log-'));
  const file = join(dir, 'evident.log');
  pino({ base: null }, LogLines.to(file)).info('hello');
  expect(readFileSync(file, 'utf8')).toMatch(/"msg":"hello"\}\n$/);
  const full = pino({ base: null }, LogLines.to('/dev/full'));
  for (let n = 0; n < 100; n++) full.info('nobody hears this');
  rmSync(dir, { recursive: true });
});
