import { fieldsAt, flagAt, isThere, type ObjectFields, own } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import { wordFamily } from './by-words.ts';
import type { CustomFamily } from './family.ts';

/** A snapshot says by a switch that it can be used, and by an error that it cannot yet. */
function judgeSnapshot(object: ObjectFields): Ruling {
  const message = own(fieldsAt(object, 'status.error'), 'message');
  return climb(
    [
      () => (isThere(object, 'status') ? null : ruling('progressing', 'not_observed', 'status is missing')),
      () =>
        isThere(object, 'status.error')
          ? ruling(
              'failed',
              'reconcile_failed',
              typeof message === 'string' ? message : 'status.error is set',
            )
          : null,
      () =>
        flagAt(object, 'status.readyToUse')
          ? null
          : ruling('progressing', 'not_yet_ready', 'status.readyToUse is not true'),
    ],
    ready('readyToUse', 'stored'),
  );
}

const RUN = {
  ready: ['Completed'],
  waits: [
    'New',
    'Queued',
    'ReadyToStart',
    'InProgress',
    'Finalizing',
    'FinalizingPartiallyFailed',
    'WaitingForPluginOperations',
    'WaitingForPluginOperationsPartiallyFailed',
    'Deleting',
  ],
  degraded: ['PartiallyFailed'],
  failed: ['Failed', 'FailedValidation'],
};

/** Snapshots of volumes, and backups of Velero. */
export const SNAPSHOTS: readonly CustomFamily[] = [
  {
    group: 'snapshot.storage.k8s.io',
    kinds: ['VolumeSnapshot', 'VolumeSnapshotContent'],
    judge: judgeSnapshot,
  },
  wordFamily({
    group: 'velero.io',
    kinds: ['Backup', 'Restore'],
    words: { 'status.phase': RUN },
    endsAs: 'ended',
  }),
  wordFamily({
    group: 'velero.io',
    kinds: ['BackupStorageLocation'],
    words: { 'status.phase': { ready: ['Available'], failed: ['Unavailable'] } },
  }),
  wordFamily({
    group: 'velero.io',
    kinds: ['Schedule'],
    words: { 'status.phase': { ready: ['Enabled'], waits: ['New'], failed: ['FailedValidation'] } },
  }),
];
