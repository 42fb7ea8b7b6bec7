import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';

const WEB = join(import.meta.dirname, '../../dist/web');
const MOST_BYTES = 100_000;

it('the first screen takes less than 100 kB of script, as it is sent', () => {
  const page = readFileSync(join(WEB, 'index.html'), 'utf8');
  const scripts = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.js)"/g)].map(([, path]) => path ?? '');
  expect(scripts).not.toEqual([]);
  const bytes = scripts.map((path) => gzipSync(readFileSync(join(WEB, path))).length);
  // A script loads with it everything that it imports at its top, which would have to be counted too.
  for (const path of scripts) expect(readFileSync(join(WEB, path), 'utf8')).not.toMatch(/^import[\s{]/);
  expect(bytes.reduce((sum, one) => sum + one)).toBeLessThan(MOST_BYTES);
});
