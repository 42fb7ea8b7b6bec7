import { isFields, type ObjectFields, own } from './fields.ts';
import { type ObjectIdentity, objectIdentity } from './identity.ts';

/**
 * Everything in one input, findable by the ways in which objects of Kubernetes refer to each other. Objects are linked
 * by UID and never by name alone: an input may hold objects of several clusters, or two states of the same name.
 */
export interface Objects {
  /** The input holds every pod that there is, and every ReplicaSet between it and its workload: what is not here is gone. */
  readonly hasAllPods: boolean;
  /** Objects whose controller is this one, by UID, kind and name. */
  controlledBy(identity: ObjectIdentity): readonly ObjectFields[];
  /** The input holds every EndpointSlice that there is. */
  readonly hasAllSlices: boolean;
  /** EndpointSlices that name the Service: those of one without a selector have no controller. */
  slicesNaming(service: ObjectIdentity): readonly ObjectFields[];
  /** Pods of a namespace that carry all these labels; none where there are too many to look through. */
  podsWith(namespace: string | null, labels: ObjectFields): readonly ObjectFields[];
  /** Objects of a kind, whatever their namespace. */
  named(kind: string, name: string): readonly ObjectFields[];
  /** Warnings about an object, the newest first. */
  warningsAbout(identity: ObjectIdentity): readonly ObjectFields[];
}

/** An input of no objects: a verdict then rests on the object alone. */
export const NO_OBJECTS: Objects = {
  hasAllPods: false,
  hasAllSlices: false,
  controlledBy: () => [],
  slicesNaming: () => [],
  podsWith: () => [],
  named: () => [],
  warningsAbout: () => [],
};

/** Looking for labels costs at most this many comparisons in one input. */
const MOST_COMPARISONS = 300_000;

/** Builds the index once, so that judging n objects costs n look-ups and not n². */
export function indexObjects(
  objects: readonly unknown[],
  hasAllPods = false,
  hasAllSlices = hasAllPods,
): Objects {
  const slices = new Map<string, ObjectFields[]>();
  const children = new Map<string, ObjectFields[]>();
  const seen = new Set<string>();
  /** A UID that stands twice is two states of one object: neither is linked, and no input costs more than its length. */
  const twice = new Set<string>();
  const pods: (readonly [string | null, ObjectFields])[] = [];
  const named = new Map<string, ObjectFields[]>();
  const warnings = new Map<string, ObjectFields[]>();
  for (const object of objects) {
    const identity = objectIdentity(object);
    if (identity === null || !isFields(object)) continue;
    push(named, keyOf(identity.kind, identity.name), object);
    if (identity.kind === 'Pod' && identity.group === '') pods.push([identity.namespace, object]);
    if (identity.uid !== null) (seen.has(identity.uid) ? twice : seen).add(identity.uid);
    const controller = controllerOf(object);
    if (controller !== null) push(children, keyOf(...controller, identity.namespace), object);
    const service = identity.kind === 'EndpointSlice' ? namedService(object) : null;
    if (service !== null) push(slices, keyOf(service, identity.namespace), object);
    const about = identity.kind === 'Event' ? warnedUid(object) : null;
    if (about !== null) push(warnings, about, object);
  }
  for (const about of warnings.values()) about.sort((a, b) => lastSeen(b).localeCompare(lastSeen(a)));
  return {
    hasAllPods,
    hasAllSlices,
    slicesNaming: ({ name, namespace }) => slices.get(keyOf(name, namespace)) ?? [],
    controlledBy: ({ uid, kind, name, namespace }) =>
      uid === null || twice.has(uid) ? [] : (children.get(keyOf(uid, kind, name, namespace)) ?? []),
    podsWith: labelIndex(pods),
    named: (kind, name) => named.get(keyOf(kind, name)) ?? [],
    warningsAbout: ({ uid }) => (uid === null || twice.has(uid) ? [] : (warnings.get(uid) ?? [])),
  };
}

/** Built with the first question: most inputs ask none. */
function labelIndex(pods: readonly (readonly [string | null, ObjectFields])[]): Objects['podsWith'] {
  let byLabel: Map<string, ObjectFields[]> | null = null;
  let left = MOST_COMPARISONS;
  return (namespace, labels) => {
    byLabel ??= indexByLabel(pods);
    const wanted = Object.entries(labels);
    const lists = wanted.map(([name, value]) =>
      typeof value === 'string' ? (byLabel?.get(keyOf(namespace, name, value)) ?? []) : [],
    );
    const [shortest = []] = lists.toSorted((a, b) => a.length - b.length);
    left -= shortest.length * wanted.length;
    if (left < 0) return [];
    return shortest.filter((pod) => {
      const its = labelsOf(pod);
      return wanted.every(([name, value]) => own(its, name) === value);
    });
  };
}

function indexByLabel(
  pods: readonly (readonly [string | null, ObjectFields])[],
): Map<string, ObjectFields[]> {
  const index = new Map<string, ObjectFields[]>();
  for (const [namespace, pod] of pods)
    for (const [name, value] of Object.entries(labelsOf(pod)))
      if (typeof value === 'string') push(index, keyOf(namespace, name, value), pod);
  return index;
}

function labelsOf(object: ObjectFields): ObjectFields {
  const metadata = own(object, 'metadata');
  const labels = isFields(metadata) ? own(metadata, 'labels') : null;
  return isFields(labels) ? labels : {};
}

const keyOf = (...parts: readonly (string | null)[]) => parts.map((part) => part ?? '').join('\n');

function push(map: Map<string, ObjectFields[]>, key: string, object: ObjectFields): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [object]);
  else list.push(object);
}

/** UID, kind and name of the controller. Null also where they cannot be read: an index never fails over one bad object. */
function controllerOf(object: ObjectFields): [string, string, string] | null {
  const metadata = own(object, 'metadata');
  const owners = isFields(metadata) ? own(metadata, 'ownerReferences') : null;
  if (!Array.isArray(owners)) return null;
  const controller: unknown = owners.find((owner) => isFields(owner) && own(owner, 'controller') === true);
  if (!isFields(controller)) return null;
  const [uid, kind, name] = ['uid', 'kind', 'name'].map((key) => own(controller, key));
  return typeof uid === 'string' && typeof kind === 'string' && typeof name === 'string'
    ? [uid, kind, name]
    : null;
}

/** The Service that a slice is of, by its label, whose key has dots. */
function namedService(slice: ObjectFields): string | null {
  const name = own(labelsOf(slice), 'kubernetes.io/service-name');
  return typeof name === 'string' ? name : null;
}

/** The UID of the object that a warning is about; null for other events. */
function warnedUid(event: ObjectFields): string | null {
  if (own(event, 'type') !== 'Warning') return null;
  const about = own(event, 'involvedObject') ?? own(event, 'regarding');
  const uid = isFields(about) ? own(about, 'uid') : null;
  return typeof uid === 'string' && uid !== '' ? uid : null;
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
