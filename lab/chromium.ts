import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackage } from './install.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export const CHROMIUM_MISSING =
  'Chromium is not here: install it (Debian: apt-get install chromium), or set EVIDENT_TEST_CHROMIUM';

/** A browser to drive; null where there is none and none can be had. */
export function chromium(): string | null {
  const given = process.env.EVIDENT_TEST_CHROMIUM;
  if (given) return given;
  const found = find();
  if (found !== null) return found;
  installPackage('chromium');
  return find();
}

function find(): string | null {
  const path = (process.env.PATH ?? '').split(delimiter);
  const all = path.flatMap((dir) => NAMES.map((name) => join(dir, name)));
  return all.find((file) => existsSync(file)) ?? null;
}
