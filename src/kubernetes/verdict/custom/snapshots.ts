import { countAt, fieldsAt, flagAt, isThere, type ObjectFields, own, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import { wordFamily } from './by-words.ts';
import type { CustomFamily } from './family.ts';
import { intervalOf, lookUnmet, runUnmet } from './schedules.ts';

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

function errorsUnmet(object: ObjectFields): Ruling | null {
  const errors = countAt(object, 'status.errors') ?? 0;
  return errors > 0 ? ruling('degraded', 'impaired', `phase Completed, with ${errors} errors`) : null;
}

/** A message is there only while the place cannot be reached. */
function messageUnmet(object: ObjectFields): Ruling | null {
  const message = textAt(object, 'status.message');
  return message ? ruling('unknown', 'contradictory', `phase Available, and ${message}`) : null;
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
    unmet: errorsUnmet,
  }),
  wordFamily({
    group: 'velero.io',
    kinds: ['BackupStorageLocation'],
    words: { 'status.phase': { ready: ['Available'], failed: ['Unavailable'] } },
    unmet: (object, now) =>
      messageUnmet(object) ??
      lookUnmet(object, {
        every: intervalOf(textAt(object, 'spec.validationFrequency') ?? '24h'),
        last: 'status.lastValidationTime',
        now,
      }),
  }),
  wordFamily({
    group: 'velero.io',
    kinds: ['Schedule'],
    words: { 'status.phase': { ready: ['Enabled'], waits: ['New'], failed: ['FailedValidation'] } },
    unmet: (object, now) =>
      runUnmet(object, {
        schedules: [textAt(object, 'spec.schedule') ?? ''],
        last: 'status.lastBackup',
        now,
      }),
  }),
];
