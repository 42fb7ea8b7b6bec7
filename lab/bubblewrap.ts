import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { installPackage } from './install.ts';

export const BUBBLEWRAP_MISSING = 'bubblewrap is not here: install it (Debian: apt-get install bubblewrap)';

/** True if bubblewrap is here, or could be had. */
export function hasBubblewrap(): boolean {
  if (isHere()) return true;
  installPackage('bubblewrap');
  return isHere();
}

const isHere = () => (process.env.PATH ?? '').split(delimiter).some((dir) => existsSync(join(dir, 'bwrap')));
