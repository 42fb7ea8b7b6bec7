import { existsSync, readdirSync } from 'node:fs';

/** Files below a folder, as paths from the root with forward slashes. A folder that is not there has none. */
export function filesIn(folder: string, ending: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .sort();
}
