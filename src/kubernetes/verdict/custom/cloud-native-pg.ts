import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, fieldsAt, flagAt, isThere, type ObjectFields, own, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { annotationOf, type PhaseTable, phaseUnmet, timeAt } from './reading.ts';

/** The phase is a sentence. */
const PHASES: PhaseTable = {
  'Cluster in healthy state': 'met',
  'Setting up primary': ['progressing', 'creating'],
  'Creating a new replica': ['progressing', 'scaling'],
  'Waiting for the instances to become active': ['progressing', 'not_available'],
  'Promoting to primary cluster': ['progressing', 'reconciling'],
  'Upgrading cluster': ['progressing', 'updating'],
  'Upgrading Postgres major version': ['progressing', 'updating'],
  'Online upgrade in progress': ['progressing', 'updating'],
  'Applying configuration': ['progressing', 'reconciling'],
  'Primary instance is being restarted in-place': ['progressing', 'reconciling'],
  'Primary instance is being restarted without a switchover': ['progressing', 'reconciling'],
  'Switchover in progress': ['progressing', 'reconciling'],
  'Cluster upgrade delayed': ['progressing', 'updating'],
  'Failing over': ['degraded', 'impaired'],
  'Waiting for user action': ['degraded', 'impaired'],
  'Unable to create required cluster objects': ['failed', 'reconcile_failed'],
  'Cluster cannot proceed to reconciliation due to an unknown plugin being required': [
    'failed',
    'reconcile_failed',
  ],
  'Cluster cannot execute instance online upgrade due to missing architecture binary': [
    'failed',
    'reconcile_failed',
  ],
  'Cluster has incomplete or invalid image catalog': ['failed', 'reconcile_failed'],
  'Cluster cannot proceed to reconciliation due to an error while interacting with plugins': [
    'failed',
    'reconcile_failed',
  ],
  'Not enough disk space': ['failed', 'disk_full'],
  'Cluster is unrecoverable and needs manual intervention': ['failed', 'reconcile_failed'],
  'Cluster is in an unrecoverable state, needs manual intervention': ['failed', 'reconcile_failed'],
};

/** No observed generation is written: the number of instances and the image say whether a change is taken up. */
function judgeCluster(object: ObjectFields): Ruling {
  const conditions = conditionsOf(object);
  const wanted = countAt(object, 'spec.instances') ?? 1;
  const status = (field: string) => countAt(object, `status.${field}`) ?? 0;
  const count = { have: status('readyInstances'), want: wanted };
  const [hibernation, proof, archiving, identified, backup] = [
    'cnpg.io/hibernation',
    'Ready',
    'ContinuousArchiving',
    'ConsistentSystemID',
    'LastBackupSucceeded',
  ].map((type) => conditions.get(type));
  const [image, wantedImage] = [textAt(object, 'status.image'), textAt(object, 'spec.imageName')];
  return climb(
    [
      () =>
        annotationOf(object, 'cnpg.io/reconciliationLoop') === 'disabled' || hibernation?.status === 'True'
          ? ruling('suspended', 'paused', 'its reconciliation is disabled, or it hibernates')
          : null,
      () =>
        annotationOf(object, 'cnpg.io/hibernation') === 'on' || hibernation !== undefined
          ? ruling('progressing', 'reconciling', 'its hibernation begins or ends')
          : null,
      () => whereItServes(phaseUnmet(object, 'status.phase', PHASES), count.have),
      () => primaryUnmet(object),
      () => partsUnmet(object),
      () =>
        status('instances') !== wanted
          ? ruling('progressing', 'scaling', `${status('instances')} instances, ${wanted} wanted`, count)
          : null,
      () =>
        count.have < wanted
          ? ruling('progressing', 'not_available', `${count.have} of ${wanted} instances are ready`, count)
          : null,
      () =>
        image && wantedImage && image !== wantedImage
          ? ruling('progressing', 'updating', `image ${image}, ${wantedImage} wanted`, count)
          : null,
      () =>
        proof === undefined || proof.status === 'True'
          ? null
          : ruling('progressing', 'not_yet_ready', conditionFacts(proof), count),
      () =>
        archiving?.status === 'False' ? ruling('degraded', 'impaired', conditionFacts(archiving)) : null,
      () =>
        identified?.status === 'False' ? ruling('degraded', 'impaired', conditionFacts(identified)) : null,
      () =>
        isFenced(object)
          ? ruling('degraded', 'impaired', 'the annotation cnpg.io/fencedInstances is set')
          : null,
      () => (backup?.status === 'False' ? ruling('degraded', 'backup_failed', conditionFacts(backup)) : null),
    ],
    ready(`${count.have} of ${wanted} instances are ready`),
  );
}

