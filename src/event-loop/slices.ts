import { setImmediate } from 'node:timers/promises';

/**
 * The longest that one piece of work keeps the thread. Renewals of leases and events of streams wait for the same
 * thread (F41, F80).
 */
const SLICE_MS = 8;

/** Calls `step` until it returns false, and gives the thread to others whenever a slice is used up. */
export async function inSlices(step: () => boolean, lookEvery = 16): Promise<void> {
  let since = performance.now();
  for (let n = 1; step(); n++) {
    // Reading the clock costs as much as a small step.
    if (n % lookEvery !== 0 || performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
}

/**
 * The same for work that is no loop of steps. The work calls what this returns now and then, and awaits it: a promise
 * when a slice is used up, undefined before.
 */
export function yieldingWhenDue(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < SLICE_MS) return undefined;
    return setImmediate().then(() => {
      since = performance.now();
    });
  };
}

/**
 * For several long pieces of work that share the thread and are not urgent. Each awaits its turn; one goes on in each
 * turn of the event loop, in the order of their calls. Rejected: `yieldingWhenDue`, because all that wait then go on in
 * the same turn of the loop.
 */
export function takingTurns(): () => Promise<void> {
  let line = Promise.resolve();
  return () => {
    line = line.then(() => setImmediate());
    return line;
  };
}
