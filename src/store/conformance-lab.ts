import type { Store } from './port.ts';
import type { HeadRow } from './schema.ts';

/** Creates an empty store on a clock that the suite moves. */
export type MakeStore = (clock: () => number) => Store | Promise<Store>;

/** `serial`: transactions run one after the other, so two of them never race. */
export interface Traits {
  readonly serial?: boolean;
  /**
   * A row that was read is cached by the transaction; a change by another one shows only when the row is
   * written.
   */
  readonly caches?: boolean;
}

export const headRow = (org: string, position: string): HeadRow => ({
  org,
  position,
  at: 0,
  recoveredAt: null,
  floor: 0,
});
