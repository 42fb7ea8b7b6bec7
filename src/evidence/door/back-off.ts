import type { LeaseRow, LeaseRowEnd } from '../../store/schema.ts';
import type { OrgTransaction } from './org-transaction.ts';

const FIRST_MS = 250;
const LONGEST_MS = 30_000;
/** Through no fault of whoever held it: who comes next may do it at once. */
const BLAMELESS: ReadonlySet<LeaseRowEnd> = new Set(['registration', 'recovery']);

/**
 * How long a command that is queued again stays there before it is offered once more: not at all the first time, then
 * twice as long each time up to a bound. Up to half of it is taken off, by what the lease is called, so that many that
 * failed together do not come back together. Without it work that nobody can do is offered hundreds of times a second.
 */
export function pauseAfter({ head }: OrgTransaction, { id, fence }: LeaseRow, end: LeaseRowEnd): number {
  // Every offer has a fence of its own, counted from the floor of the ledger.
  const offers = Number(fence) - Number(head.floor);
  if (BLAMELESS.has(end) || !(offers > 1)) return 0;
  const whole = Math.min(LONGEST_MS, FIRST_MS * 2 ** (offers - 2));
  return Math.round(whole * (1 - spread(id) / 2));
}

/** From 0 to 1, the same for the same name: what is decided twice is decided alike. */
function spread(name: string): number {
  let hash = 2_166_136_261;
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619);
  return (hash >>> 0) / 2 ** 32;
}
