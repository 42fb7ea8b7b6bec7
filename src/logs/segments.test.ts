import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { linesBackwards } from './segments.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-segments-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

async function backwards(text: string): Promise<string[]> {
  const path = join(dir, 'f');
  writeFileSync(path, text);
  const file = await open(path, 'r');
  const lines: string[] = [];
  for await (const line of linesBackwards(file, Buffer.byteLength(text))) lines.push(line);
  await file.close();
  return lines;
}

test('lines are read from the last to the first, whatever their length, also across blocks', async () => {
  const line = fc.oneof(
    fc.constantFrom('a', 'é', 'x'.repeat(70_000), 'y'.repeat(65_535), 'z'.repeat(65_536)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.boolean(), async (lines, ends) => {
      const text = lines.join('\n') + (ends && lines.length > 0 ? '\n' : '');
      expect(await backwards(text)).toEqual([...lines].reverse());
    }),
    { numRuns: 60 },
  );
});

test('reading the last lines of a large file reads one block of it', async () => {
  const path = join(dir, 'large');
  const text = `${'a line of the log'.repeat(3)}\n`.repeat(100_000);
  writeFileSync(path, text);
  const file = await open(path, 'r');
  let bytesRead = 0;
  const counting = {
    read: async (...args: [Buffer, number, number, number]) => {
      bytesRead += args[2];
      return file.read(...args);
    },
  } as unknown as FileHandle;
  let lines = 0;
  for await (const _ of linesBackwards(counting, text.length)) if (++lines === 100) break;
  await file.close();
  expect(bytesRead).toBe(64 * 1024);
});
