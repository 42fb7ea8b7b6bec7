import { isFields, type ObjectFields, own } from './fields.ts';
import { type ObjectIdentity, objectIdentity } from './identity.ts';

/** Everything in one input, findable by the ways in which objects of Kubernetes refer to each other. */
export interface Objects {
  /** Objects whose controller has this UID. */
  controlledBy(uid: string): readonly ObjectFields[];
  find(kind: string, namespace: string | null, name: string): ObjectFields | null;
  /** Objects of a kind in a namespace. */
  ofKind(kind: string, namespace: string | null): readonly ObjectFields[];
  /** Warnings about an object, the newest first. */
  warningsAbout(identity: ObjectIdentity): readonly ObjectFields[];
}

/** An input of no objects: a verdict then rests on the object alone. */
export const NO_OBJECTS: Objects = {
  controlledBy: () => [],
  find: () => null,
  ofKind: () => [],
  warningsAbout: () => [],
};

/** Builds the index once, so that judging n objects costs n look-ups and not n². */
export function indexObjects(objects: readonly unknown[]): Objects {
  const children = new Map<string, ObjectFields[]>();
  const named = new Map<string, ObjectFields>();
  const kinds = new Map<string, ObjectFields[]>();
  const warnings = new Map<string, ObjectFields[]>();
  for (const object of objects) {
    const identity = objectIdentity(object);
    if (identity === null || !isFields(object)) continue;
    named.set(keyOf(identity.kind, identity.namespace, identity.name), object);
    push(kinds, keyOf(identity.kind, identity.namespace), object);
    const controller = controllerOf(object);
    if (controller !== null) push(children, controller, object);
    if (identity.kind === 'Event') for (const key of aboutOf(object)) push(warnings, key, object);
  }
  for (const about of warnings.values()) about.sort((a, b) => lastSeen(b).localeCompare(lastSeen(a)));
  return {
    controlledBy: (uid) => children.get(uid) ?? [],
    find: (kind, namespace, name) => named.get(keyOf(kind, namespace, name)) ?? null,
    ofKind: (kind, namespace) => kinds.get(keyOf(kind, namespace)) ?? [],
    warningsAbout: ({ uid, kind, namespace, name }) =>
      warnings.get(uid ?? keyOf(kind, namespace, name)) ?? [],
  };
}

const keyOf = (...parts: readonly (string | null)[]) => parts.map((part) => part ?? '').join('\n');

function push(map: Map<string, ObjectFields[]>, key: string, object: ObjectFields): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [object]);
  else list.push(object);
}

/** Null also where the references cannot be read: an index never fails over one bad object. */
function controllerOf(object: ObjectFields): string | null {
  const metadata = own(object, 'metadata');
  const owners = isFields(metadata) ? own(metadata, 'ownerReferences') : null;
  if (!Array.isArray(owners)) return null;
  const controller = owners.find((owner) => isFields(owner) && own(owner, 'controller') === true);
  const uid = isFields(controller) ? own(controller, 'uid') : null;
  return typeof uid === 'string' ? uid : null;
}

/** The keys under which a warning is found: the UID of its object, and its name where the event has no UID. */
function aboutOf(event: ObjectFields): string[] {
  if (own(event, 'type') !== 'Warning') return [];
  const about = own(event, 'involvedObject') ?? own(event, 'regarding');
  if (!isFields(about)) return [];
  const text = (key: string) => {
    const value = own(about, key);
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const uid = text('uid');
  return [uid ?? keyOf(text('kind'), text('namespace'), text('name'))];
}

/** Times of Kubernetes are written in one form, so that their text sorts as they do. */
function lastSeen(event: ObjectFields): string {
  const series = own(event, 'series');
  const times = [
    isFields(series) ? own(series, 'lastObservedTime') : null,
    own(event, 'lastTimestamp'),
    own(event, 'eventTime'),
    own(event, 'firstTimestamp'),
  ];
  return times.find((time): time is string => typeof time === 'string') ?? '';
}
