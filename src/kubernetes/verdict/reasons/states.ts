import { row } from './row.ts';

/** Reasons that are about what is proven of an object, whatever its kind. */
export const STATE_REASONS = {
  unreadable: row(
    null,
    'platform',
    'What the cluster says of it cannot be read.',
    'A field that the verdict needs has the wrong type, or is missing.',
  ),
  unrecognised: row(
    null,
    'platform',
    'The cluster says something of it that Evident does not know.',
    'A phase, condition or reason that is not in the catalogue.',
  ),
  contradictory: row(
    null,
    'platform',
    'The cluster says two things of it that cannot both be true.',
    'Fields of the status contradict each other.',
  ),
  no_conditions: row(
    null,
    'platform',
    'Nothing in it says whether it works.',
    'It has no conditions that are understood, and its operator is not in the table.',
  ),
  only_reported: row(
    null,
    'none',
    'It tells what happened once, and not how anything is now.',
    'An event explains other objects; it is about a moment in the past.',
  ),
  not_observed: row(
    'apply',
    'platform',
    'The cluster has not looked at it yet.',
    'No controller has written a status.',
  ),
  generation_behind: row(
    'apply',
    'platform',
    'The cluster has not taken up the newest change yet.',
    'The observed generation is behind metadata.generation, or missing.',
  ),
  reconciling: row(
    'apply',
    'platform',
    'The cluster works on it.',
    'A condition says that its controller is at work.',
  ),
  not_yet_ready: row(
    'readiness',
    'platform',
    'It is not ready yet.',
    'Its condition is False, for no reason that says it failed.',
  ),
  reconcile_failed: row(
    'apply',
    'user',
    'The cluster cannot do what it asks for.',
    'A condition says that its controller failed.',
  ),
  impaired: row(
    'runtime',
    'platform',
    'It works, and not as it should.',
    'A condition says that it is degraded.',
  ),
  out_of_sync: row(
    'apply',
    'user',
    'What runs is not what is asked for: the newest change is not applied.',
    'Its controller compared the two, and they differ.',
  ),
  health_unknown: row(
    null,
    'platform',
    'The cluster cannot tell how it is.',
    'Its controller says that it does not know, or says nothing that decides.',
  ),
  approval_wanted: row(
    'apply',
    'user',
    'It waits until somebody approves it.',
    'A proposal is ready and nobody has approved or refused it.',
  ),
  backup_failed: row(
    'runtime',
    'user',
    'It works, and its last backup failed.',
    'LastBackupSucceeded=False: serving is not concerned.',
  ),
  disk_full: row(
    'runtime',
    'user',
    'There is not enough space left on its storage.',
    'Its operator says that a disk is full.',
  ),
  secret_missing: row(
    'apply',
    'user',
    'The Secret that it should fill is not there.',
    'SecretDeleted: its source is gone; SecretMissing: it fills a Secret only if somebody else creates it.',
  ),
  being_deleted: row(
    'stop',
    'none',
    'It is being deleted.',
    'Somebody requested its deletion, which is under way.',
  ),
  paused: row(null, 'user', 'It is paused: changes wait until somebody resumes it.', 'Paused on purpose.'),
  scaled_to_zero: row(
    null,
    'none',
    'It is scaled to zero: nothing runs, as asked.',
    'Zero wanted, none observed.',
  ),
} as const;
