import type { Settings } from '../../projection/facts.ts';
import type { CachingTx } from '../../store/caching-tx.ts';
import type { HeadRow } from '../../store/schema.ts';

/** One transaction on the ledger of one org, behind the lock of the org's head. */
export interface OrgTransaction {
  readonly tx: CachingTx;
  readonly org: string;
  readonly settings: Settings;
  /**
   * The receipt time of everything in this transaction; never before an earlier one, whatever the store's
   * clock does (F35).
   */
  readonly at: number;
  /** The head as it was when the transaction locked it. It stays so until the door closes. */
  readonly head: HeadRow;
}
