import { existsSync } from 'node:fs';
import { join } from 'node:path';

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
