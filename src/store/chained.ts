import type { OpenTransaction } from './open-transaction.ts';
import { type ChainedWrite, CLOCK_SLACK_MS, Conflict, type Tx } from './port.ts';

/**
 * Writes a chained group, statement by statement: for stores to which a statement costs no round trip. The head comes
 * first: behind its row the group waits for every other writer of the org.
 */
export async function writeChainedIn(open: OpenTransaction, group: ChainedWrite): Promise<boolean> {
  try {
    if (!(await writeAll(open.tx, group))) {
      await open.rollback();
      return false;
    }
  } catch (error) {
    await open.rollback();
    // A deadlock with a writer that holds no head: it wrote nothing, and the locked path will.
    if (error instanceof Conflict) return false;
    throw error;
  }
  await open.commit();
  return true;
}

/**
 * The same for a database that writes many rows with one statement: they go out with the commit, which fails if a key
 * exists or a row does not match.
 */
export async function writeChainedAtOnce(
  open: OpenTransaction,
  { org, believed, head, now, appends, updates }: ChainedWrite,
  isKeyTaken: (error: unknown) => boolean,
): Promise<boolean> {
  const { tx } = open;
  try {
    const moved = await tx.update('heads', { org }, { ...believed }, head);
    if (moved === 0 || Math.abs((await tx.now()) - now) > CLOCK_SLACK_MS) {
      await open.rollback();
      return false;
    }
    for (const { table, row } of appends) await tx.append(table, row);
    for (const some of updates) await tx.updateOrFail(some);
  } catch (error) {
    await open.rollback();
    if (isRefusal(error)) return false;
    throw error;
  }
  try {
    await open.commit();
  } catch (error) {
    if (isRefusal(error)) return false;
    throw error;
  }
  return true;

  function isRefusal(error: unknown): boolean {
    return error instanceof Conflict || isKeyTaken(error);
  }
}

async function writeAll(
  tx: Tx,
  { org, believed, head, now, appends, updates }: ChainedWrite,
): Promise<boolean> {
  // mutant: chained-believes
  const expect = { ...believed };
  if ((await tx.update('heads', { org }, expect, head)) === 0) return false;
  // The clock behind the head's lock: a writer that was stopped before must not write into a time that it slept through.
  if (Math.abs((await tx.now()) - now) > CLOCK_SLACK_MS) return false;
  for (const { table, row } of appends) if (!(await tx.insert(table, row))) return false;
  for (const some of updates) if ((await tx.updateAll(some)).includes(0)) return false;
  return true;
}
