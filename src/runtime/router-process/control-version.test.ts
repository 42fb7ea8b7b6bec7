import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CONTROL_VERSION } from './place.ts';

// An Evident that is upgraded finds the router of its former version. Of the same number it is believed to say all that
// this version reads, and a field that it lacks ends the start.
it('the number of the control grows when an order or a reply changes: then put the new sum here', () => {
  const text = readFileSync(join(import.meta.dirname, 'control.ts'), 'utf8');
  const [types = ''] = text.split('const LONGEST_LINE');
  const said = types.replace(/\/\*\*[\s\S]*?\*\/|^import .*$|\s/gm, '');
  const sum = createHash('sha256').update(said).digest('hex').slice(0, 12);
  expect([CONTROL_VERSION, sum]).toEqual([3, 'c4d035e4e722']);
});
