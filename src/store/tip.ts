import { randomBytes } from 'node:crypto';

/** No head has this: its row is from before tips were written. */
export const NO_TIP = '';

const BYTES = 8;
const POOL = 512 * BYTES;
let pool = Buffer.alloc(0);
let used = 0;

/**
 * The tip of a ledger after a commit. Rejected: a counter, which a restored database would issue again over other rows.
 */
export function newTip(): string {
  if (used + BYTES > pool.length) {
    pool = randomBytes(POOL);
    used = 0;
  }
  used += BYTES;
  return pool.toString('hex', used - BYTES, used);
}
