import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * A program that a builder may put into an artifact: it puts what was installed there on the path, wherever the
 * artifact lies, and becomes the command that it is handed. Builders write it, runtimes start every command through it,
 * so that a command is found whoever named it: the spec, a Procfile, a builder.
 */
export const LAUNCHER = '.evident/run';

/** Where installed programs lie in an artifact, if it has any. */
export const INSTALLED_PROGRAMS = ['.venv/bin', 'node_modules/.bin'] as const;

/** The words that are started for a command, in the directory of its artifact. */
export function throughLauncher(dir: string, words: readonly string[]): string[] {
  return words.length > 0 && existsSync(join(dir, LAUNCHER)) ? [`./${LAUNCHER}`, ...words] : [...words];
}

/**
 * Where programs of this machine are found. Node's own directory is on it, so that `node` and `npm` are the ones that
 * Evident runs on. What npm puts there for the one who runs Evident is not: an app that was built or started with
 * another's tools would be found to lack them elsewhere.
 */
export function machinePath(path: string | undefined): string {
  const given = (path ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter);
  const ours = given.filter(
    (at) => at.startsWith('/') && !/\/node_modules\/(?:\.bin|.*node-gyp-bin)\/?$/.test(at),
  );
  return [...new Set([...ours, dirname(process.execPath)])].join(delimiter);
}
