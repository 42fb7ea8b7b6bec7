import { conditionsOf } from '../verdict/conditions.ts';
import {
  fieldsAt,
  flagAt,
  isFields,
  listAt,
  type ObjectFields,
  textAt,
  UnreadableField,
} from '../verdict/fields.ts';
import type { ReasonName } from '../verdict/reasons/index.ts';
import { reasonOfMessage } from '../verdict/reasons/message-words.ts';
import { interned } from './intern.ts';

/** Identity and lifetime, which every record has. */
export interface RecordHead {
  readonly uid: string;
  /** Empty for a cluster-scoped kind. */
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly createdAt: string | null;
  /** Set once somebody has requested its deletion; it may take long. */
  readonly deletingSince: string | null;
  /** The one owner that controls it, by UID (rule 3). */
  readonly controller: RecordOwner | null;
}

export interface RecordOwner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
}

/** Caps text that somebody else wrote. It is redacted before it leaves the agent (S15). */
const TEXT = 300;

function headOf(object: ObjectFields): RecordHead | null {
  const metadata = fieldsAt(object, 'metadata');
  const [uid, name, version] = [
    textAt(metadata, 'uid'),
    textAt(metadata, 'name'),
    textAt(metadata, 'resourceVersion'),
  ];
  if (!uid || !name || !version) return null;
  return {
    uid,
    namespace: interned(textAt(metadata, 'namespace') ?? ''),
    name,
    version,
    createdAt: interned(textAt(metadata, 'creationTimestamp')),
    deletingSince: textAt(metadata, 'deletionTimestamp'),
    controller: controllerIn(metadata),
  };
}

function controllerIn(metadata: ObjectFields): RecordOwner | null {
  const owner = listAt(metadata, 'ownerReferences').find((one) => flagAt(one, 'controller'));
  if (owner === undefined) return null;
  const [kind, name, uid] = [textAt(owner, 'kind'), textAt(owner, 'name'), textAt(owner, 'uid')];
  return kind && name && uid ? { kind: interned(kind), name: interned(name), uid: interned(uid) } : null;
}

/**
 * Makes a reader of records from what a kind adds to the head. An object that cannot be read has none: the copy then
 * is not complete, which is said, and is better than a field that is guessed.
 */
export function keeper<T extends object>(
  add: (object: ObjectFields, head: RecordHead) => T,
): (object: unknown) => (RecordHead & T) | null {
  return (object) => {
    try {
      if (!isFields(object)) return null;
      const head = headOf(object);
      // Rejected: a literal of two spreads. Node 20 gives each such object a shape of its own, 570 bytes for each pod.
      return head === null ? null : Object.assign(head, add(object, head));
    } catch (error) {
      if (error instanceof UnreadableField) return null;
      throw error;
    }
  };
}

/** Text of somebody else, cut. */
export function cutText(text: string | null): string | null {
  return text === null || text.length <= TEXT ? text : `${text.slice(0, TEXT)}…`;
}

/** Labels, as selectors need them. */
export function labelsIn(object: ObjectFields, path = 'metadata.labels'): Readonly<Record<string, string>> {
  const labels = fieldsAt(object, path);
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** A condition that somebody may have to act on; its text is kept only where it says something. */
export interface RecordCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string | null;
  readonly message: string | null;
  /** The reason that the whole message names, before it is cut. */
  readonly said: ReasonName | null;
  readonly changedAt: string | null;
}

export function recordConditions(object: ObjectFields): readonly RecordCondition[] {
  return [...conditionsOf(object).values()].map(({ type, status, reason, message, changedAt }) => ({
    type: interned(type),
    status,
    reason: interned(reason),
    message: status === 'True' ? null : cutText(message),
    said: reasonOfMessage(message),
    changedAt: interned(changedAt),
  }));
}
