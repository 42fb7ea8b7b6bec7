import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readWitness, removeLeftovers, WitnessRefused, writeWitness } from './witness.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-witness-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const witness = (position: string, floor = 0) => ({
  format: 1 as const,
  incarnation: 'i1',
  orgs: { acme: { position, floor } },
});

it('a witness is read as it was written, up to the highest number that can have been issued', async () => {
  expect(await readWitness(dir)).toBeNull();
  for (const position of ['0', '9'.repeat(18)]) {
    await writeWitness(dir, witness(position));
    expect(await readWitness(dir)).toEqual(witness(position));
  }
});

it('a witness that is a folder, or that no server can have written, is refused with a sentence', async () => {
  const file = join(dir, 'witness.json');
  for (const strange of [witness('1'.repeat(19)), witness('1', Number.MAX_SAFE_INTEGER), {}]) {
    writeFileSync(file, JSON.stringify(strange));
    await expect(readWitness(dir)).rejects.toThrow(WitnessRefused);
  }
  rmSync(file);
  mkdirSync(file);
  await expect(readWitness(dir)).rejects.toThrow(/^The file .*witness\.json cannot be read/);
});

it('a witness that could not be read again is not written: the existing one stays', async () => {
  await writeWitness(dir, witness('7'));
  for (const strange of [witness('1'.repeat(19)), witness('8', 10 ** 15 + 1), witness('8', Number.NaN)])
    await expect(writeWitness(dir, strange)).rejects.toThrow(/^The ledger of acme would be at position/);
  expect(await readWitness(dir)).toEqual(witness('7'));
  expect(readdirSync(dir)).toEqual(['witness.json']);
});

it('temporary files of killed servers are removed, those of living ones stay', async () => {
  const gone = 2 ** 22 + 1;
  for (const name of [`witness.json.${gone}`, `witness.json.${process.pid}`, 'witness.json.old', 'other.1'])
    writeFileSync(join(dir, name), '');
  await removeLeftovers(dir);
  expect(readdirSync(dir).sort()).toEqual(
    ['other.1', `witness.json.${process.pid}`, 'witness.json.old'].sort(),
  );
});
