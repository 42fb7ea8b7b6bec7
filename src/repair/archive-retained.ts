import type { Digits } from '../contract/digits.ts';
import { provenAt } from '../evidence/past/past.ts';
import type { Proven } from '../projection/facts.ts';
import { readable } from '../store/broken-row.ts';
import { lte, type ReadTx } from '../store/port.ts';
import type { CheckpointRow, RetentionRow } from '../store/schema.ts';

/** The rows of a service that must stay, so that every instant since the border is shown as it was. */
export interface RetainedRows {
  readonly checkpoint: CheckpointRow;
  readonly proven: Proven;
  /** Every text in the facts at the border: evidence that a later claim may cite is among it, or younger. */
  readonly mentioned: ReadonlySet<string>;
  /** The position of the newest transition at the border. */
  readonly last: Digits | null;
}

/** Null: the service is younger than the border. */
export async function retainedRows(
  tx: ReadTx,
  org: string,
  service: string,
  { keptFrom, position }: RetentionRow,
): Promise<RetainedRows | null> {
  const proven = await provenAt(tx, org, service, position);
  if (proven === null) return null;
  const newest = { order: 'position', descending: true, limit: 1 } as const;
  const [last] = await tx.select('transitions', { org, service, position: lte(position) }, newest);
  const mentioned = new Set<string>();
  collect(proven, mentioned);
  return {
    checkpoint: { org, service, position, receivedAt: keptFrom, proven },
    proven,
    mentioned,
    last: readable(last).position ?? null,
  };
}

/** Collects every text in the facts; the ids of evidence are among them. */
function collect(value: unknown, into: Set<string>): void {
  if (typeof value === 'string') into.add(value);
  else if (typeof value === 'object' && value !== null)
    for (const part of Object.values(value)) collect(part, into);
}
