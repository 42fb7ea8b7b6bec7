import { intact, readable, type Stored } from '../../store/broken-row.ts';
import { canonicalJson } from '../../store/canonical.ts';
import { lt, type ReadTx } from '../../store/port.ts';
import type { RevisionRow } from '../../store/schema.ts';
import { attemptsOf, builtIn } from './built.ts';

/** Bounds the succeeded revisions that are read at a time. Almost always the first one is the answer. */
const PAGES = [1, 8, 64, 512] as const;

/**
 * The revision that a rollback without a number goes to: the newest that succeeded, should run, was applied by an
 * agent of ours, is older than the one whose content is active, and differs from it in artifact or configuration.
 * A rollback's content is its source's, so that rolling back twice goes further back; a restart's is its base's, so
 * that a rollback never goes to the code that it is to leave.
 *
 * Looks at a bounded number of revisions: a service whose last 585 deployments were all the same has nothing to
 * roll back to.
 */
export async function lastGood(
  tx: ReadTx,
  org: string,
  service: string,
  active: RevisionRow,
): Promise<RevisionRow | undefined> {
  const [attempts] = await tx.readAll([attemptsOf(org, service, active.revision)]);
  const content = contentOf(active, attempts);
  let below = active.contentOf ?? active.revision;
  for (const limit of PAGES) {
    const succeeded = await tx.select(
      'attempts',
      { org, service, outcome: 'succeeded', revision: lt(below) },
      { order: 'revision', descending: true, limit },
    );
    const numbers = succeeded.flatMap((row) => {
      const { revision, kind } = readable(row);
      return revision === undefined || kind === 'teardown' ? [] : [revision];
    });
    const [rows, ...built] = await tx.readAll([
      { table: 'revisions', keys: numbers.map((revision) => ({ org, service, revision })) },
      ...numbers.map((revision) => attemptsOf(org, service, revision)),
    ]);
    for (const [i, revision] of numbers.entries()) {
      const row = intact(
        (rows as Stored<'revisions'>[]).find((found) => readable(found).revision === revision),
      );
      if (row === undefined || row.replicas === 0 || row.origin.kind === 'observe') continue;
      if (content === null || contentOf(row, built[i] ?? []) !== content) return row;
    }
    const last = readable(succeeded.at(-1)).revision;
    if (succeeded.length < limit || last === undefined) return undefined;
    below = last;
  }
  return undefined;
}

/** Artifact and configuration as one text, replicas apart; null while there is no artifact to compare. */
function contentOf(row: RevisionRow, attempts: readonly Stored<'attempts'>[]): string | null {
  const { origin, spec } = row;
  const named = origin.kind === 'artifact' ? origin.digest : origin.kind === 'image' ? origin.image : null;
  const artifact = builtIn(attempts)?.artifact ?? named;
  const { replicas: _replicas, ...configuration } = spec;
  return artifact === null ? null : canonicalJson([artifact, configuration]);
}
