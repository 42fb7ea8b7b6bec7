import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal } from '../contract/refusal.ts';
import type { ClosableStore } from '../store/port.ts';
import { type Format, isData } from './output.ts';
import { NoStoreFound, problemOf, UsageError } from './print-problem.ts';
import { EXIT } from './proof/exit-code.ts';
import { databaseUrl, dataDirectory, openAsIs, type StoreOptions } from './store-options.ts';

/**
 * Prints an error that a person can mend as a sentence, or for a program as the problem object (RFC 9457).
 * The exit code tells a mistake in the command line from what is wrong elsewhere. Any other error is a defect of Evident, and is printed with its stack.
 */
export async function printRefusals(
  work: () => Promise<void>,
  output: Format | 'text' = 'text',
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    console.error(isData(output) ? JSON.stringify(problemOf(error)) : error.message);
    process.exitCode = error instanceof UsageError ? EXIT.refused : EXIT.failed;
  }
}

/** Opens an existing store as it is. */
export async function openExisting(options: StoreOptions): Promise<ClosableStore> {
  const dir = dataDirectory(options);
  if (databaseUrl(options) === undefined && !existsSync(join(dir, 'evident.db')))
    throw new NoStoreFound(
      `There is no database in ${dir}. Put the restored one there, or say with --data where it is.`,
    );
  return openAsIs(options);
}
