/** One column of a stored row that differs from the ledger, or damage of a row that the ledger needs. */
export interface RowDifference {
  readonly table: 'services' | 'attempts' | 'checkpoints' | 'transitions' | 'ledger' | 'revisions' | 'heads';
  readonly org: string;
  readonly service: string | null;
  /** The key of the row within the service. */
  readonly row: string;
  readonly column: string;
  readonly stored: unknown;
  readonly rebuilt: unknown;
  /** Set if the right value cannot be recomputed from stored rows: only a backup has it. */
  readonly damage: 'missing' | 'unreadable' | null;
}

/** Damage of a row from which everything else is rebuilt. */
export function damageOf(
  of: Pick<RowDifference, 'table' | 'org' | 'service' | 'row' | 'column'>,
  damage: 'missing' | 'unreadable',
): RowDifference {
  return { ...of, stored: null, rebuilt: null, damage };
}
