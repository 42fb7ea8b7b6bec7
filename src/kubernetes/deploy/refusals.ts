import { stampText } from '../../runtime/stamp.ts';
import { ApplyRefused } from '../../runtime/supervise/apply-refused.ts';
import { ApiFailure, type FieldConflict } from '../api/problem.ts';
import type { DeployedMarks } from './marks.ts';

/** Names an object as people and kubectl do: `Deployment web`. */
interface ObjectName {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

const named = ({ kind, namespace, name }: ObjectName) => `${kind} ${name} in namespace ${namespace}`;

export const olderThan = ({ service, stamp }: DeployedMarks, found: DeployedMarks): ApplyRefused =>
  new ApplyRefused(
    'superseded',
    `${service} has ${stampText(found.stamp)} in the cluster already, which is newer than ${stampText(stamp)}.`,
  );

export const notOurs = (object: ObjectName): ApplyRefused =>
  new ApplyRefused(
    'object_taken',
    `${named(object)} is there already, and this service did not make it. Delete it, or give the service another name.`,
  );

export const deletedMeanwhile = (object: ObjectName): ApplyRefused =>
  new ApplyRefused(
    'changed_meanwhile',
    `${named(object)} was deleted while it was being changed. It is not made anew behind somebody’s back; retry if it should be.`,
    true,
  );

export const stillDeleting = (object: ObjectName): ApplyRefused =>
  new ApplyRefused(
    'changed_meanwhile',
    `${named(object)} is being deleted, and something keeps it (finalizers). Retry when it is gone.`,
    true,
  );

export const keepsChanging = (object: ObjectName): ApplyRefused =>
  new ApplyRefused(
    'changed_meanwhile',
    `${named(object)} was changed by others each time before our change arrived.`,
    true,
  );

export const fieldConflict = (object: ObjectName, fields: readonly FieldConflict[]): ApplyRefused =>
  new ApplyRefused(
    'field_conflict',
    `${named(object)}: ${fields
      .slice(0, 5)
      .map(({ manager, field }) => `${field} is managed by ${manager}`)
      .join('; ')}.`,
  );

/** A failure of the API server as a refusal, where it will not pass by itself; null where it may. */
export function refusalOf(error: unknown): ApplyRefused | null {
  if (error instanceof ApplyRefused) return error;
  if (!(error instanceof ApiFailure)) return null;
  const { kind, message } = error.problem;
  switch (kind) {
    case 'forbidden':
      return new ApplyRefused('cluster_forbids', message, true);
    case 'unauthorized':
      return new ApplyRefused('cluster_forbids', message, true);
    case 'refused':
    case 'absent':
    case 'conflict':
      return new ApplyRefused('cluster_refused', message);
    default:
      return null;
  }
}
