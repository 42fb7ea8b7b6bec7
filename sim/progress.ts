import type { Tally } from './batch.ts';

const LOGGED_EVERY_MS = 60_000;

/** Prints the progress of a batch on stderr: one line that is written over on a terminal, else one a minute. */
export function showProgress(schedules: number): { readonly show: (sofar: Tally) => void; clear(): void } {
  const isTerminal = process.stderr.isTTY === true;
  let loggedAt = performance.now();
  return {
    show(sofar) {
      const done = `${sofar.schedules} of ${schedules} schedules, ${sofar.steps} steps`;
      if (isTerminal) {
        process.stderr.write(`\r${done}\x1b[K`);
        return;
      }
      if (performance.now() - loggedAt < LOGGED_EVERY_MS) return;
      loggedAt = performance.now();
      process.stderr.write(`${done}\n`);
    },
    clear: () => void (isTerminal && process.stderr.write('\r\x1b[K')),
  };
}
