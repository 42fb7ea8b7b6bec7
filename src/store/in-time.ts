import { Unavailable } from './port.ts';

/** The time limit passed without an answer. The operation itself goes on. */
export class Late extends Unavailable {
  override readonly name = 'Late';
}

/** Waits for an operation of the store, but not longer than `ms`. */
export async function inTime<T>(asked: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    // `setImmediate` lets an answer count that has already arrived while this process was busy.
    timer = setTimeout(() => setImmediate(() => fail(new Late('The store does not answer.'))), ms);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
