import { countAt, isThere, type ObjectFields, textAt } from '../fields.ts';
import { generationUnmet } from '../generation.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import { availabilityUnmet } from './availability.ts';
import { joinedWithCopies } from './copies.ts';
import type { KindLadder } from './ladder-context.ts';

export const judgeStatefulSet: KindLadder = (object, context) => {
  const wanted = countAt(object, 'spec.replicas') ?? 1;
  const status = (field: string) => countAt(object, `status.${field}`) ?? 0;
  const total = status('replicas');
  const count = { have: status('readyReplicas'), want: wanted };
  // Written since 1.22; before that, ready is all that is said.
  const available = countAt(object, 'status.availableReplicas') ?? count.have;
  const ruled = climb(
    [
      () => generationUnmet(object),
      () =>
        wanted === 0 && total === 0
          ? ruling('stopped', 'scaled_to_zero', '0 replicas wanted, none observed')
          : null,
      () =>
        total === wanted
          ? null
          : ruling('progressing', 'scaling', `${total} replicas, ${wanted} wanted`, count),
      () => availabilityUnmet({ ...count, available }, 'replicas'),
      () => updateUnmet(object, wanted, count),
    ],
    ready(`${Math.min(count.have, available)} of ${wanted} replicas are ready`),
  );
  return joinedWithCopies(ruled, object, context, wanted);
};

/**
 * Replicas of the newest template. With equal revisions the older counter may be the only one that is written; with a
 * partition only the replicas above it are updated, on purpose.
 */
function updateUnmet(object: ObjectFields, wanted: number, count: Ruling['count']): Ruling | null {
  const [current, newest] = [
    textAt(object, 'status.currentRevision'),
    textAt(object, 'status.updateRevision'),
  ];
  if (current === null && newest === null && !isThere(object, 'status.updatedReplicas'))
    return ruling('unknown', 'unreadable', 'status names no revision');
  const strategy = textAt(object, 'spec.updateStrategy.type') ?? 'RollingUpdate';
  const partition = countAt(object, 'spec.updateStrategy.rollingUpdate.partition') ?? 0;
  const updatedCount = countAt(object, 'status.updatedReplicas');
  const isOneRevision = current === newest;
  const currentCount = countAt(object, 'status.currentReplicas') ?? 0;
  const updated = isOneRevision ? Math.max(updatedCount ?? 0, currentCount) : (updatedCount ?? 0);
  const expected = Math.max(0, wanted - partition);
  if (updated >= expected && (isOneRevision || partition > 0 || strategy === 'OnDelete')) return null;
  const facts = `${updated} of ${expected} replicas are of revision ${newest ?? 'unknown'}, current is ${current ?? 'unknown'}`;
  return strategy === 'OnDelete'
    ? ruling('suspended', 'update_on_delete', facts, count)
    : ruling('progressing', 'updating', facts, count);
}
