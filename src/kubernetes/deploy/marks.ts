import type { Stamp } from '../../contract/intent.ts';
import { compareStamps, type FencedStamp, sameAttempt } from '../../runtime/stamp.ts';
import { fieldsAt, type ObjectFields, own } from '../verdict/fields.ts';

/** The manager of every field that Evident applies. */
export const FIELD_MANAGER = 'evident';

/** On each object that is applied: the service that it belongs to. No label could hold it, for the `@`. */
const SERVICE = 'evident.dev/service';
/** On each object that is applied, and never in a template: another fence must restart nothing (rule 4). */
const STAMP = 'evident.dev/stamp';
/**
 * In the template: the order that first made it. Every attempt has a template of its own, so that a restart replaces what
 * runs and the pods of two attempts can be told apart; a newer fence of the same attempt, and a scale, keep it.
 */
export const ROLLOUT = 'evident.dev/rollout';

/** The marks of an object that Evident applied. */
export interface DeployedMarks {
  readonly service: string;
  readonly stamp: FencedStamp;
}

export const stampMark = ({ revision, attempt, fence }: FencedStamp): string =>
  `${revision}.${attempt}.${fence}`;

export function stampIn(text: unknown): FencedStamp | null {
  const [, revision, attempt, fence] = /^(\d{1,9})\.(\d{1,9})\.(\d{1,30})$/.exec(String(text)) ?? [];
  if (revision === undefined || attempt === undefined || fence === undefined) return null;
  return { revision: Number(revision), attempt: Number(attempt), fence };
}

export const marksOf = ({ service, stamp }: DeployedMarks): Readonly<Record<string, string>> => ({
  [SERVICE]: service,
  [STAMP]: stampMark(stamp),
});

/** Null: it has no marks, or not both, and is none of ours. */
export function marksIn(object: ObjectFields): DeployedMarks | null {
  const annotations = fieldsAt(object, 'metadata.annotations');
  const service = own(annotations, SERVICE);
  const stamp = stampIn(own(annotations, STAMP));
  return typeof service === 'string' && stamp !== null ? { service, stamp } : null;
}

/** The rollout of the template that an object declares. */
export const rolloutIn = (object: ObjectFields): FencedStamp | null =>
  stampIn(own(fieldsAt(object, 'spec.template.metadata.annotations'), ROLLOUT));

/** The rollout of an order: that of the template which runs, where the order keeps it. */
export function rolloutOf(
  before: FencedStamp | null,
  { stamp, accepts }: { readonly stamp: FencedStamp; readonly accepts: readonly Stamp[] },
): FencedStamp {
  const isKept = before !== null && [stamp, ...accepts].some((one) => sameAttempt(one, before));
  return isKept ? before : stamp;
}

export const isNewer = (one: FencedStamp, than: FencedStamp): boolean => compareStamps(one, than) > 0;
