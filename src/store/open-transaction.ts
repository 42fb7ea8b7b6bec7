import { Conflict, type Tx } from './port.ts';
import { RETRIES } from './retries.ts';

/** A transaction under way: `transact` runs its work in one, and the simulator drives one by hand. */
export interface OpenTransaction {
  readonly tx: Tx;
  /** Makes every write durable. If this throws, the transaction is over. */
  commit(): Promise<void>;
  /** Discards every write. */
  rollback(): Promise<void>;
}

/** Runs `work` in a transaction, and runs all of it again in a new one as long as it loses races (F46). If the connection is cut
 * between two statements, the database rolls all of it back, and the caller repeats it whole (F57). */
export async function runWithRetries<T>(
  begin: () => OpenTransaction | Promise<OpenTransaction>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await runOnce(begin, work);
    } catch (error) {
      if (!(error instanceof Conflict) || attempt >= RETRIES) throw error;
    }
  }
}

async function runOnce<T>(
  begin: () => OpenTransaction | Promise<OpenTransaction>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const open = await begin();
  let result: T;
  try {
    result = await work(open.tx);
  } catch (error) {
    await open.rollback();
    throw error;
  }
  await open.commit();
  return result;
}
