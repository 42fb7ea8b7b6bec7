import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { outsidePackages } from './outside-packages.ts';

const dir = mkdtempSync(join(tmpdir(), 'evident-outside-'));
const { XDG_CACHE_HOME } = process.env;
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
  if (XDG_CACHE_HOME === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = XDG_CACHE_HOME;
});

it('a directory outside of a package stays, and one inside is moved out, each to its own', () => {
  process.env.XDG_CACHE_HOME = join(dir, 'cache');
  const alone = join(dir, 'data', '.evident');
  expect(outsidePackages(alone)).toBe(alone);
  mkdirSync(join(dir, 'checkout'), { recursive: true });
  writeFileSync(join(dir, 'checkout', 'package.json'), '{"type": "module"}');
  const [one, other] = ['.evident', '.other'].map((name) => outsidePackages(join(dir, 'checkout', name)));
  expect(one).toMatch(new RegExp(`^${join(dir, 'cache', 'evident')}/`));
  expect(other).not.toBe(one);
});
