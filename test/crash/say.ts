import { writeSync } from 'node:fs';

/** Written to the pipe before it returns: what a caller was told, it was told, whatever happens next. */
export function say(line: unknown): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}
