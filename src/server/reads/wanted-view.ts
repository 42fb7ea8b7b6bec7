import type { Claim } from '../../contract/claim.ts';
import type { Proven } from '../../projection/facts.ts';
import { isCounted, isReady } from '../../projection/instances.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { activeOf } from '../../projection/queue.ts';
import { readContract, shownCopies } from '../../projection/running-contract.ts';
import type { RevisionRow } from '../../store/schema.ts';

/**
 * The revision that a service should run: who asked for it, from which commit, and how many copies of it were ready by the
 * last report, where that could be judged. Made of rows that a list has read already. Null where its row cannot be read.
 */
export function wantedView(proven: Proven | null, row: RevisionRow | undefined) {
  if (row === undefined) return null;
  const { revision, kind, actor, git, origin, createdAt } = row;
  const workload = origin.kind === 'observe' ? origin.workload : undefined;
  return {
    ...{ revision, kind, actor },
    managedBy: workload?.managedBy ?? null,
    git: git ?? (workload?.commit == null ? null : { sha: workload.commit }),
    createdAt: rfc3339(createdAt),
    copies: copiesOf(proven, row),
  };
}

function copiesOf(proven: Proven | null, row: RevisionRow) {
  const active = proven === null ? undefined : activeOf(proven);
  if (proven === null || active?.revision !== row.revision || proven.observed.parts.length === 0) return null;
  const reading = readContract(row, active, proven.observed);
  // Copies on a silent node are not known to be ready, and nobody saw them not be: 0 of 2 would be untrue.
  if (reading.opaque !== null && reading.ready < reading.wanted) return null;
  return shownCopies(reading);
}

/**
 * The ready copies of the revision that serves while another is wanted, by the last report. Null where none is known by its
 * revision, as in a cluster that is only observed, and where a third revision has ready copies: a scaling keeps those of the
 * one before it, and only its record, which a list does not read, says that they count.
 */
export function servingCopies(proven: Proven | null, { serving, desired }: Claim): number | null {
  if (proven === null || serving === null || serving.revision === desired.revision) return null;
  const instances = proven.observed.parts.flatMap((part) => part.instances);
  const ready = instances.filter((i) => i.revision !== desired.revision && isCounted(i) && isReady(i));
  const isOfOne = ready.every(({ revision }) => revision === serving.revision);
  return isOfOne && ready.length > 0 ? ready.length : null;
}
