import type { Violation } from './oracle-port.ts';

/**
 * In memory a schedule never waits for real time: if Node comes to its own queue before the schedule has ended, a task
 * has the turn and waits for something that is no event. Told as a violation: left alone, Node ends the process or
 * thread without a word, and what was never run would pass for having been checked.
 */
export function orStalled(
  schedule: Promise<Violation | null>,
  where: () => string,
): Promise<Violation | null> {
  return new Promise((resolve, reject) => {
    const idle = setImmediate(() => {
      const detail = `${where()} has the turn and waits for something that is no event: nobody will give it back`;
      resolve({ invariant: 'no stall', detail });
    });
    schedule.then(resolve, reject).finally(() => clearImmediate(idle));
  });
}
