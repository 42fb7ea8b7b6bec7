import { conditionFacts, conditionsOf } from '../conditions.ts';
import { countAt, type ObjectFields, textAt } from '../fields.ts';
import { climb } from '../ladder.ts';
import { type Ruling, ready, ruling } from '../verdict.ts';
import type { CustomFamily } from './family.ts';
import { annotationOf, type PhaseTable, phaseUnmet } from './reading.ts';

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
  'Cluster is unrecoverable and needs manual intervention': ['failed', 'reconcile_failed'],
  'Cluster is in an unrecoverable state, needs manual intervention': ['failed', 'reconcile_failed'],
};

/** No observed generation is written: the number of instances and the image say whether a change is taken up. */
function judgeCluster(object: ObjectFields): Ruling {
  const conditions = conditionsOf(object);
  const wanted = countAt(object, 'spec.instances') ?? 1;
  const status = (field: string) => countAt(object, `status.${field}`) ?? 0;
  const count = { have: status('readyInstances'), want: wanted };
  const [hibernation, proof, archiving] = ['cnpg.io/hibernation', 'Ready', 'ContinuousArchiving'].map(
    (type) => conditions.get(type),
  );
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
      () => phaseUnmet(object, 'status.phase', PHASES),
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
    ],
    ready(`${count.have} of ${wanted} instances are ready`),
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
];
