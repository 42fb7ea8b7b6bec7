import type { LeaseRow, LeaseRowEnd } from '../../store/schema.ts';
import type { OrgTransaction } from './org-transaction.ts';

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** Ends that are no fault of the holder: the command may be offered again at once. */
const BLAMELESS: ReadonlySet<LeaseRowEnd> = new Set(['registration', 'recovery']);

/**
 * The pause before a requeued command is offered again: none the first time, then twice as long each time up to a bound.
 * Up to half of it is taken off, by the lease's id, so that commands that failed together do not come back together.
 * Without it work that nobody can do is offered hundreds of times a second.
 */
export function requeueBackOffMs(
  { head }: OrgTransaction,
  { id, fence }: Pick<LeaseRow, 'id' | 'fence'>,
  end: LeaseRowEnd,
): number {
  // Every offer has a fence of its own, counted from the floor of the ledger.
  const offers = Number(fence) - Number(head.floor);
  if (BLAMELESS.has(end) || !(offers > 1)) return 0;
  const longest = Math.min(LONGEST_MS, FIRST_MS * 2 ** (offers - 2));
  return Math.round(longest * (1 - spread(id) / 2));
}

/** A number from 0 to 1, the same for the same name: a transaction that runs again decides alike. */
function spread(name: string): number {
  let hash = 2_166_136_261;
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619);
  return (hash >>> 0) / 2 ** 32;
}
