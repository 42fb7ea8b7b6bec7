import { ProcessTable } from './processes.ts';

const TRIES = 50;

/** Ends every process of the run, by its number, until none is found; without waiting, so that it can be the last act. */
export function endApps(run: string): void {
  for (let tries = 0; tries < TRIES; tries++) {
    // A table of its own each time: one that has just become an app must not be taken for what it was before.
    const found = new ProcessTable(run).look(0);
    if (found.length === 0) return;
    for (const { pid } of found)
      try {
        process.kill(pid, 'SIGKILL');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
  }
}
