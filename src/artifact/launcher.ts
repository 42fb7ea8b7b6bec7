import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * A program that a builder may put into an artifact. It adds the artifact's installed programs to the search
 * path, wherever the artifact lies, and then becomes the command it is passed. Builders write it and runtimes
 * start every command through it, so a command is found whether the spec, a Procfile or a builder named it.
 */
export const LAUNCHER = '.evident/run';

/** Names the folder of the app in its artifact, where that is not the top; the launcher starts commands in it. */
export const APP_FOLDER = '.evident/folder';

/** The folder that commands of an artifact are started in. A name that leads out of the artifact counts as none. */
export function appFolder(dir: string): string {
  if (!existsSync(join(dir, APP_FOLDER))) return dir;
  const folder = join(dir, readFileSync(join(dir, APP_FOLDER), 'utf8').trim());
  return folder.startsWith(`${dir}/`) ? folder : dir;
}

/** Folders of an artifact that can hold installed programs. */
export const INSTALLED_PROGRAMS = ['.venv/bin', 'node_modules/.bin'] as const;

/** The argv that starts a command in the directory of its artifact. */
export function throughLauncher(dir: string, words: readonly string[]): string[] {
  return words.length > 0 && existsSync(join(dir, LAUNCHER)) ? [`./${LAUNCHER}`, ...words] : [...words];
}

/**
 * The search path for programs of this machine. Node's own directory is on it, so that `node` and `npm` are
 * the ones that Evident runs on. Entries that npm added for the person who runs Evident are removed: an app
 * built or started with that person's tools would lack them on another machine.
 */
export function machinePath(path: string | undefined): string {
  const folders = (path ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter);
  const ours = folders.filter(
    (at) => at.startsWith('/') && !/\/node_modules\/(?:\.bin|.*node-gyp-bin)\/?$/.test(at),
  );
  return [...new Set([...ours, dirname(process.execPath)])].join(delimiter);
}
