import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/**
 * A directory for apps that has no package of Evident above it. Node looks for packages, and for a module's
 * type, in every folder above a file: an app inside Evident's checkout (`npm start` keeps its data there)
 * would find Evident's own, and would run here and nowhere else. Such data goes into the user's cache
 * instead, separate for each data directory.
 */
export function outsidePackages(dir: string): string {
  if (!isInsidePackage(dir)) return dir;
  const caches = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const which = createHash('sha256').update(dir).digest('hex').slice(0, 12);
  const outside = join(caches, 'evident', which);
  return isInsidePackage(outside) ? dir : outside;
}

function isInsidePackage(dir: string): boolean {
  if (['node_modules', 'package.json'].some((name) => existsSync(join(dir, name)))) return true;
  const parent = dirname(dir);
  return parent !== dir && isInsidePackage(parent);
}
