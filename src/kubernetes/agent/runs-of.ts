import type { ServiceEntry } from '../../contract/report.ts';
import type { CronJobRecord, JobRecord } from '../cache/workloads.ts';
import type { ClusterRecords } from '../observe/records.ts';

type Runs = Pick<ServiceEntry, 'job' | 'jobBefore'>;

/**
 * The last run of a CronJob and, while that is active, how the last one that finished ended: a run that has not finished
 * proves nothing, and neither does one of other images, which are another revision (S1). Jobs that are no longer there
 * are told by the CronJob's own times. Pure.
 */
export function runsOf(cron: CronJobRecord, records: ClusterRecords): Runs {
  if (cron.isSuspended) return { job: 'suspended' };
  const all = jobsOf(cron, records);
  const own = all.filter(({ images }) => isSame(images, cron.images));
  const last = newestBy(own, startOf);
  if (last === undefined && all.length > 0) return { job: 'none' };
  const fate = last === undefined ? fateByTimes(cron) : fateOf(last);
  if (fate !== 'active') return { job: fate };
  const finished = newestBy(
    own.filter((job) => fateOf(job) !== 'active'),
    endOf,
  );
  const before = finished === undefined ? null : fateOf(finished);
  if (before !== null && before !== 'active') return { job: 'active', jobBefore: before };
  return { job: 'active', jobBefore: own.length < all.length ? 'none' : succeededOnce(cron) };
}

function isSame(a: JobRecord['images'], b: JobRecord['images']): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

/** The runs that are under way, the oldest first. */
export const activeRuns = (cron: CronJobRecord, records: ClusterRecords): readonly JobRecord[] =>
  jobsOf(cron, records)
    .filter((job) => fateOf(job) === 'active')
    .toSorted((a, b) => (startOf(a) < startOf(b) ? -1 : 1));

const jobsOf = ({ uid, namespace }: CronJobRecord, records: ClusterRecords): readonly JobRecord[] =>
  [...records.records('Job', namespace)].filter(({ controller }) => controller?.uid === uid);

const succeededOnce = ({ lastSuccessAt }: CronJobRecord) => (lastSuccessAt === null ? 'none' : 'succeeded');

/** Nothing is active, so that a last run without a success after it did not succeed. */
function fateByTimes({ active, lastScheduleAt, lastSuccessAt }: CronJobRecord) {
  if (active.length > 0) return 'active';
  if (lastScheduleAt === null) return 'none';
  return lastSuccessAt !== null && Date.parse(lastSuccessAt) >= Date.parse(lastScheduleAt)
    ? 'succeeded'
    : 'failed';
}

function fateOf({ conditions }: JobRecord): 'failed' | 'succeeded' | 'active' {
  const has = (type: string) => conditions.some((one) => one.type === type && one.status === 'True');
  if (has('Failed')) return 'failed';
  return has('Complete') ? 'succeeded' : 'active';
}

/** By its start, and before that by its creation. */
const startOf = ({ startedAt, createdAt }: JobRecord) => startedAt ?? createdAt ?? '';

function endOf(job: JobRecord): string {
  const failed = job.conditions.find(({ type, status }) => type === 'Failed' && status === 'True');
  return job.completedAt ?? failed?.changedAt ?? startOf(job);
}

const newestBy = (jobs: readonly JobRecord[], at: (job: JobRecord) => string): JobRecord | undefined =>
  jobs.toSorted((a, b) => (at(a) < at(b) ? 1 : -1))[0];
