/** One column of one stored row that is not what the ledger gives, or a row without which the ledger gives nothing. */
export interface Difference {
  readonly table: 'services' | 'attempts' | 'checkpoints' | 'transitions' | 'ledger' | 'revisions' | 'heads';
  readonly org: string;
  readonly service: string | null;
  /** The key of the row within the service. */
  readonly row: string;
  readonly column: string;
  readonly stored: unknown;
  readonly rebuilt: unknown;
  /** Nothing that is stored tells what stood there: only a backup does. */
  readonly damage: 'missing' | 'unreadable' | null;
}

/** Damage of what everything else is rebuilt from. */
export function damageOf(
  of: Pick<Difference, 'table' | 'org' | 'service' | 'row' | 'column'>,
  damage: 'missing' | 'unreadable',
): Difference {
  return { ...of, stored: null, rebuilt: null, damage };
}
