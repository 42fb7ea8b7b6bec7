import { Unavailable } from './port.ts';

/** The time limit passed without an answer. The operation itself goes on. */
export class StoreTimeout extends Unavailable {
  override readonly name = 'StoreTimeout';
}

/** Waits for an operation of the store, but not longer than `ms`. */
export async function withTimeLimit<T>(operation: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, fail) => {
    // `setImmediate` lets an answer count that has already arrived while this process was busy.
    timer = setTimeout(() => setImmediate(() => fail(new StoreTimeout('The store does not answer.'))), ms);
  });
  try {
    return await Promise.race([operation, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
