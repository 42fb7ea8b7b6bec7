import type { Claim } from '../../src/contract/claim.ts';

/** One claim as somebody was shown it, by our steady clock. */
export interface ClaimReading {
  /** The server and the interface. */
  readonly via: string;
  readonly claim: Claim;
  /** When it was requested; on a stream, when it was looked at. */
  readonly from: number;
  readonly to: number;
}
