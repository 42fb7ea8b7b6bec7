import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { UsageError } from '../print-problem.ts';

/** Reads the lines NAME=value of a file, as Node's own option `--env-file` does. */
export function readEnvFile(file: string): Readonly<Record<string, string>> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  const found = parseEnv(text) as Record<string, string>;
  if (Object.keys(found).length === 0)
    throw new UsageError(`${file} holds no variable. A line is NAME=value.`);
  return found;
}
