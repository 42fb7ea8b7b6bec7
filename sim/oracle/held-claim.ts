import type { Claim } from '../../src/contract/claim.ts';
import type { BlindRow, LeaseRow, RevisionRow } from '../../src/store/schema.ts';
import type { OrgBook, ServiceBook } from './books.ts';
import type { RunningConditions } from './contract.ts';
import { withoutBlindness } from './lease-rules.ts';
import type { Sight } from './views.ts';

/** A claim, and everything that the oracle holds against it. */
export interface Held {
  readonly book: ServiceBook;
  readonly org: OrgBook;
  readonly claim: Claim;
  /** The store's clock, never behind the head of the ledger. */
  readonly now: number;
  readonly stamp: number;
  readonly revision: RevisionRow;
  readonly sight: Sight | null;
  readonly wanted: RunningConditions;
}

/** Time in which the platform itself was blind does not count: lease ends move by the overlap. */
export function movedEnd(lease: LeaseRow, ttlMs: number, blinds: readonly BlindRow[]): number {
  return withoutBlindness(lease.until - ttlMs, ttlMs, blinds);
}

export const iso = (at: number) => (Number.isFinite(at) ? new Date(at).toISOString() : 'never');
