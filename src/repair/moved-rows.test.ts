import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { MovedRow } from './moved-row.ts';
import { movedInto } from './moved-rows.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-moved-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const row = (n: number) => ({ table: 'ledger', row: { n } }) as unknown as MovedRow;
const text = (n: number) => `{"table":"ledger","row":{"n":${n}}}\n`;

it('rows are appended, also to the file of an earlier run', async () => {
  const file = join(dir, 'twice.ndjson');
  for (const n of [1, 3]) {
    const out = await movedInto(file);
    await out.write([row(n), row(n + 1)]);
    expect(readFileSync(file, 'utf8'), 'there when it has answered').toContain(text(n + 1));
    await out.close();
  }
  expect(readFileSync(file, 'utf8')).toBe([1, 2, 3, 4].map(text).join(''));
});

it('rows begin on a new line behind one that a kill cut short', async () => {
  const file = join(dir, 'cut.ndjson');
  writeFileSync(file, '{"table":"led');
  const out = await movedInto(file);
  await out.write([row(1)]);
  await out.write([row(2)]);
  await out.close();
  expect(readFileSync(file, 'utf8')).toBe(`{"table":"led\n${text(1)}${text(2)}`);
});

it('a file that cannot be written fails with a sentence', async () => {
  await expect(movedInto(join(dir, 'none', 'x'))).rejects.toThrow(
    /cannot be written: no such file or directory\. /,
  );
  const full = await movedInto('/dev/full', { preview: true });
  await expect(full.write([row(1)])).rejects.toThrow(
    /^\/dev\/full cannot be written: no space left on device/,
  );
  await full.close();
});

it('rows are written only to an archive file', async () => {
  const notes = join(dir, 'notes');
  writeFileSync(notes, '{"tables":[]}\n');
  for (const place of ['/dev/null', dir])
    await expect(movedInto(place)).rejects.toThrow(/ is no file, so nobody can tell/);
  await expect(movedInto(notes)).rejects.toThrow(/ holds something else than rows that were moved out\. /);
  expect(readFileSync(notes, 'utf8')).toBe('{"tables":[]}\n');
});
