import { ApiFailure } from '../../kubernetes/api/problem.ts';
import type { ObjectFields } from '../../kubernetes/verdict/fields.ts';
import { objectIdentity } from '../../kubernetes/verdict/identity.ts';
import { judgeObject } from '../../kubernetes/verdict/judge-object.ts';
import { saysMore } from '../../kubernetes/verdict/kinds/index.ts';
import { indexObjects, type Objects } from '../../kubernetes/verdict/objects.ts';
import { endWithReader, type OutputOptions, print } from '../output.ts';
import { UsageError } from '../print-problem.ts';
import { EXIT } from '../proof/exit-code.ts';
import type { BadDocument, Documents } from './documents.ts';
import { readFiles } from './files.ts';
import { forPeople } from './for-people.ts';
import { type InspectedObject, inspectTable } from './inspect-table.ts';
import { printBad } from './print-bad.ts';
import type { ClusterRead } from './read-cluster.ts';
import { unreadKinds } from './unread-kinds.ts';

export interface InspectOptions extends OutputOptions {
  readonly filename?: readonly string[];
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly color: boolean;
  readonly quiet?: boolean;
}

/** `evident inspect`: prints the verdict on each object, from files or standard input, or of a cluster. */
export async function runInspect(options: InspectOptions): Promise<void> {
  endWithReader();
  try {
    const { objects, bad, wanted, where, hasAllPods, hasAllSlices } = await read(options);
    const inspected = inspect(
      indexObjects(objects, hasAllPods, hasAllSlices),
      objects.filter(wanted),
      Date.now(),
    );
    const shown = options.quiet ? inspected.filter(({ verdict }) => !GOOD.has(verdict)) : inspected;
    const isSilent = shown.length === 0 && (bad.length > 0 || inspected.length > 0);
    const nothing = isSilent ? '' : `No objects${where}: nothing is proven.`;
    // Objects of files keep their order, one line each: somebody may count them.
    const people =
      options.filename === undefined && options.output !== 'wide'
        ? forPeople(shown)
        : { lines: shown, note: null };
    await print(options.output, shown, (wide) =>
      shown.length === 0 ? nothing : inspectTable(people.lines, wide, options.color),
    );
    if (people.note !== null && options.output === 'table') console.error(people.note);
    printBad(bad, options.output);
    process.exitCode = exitCode(inspected, bad, options.filename !== undefined);
  } catch (error) {
    if (!(error instanceof ApiFailure || error instanceof UsageError)) throw error;
    printBad([{ where: '', why: error.message }], options.output);
    const isAway = error instanceof ApiFailure && ['unreachable', 'timed_out'].includes(error.problem.kind);
    process.exitCode = isAway ? EXIT.unreachable : EXIT.refused;
  }
}

interface InspectInput extends Documents {
  /** Objects that get a line. The others are only looked at. */
  readonly wanted: (object: ObjectFields) => boolean;
  /** Every pod of what was read is among the objects. */
  readonly hasAllPods: boolean;
  readonly hasAllSlices: boolean;
  /** The place that was read, for the sentence that nothing is there; may be empty. */
  readonly where: string;
}

async function read(options: InspectOptions): Promise<InspectInput> {
  const { filename, namespace, allNamespaces } = options;
  if (filename !== undefined && (namespace !== undefined || allNamespaces))
    throw new UsageError('Name files with -f, or a namespace of the cluster with -n or -A, not both.');
  if (filename !== undefined) return offline(await readFiles(filename));
  if (namespace !== undefined && allNamespaces)
    throw new UsageError('Name one namespace with -n, or all with -A.');
  const { readCluster } = await import('./read-cluster.ts');
  const scope = allNamespaces ? 'all' : namespace === undefined ? 'of the context' : { namespace };
  return ofCluster(await readCluster(options, scope));
}

/** Events explain the other objects; they are judged only where there is nothing else. */
function offline(documents: Documents): InspectInput {
  const areEvents = documents.objects.every(isEvent);
  return {
    ...documents,
    wanted: (object) => areEvents || !isEvent(object),
    hasAllPods: false,
    hasAllSlices: false,
    where: '',
  };
}

const isEvent = (object: ObjectFields) => {
  const identity = objectIdentity(object);
  return identity?.kind === 'Event' && ['', 'events.k8s.io'].includes(identity.group);
};

/** Nodes are looked at for the sake of a namespace's pods: they prove nothing about a namespace in which nothing is. */
function ofCluster({ objects, unreadable, namespace, isAbsent }: ClusterRead): InspectInput {
  const isInside = (object: ObjectFields) =>
    saysMore(object) && (namespace === null || objectIdentity(object)?.namespace === namespace);
  const absent = isAbsent ? [{ where: '', why: `There is no namespace ${namespace} in the cluster.` }] : [];
  return {
    objects,
    bad: [...absent, ...unreadKinds(unreadable)],
    wanted: objects.some(isInside) ? saysMore : () => false,
    hasAllSlices: !unreadable.some(({ resource }) => resource.resource === 'endpointslices'),
    hasAllPods: !unreadable.some(({ resource }) => ['pods', 'replicasets'].includes(resource.resource)),
    where: namespace === null ? '' : ` in the namespace ${namespace}`,
  };
}

function inspect(around: Objects, wanted: readonly ObjectFields[], now: number): InspectedObject[] {
  return wanted.map((object) => {
    const { kind, namespace, name } = objectIdentity(object) ?? { kind: '', namespace: null, name: '' };
    return { kind, namespace, name, ...judgeObject(object, around, now) };
  });
}

/** Verdicts with which a script may go on. */
const GOOD: ReadonlySet<string> = new Set(['ready', 'suspended', 'stopped']);

/** An empty input proves nothing, so it is no 0; nor is a cluster of which a part could not be read. */
function exitCode(
  inspected: readonly InspectedObject[],
  bad: readonly BadDocument[],
  isOffline: boolean,
): number {
  if (bad.length > 0 && isOffline) return EXIT.refused;
  const isGood =
    bad.length === 0 && inspected.length > 0 && inspected.every(({ verdict }) => GOOD.has(verdict));
  return isGood ? EXIT.cameTrue : EXIT.failed;
}
