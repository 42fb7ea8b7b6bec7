import { countAt, flagAt, type ObjectFields } from '../fields.ts';
import { generationUnmet } from '../generation.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';

/** Names the fields by which one kind counts its copies. A number that its status does not hold proves nothing: it counts as 0. */
interface CopiesOfKind {
  readonly wanted: (object: ObjectFields) => number | null;
  readonly total: string;
  readonly ready: string;
  readonly available: string;
  readonly updated: string;
  readonly partition: string;
  readonly paused: string;
}

const replicas = (object: ObjectFields) => countAt(object, 'spec.replicas') ?? 1;
const REPLICAS = {
  wanted: replicas,
  total: 'status.replicas',
  ready: 'status.readyReplicas',
  available: 'status.availableReplicas',
  updated: 'status.updatedReplicas',
} as const;
const OF_ROLLING_UPDATE = {
  partition: 'spec.updateStrategy.rollingUpdate.partition',
  paused: 'spec.updateStrategy.rollingUpdate.paused',
} as const;

/**
 * Its kinds count as those of Kubernetes do, and have no condition that sums them up. A partition holds back that many
 * copies on purpose; one in percent is resolved by the status of a CloneSet alone, and unreadable elsewhere.
 */
const judgeCopies =
  (kind: CopiesOfKind) =>
  (object: ObjectFields): Ruling => {
    const want = kind.wanted(object);
    const status = (path: string) => countAt(object, path) ?? 0;
    const [total, have, available] = [kind.total, kind.ready, kind.available].map(status) as [
      number,
      number,
      number,
    ];
    const count = { have: Math.min(have, available), want: want ?? 0 };
    const updated = () =>
      countAt(object, 'status.expectedUpdatedReplicas') ??
      Math.max(0, count.want - (countAt(object, kind.partition) ?? 0));
    return climb(
      [
        () => (flagAt(object, kind.paused) ? ruling('suspended', 'paused', `${kind.paused} is true`) : null),
        () => generationUnmet(object),
        () =>
          want === null
            ? ruling('progressing', 'not_observed', 'status.desiredNumberScheduled is missing')
            : null,
        () =>
          want === 0 && total === 0
            ? ruling('stopped', 'scaled_to_zero', '0 copies wanted, none observed')
            : null,
        () =>
          total === want ? null : ruling('progressing', 'scaling', `${total} copies, ${want} wanted`, count),
        () =>
          [kind.ready, kind.available, kind.updated].some((path) => status(path) > total)
            ? ruling('unknown', 'contradictory', `more than its ${total} copies are counted`)
            : null,
        () =>
          count.have < count.want
            ? ruling(
                'progressing',
                'not_available',
                `${have} ready and ${available} available of ${want}`,
                count,
              )
            : null,
        () =>
          status(kind.updated) < updated()
            ? ruling(
                'progressing',
                'updating',
                `${status(kind.updated)} of ${updated()} copies are updated`,
                count,
              )
            : null,
      ],
      ready(`${count.have} of ${want} copies are ready`),
    );
  };

const family = (name: string, kind: CopiesOfKind): CustomFamily => ({
  group: 'apps.kruise.io',
  kinds: [name],
  judge: judgeCopies(kind),
});

export const OPEN_KRUISE: readonly CustomFamily[] = [
  family('CloneSet', {
    ...REPLICAS,
    partition: 'spec.updateStrategy.partition',
    paused: 'spec.updateStrategy.paused',
  }),
  family('StatefulSet', { ...REPLICAS, ...OF_ROLLING_UPDATE }),
  family('DaemonSet', {
    wanted: (object) => countAt(object, 'status.desiredNumberScheduled'),
    total: 'status.currentNumberScheduled',
    ready: 'status.numberReady',
    available: 'status.numberAvailable',
    updated: 'status.updatedNumberScheduled',
    ...OF_ROLLING_UPDATE,
  }),
];
