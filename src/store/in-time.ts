import { Unavailable } from './port.ts';

/** It had its time. What was asked goes on all the same. */
export class Late extends Unavailable {
  override readonly name = 'Late';
}

/** What is asked of the store, for one who cannot wait for it however long. */
export async function inTime<T>(asked: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    // An answer that is here already, and waited for this process rather than the other way round, counts.
    timer = setTimeout(() => setImmediate(() => fail(new Late('The store does not answer.'))), ms);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