/** What the operator cannot do leaves the instances that are ready as they are; what is lost is lost. */
function whereItServes(unmet: Ruling | null, readyInstances: number): Ruling | null {
  if (unmet?.verdict !== 'failed' || readyInstances === 0 || /unrecoverable/.test(unmet.facts)) return unmet;
  return { ...unmet, verdict: 'degraded' };
}

/** Until the instance that is to be the primary is it, one hands over to the other, and writes may be refused. */
function primaryUnmet(object: ObjectFields): Ruling | null {
  const [target, current] = ['status.targetPrimary', 'status.currentPrimary'].map((path) =>
    textAt(object, path),
  );
  if (textAt(object, 'status.currentPrimaryFailingSinceTimestamp'))
    return ruling('degraded', 'impaired', `the primary ${current ?? 'instance'} is failing`);
  return target && target !== current
    ? ruling('progressing', 'reconciling', `primary ${current ?? 'none'}, ${target} is to be it`)
    : null;
}

/** Instances that failed, and volumes that cannot be used or grow. */
function partsUnmet(object: ObjectFields): Ruling | null {
  const [failed, unusable, resizing] = ['instancesStatus.failed', 'unusablePVC', 'resizingPVC'].map((field) =>
    namesAt(object, `status.${field}`),
  );
  if (failed) return ruling('degraded', 'impaired', `instances failed: ${failed}`);
  if (unusable) return ruling('degraded', 'impaired', `volumes cannot be used: ${unusable}`);
  return resizing ? ruling('progressing', 'volume_resizing', `volumes are resized: ${resizing}`) : null;
}

function namesAt(object: ObjectFields, path: string): string {
  const [field = '', ...rest] = path.split('.').reverse();
  const names = own(fieldsAt(object, rest.reverse().join('.')), field);
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string').join(', ') : '';
}

const isFenced = (object: ObjectFields) =>
  !['', '[]'].includes((annotationOf(object, 'cnpg.io/fencedInstances') ?? '').replace(/\s/g, ''));

/** It says when it last began a backup, and not how that ended. */
function judgeScheduledBackup(object: ObjectFields): Ruling {
  if (flagAt(object, 'spec.suspend')) return ruling('suspended', 'runs_suspended', 'spec.suspend is true');
  const last = timeAt(object, 'status.lastScheduleTime');
  return last === null
    ? ruling('progressing', 'not_observed', 'it has not run yet')
    : ruling('unknown', 'health_unknown', 'it does not say how its last backup ended');
}

/**
 * Databases, publications and subscriptions. Their observed generation is written by a success only, so that one that is
 * behind is of a change that waits, or of a first try that is tried again.
 */
function judgeApplied(object: ObjectFields): Ruling {
  const message = textAt(object, 'status.message');
  return climb(
    [
      () =>
        isThere(object, 'status.applied')
          ? null
          : ruling('progressing', 'not_observed', 'status.applied is missing'),
      () =>
        (countAt(object, 'status.observedGeneration') ?? 0) < (countAt(object, 'metadata.generation') ?? 0)
          ? ruling('progressing', 'generation_behind', message || 'its newest generation is not applied yet')
          : null,
      () =>
        flagAt(object, 'status.applied')
          ? null
          : ruling('failed', 'reconcile_failed', message || 'status.applied is false'),
    ],
    ready('applied', 'stored'),
  );
}

const BACKUP_PHASES: PhaseTable = {
  completed: 'met',
  pending: ['progressing', 'job_waiting'],
  started: ['progressing', 'job_running'],
  running: ['progressing', 'job_running'],
  finalizing: ['progressing', 'job_running'],
  failed: ['failed', 'job_failed'],
  walArchivingFailing: ['failed', 'job_failed'],
};

const judgeBackup = (object: ObjectFields) =>
  climb([() => phaseUnmet(object, 'status.phase', BACKUP_PHASES)], ready('phase completed', 'ended'));

export const CLOUD_NATIVE_PG: readonly CustomFamily[] = [
  { group: 'postgresql.cnpg.io', kinds: ['Cluster'], judge: judgeCluster },
  { group: 'postgresql.cnpg.io', kinds: ['Backup'], judge: judgeBackup },
  { group: 'postgresql.cnpg.io', kinds: ['ScheduledBackup'], judge: judgeScheduledBackup },
  {
    group: 'postgresql.cnpg.io',
    kinds: ['Database', 'Publication', 'Subscription'],
    judge: judgeApplied,
  },
];
