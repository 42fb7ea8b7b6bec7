import { intact, readable } from '../../store/broken-row.ts';
import { lt, type ReadTx } from '../../store/port.ts';
import type { RevisionRow } from '../../store/schema.ts';

/**
 * The revision that a rollback without a number goes to: the newest below the active one that succeeded, should run
 * and was applied by an agent of ours. Almost always the first that is read.
 */
export async function lastGood(
  tx: ReadTx,
  org: string,
  service: string,
  active: number,
): Promise<RevisionRow | undefined> {
  let below = active;
  for (;;) {
    const [next] = await tx.select(
      'attempts',
      { org, service, outcome: 'succeeded', revision: lt(below) },
      { order: 'revision', descending: true, limit: 1 },
    );
    const { revision, kind } = readable(next);
    if (revision === undefined) return undefined;
    below = revision;
    const row =
      kind === 'teardown' ? undefined : intact(await tx.get('revisions', { org, service, revision }));
    if (row !== undefined && row.replicas > 0 && row.origin.kind !== 'observe') return row;
  }
}
