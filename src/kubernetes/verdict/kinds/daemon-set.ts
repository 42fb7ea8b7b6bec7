import { countAt, textAt } from '../fields.ts';
import { generationUnmet } from '../generation.ts';
import { climb } from '../ladder.ts';
import { ready, ruling } from '../verdict.ts';
import { availabilityUnmet } from './availability.ts';
import { joinedWithCopies } from './copies.ts';
import type { KindLadder } from './ladder-context.ts';

export const judgeDaemonSet: KindLadder = (object, context) => {
  const status = (field: string) => countAt(object, `status.${field}`) ?? 0;
  const desired = countAt(object, 'status.desiredNumberScheduled');
  const wanted = desired ?? 0;
  const [placed, updated] = [status('currentNumberScheduled'), status('updatedNumberScheduled')];
  // A node that is silent or no longer selected still has its pod: that is not nothing.
  const misplaced = status('numberMisscheduled');
  const count = { have: status('numberReady'), want: wanted };
  const available = Math.min(count.have, status('numberAvailable'));
  const isOnDelete = textAt(object, 'spec.updateStrategy.type') === 'OnDelete';
  const ruled = climb(
    [
      () => generationUnmet(object),
      () =>
        desired === null
          ? ruling('progressing', 'not_observed', 'status.desiredNumberScheduled is missing')
          : null,
      () =>
        wanted === 0 && placed + misplaced === 0
          ? ruling('stopped', 'no_node_selected', '0 nodes selected, none has a pod')
          : null,
      () =>
        wanted === 0
          ? ruling('progressing', 'scaling', `0 nodes selected, ${placed + misplaced} have a pod`)
          : null,
      () =>
        placed < wanted
          ? ruling('progressing', 'scaling', `${placed} of ${wanted} nodes have a pod`, count)
          : null,
      () =>
        updated < wanted && !isOnDelete
          ? ruling('progressing', 'updating', `${updated} of ${wanted} nodes are updated`, count)
          : null,
      () => availabilityUnmet({ ...count, available, unavailable: status('numberUnavailable') }, 'nodes'),
      () =>
        updated < wanted
          ? ruling('suspended', 'update_on_delete', `${updated} of ${wanted} nodes are updated`, count)
          : null,
    ],
    ready(`${available} of ${wanted} nodes are available`),
  );
  return joinedWithCopies(ruled, object, context, wanted);
};
