import type { Digits } from './digits.ts';

/** The places that a target's name has stood for: a place has an identity of its own, and may be exchanged for another. */
export interface Places {
  /** The last of them in order, the current one last: a place may return. */
  readonly runs: readonly PlaceRun[];
  /** Places that are no more, as an operator has said. */
  readonly retired: readonly { readonly identity: string; readonly at: number }[];
}

/** A place, and its first registration since another had the name. */
export interface PlaceRun {
  readonly identity: string;
  readonly epoch: Digits;
  readonly position: Digits;
  readonly at: number;
  /**
   * The instants that its last reports were as of, written when another place takes the name: a report that changes
   * nothing leaves no row. Absent of the current place, and in rows from before they were kept.
   */
  readonly lastReports?: readonly { readonly scope: string; readonly asOf: number }[];
}
