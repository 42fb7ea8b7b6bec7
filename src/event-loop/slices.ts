import { setImmediate } from 'node:timers/promises';

/** Leases are renewed and streams told in this one thread: no work may keep it longer (F41, F80). */
const SLICE_MS = 8;

/** Calls `step` until it says that there is no more, and lets others have their turn in between. */
export async function inSlices(step: () => boolean, lookEvery = 16): Promise<void> {
  let since = performance.now();
  for (let n = 1; step(); n++) {
    // Looking at the clock costs as much as a small step.
    if (n % lookEvery !== 0 || performance.now() - since < SLICE_MS) continue;
    await setImmediate();
    since = performance.now();
  }
}

/** The same for work that is no loop of steps: whoever does it asks now and then, and waits only when it is time. */
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
 * For many who each have much to do, and none of whom is in a hurry: in each turn of the loop one of them goes on, in
 * the order in which they asked. Rejected: the slice above, which all who wait for it begin together.
 */
export function takingTurns(): () => Promise<void> {
  let line = Promise.resolve();
  return () => {
    line = line.then(() => setImmediate());
    return line;
  };
}
