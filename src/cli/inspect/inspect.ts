import { ApiFailure } from '../../kubernetes/api/problem.ts';
import { isFields, type ObjectFields } from '../../kubernetes/verdict/fields.ts';
import { objectIdentity } from '../../kubernetes/verdict/identity.ts';
import { judgeObject } from '../../kubernetes/verdict/judge-object.ts';
import { saysMore } from '../../kubernetes/verdict/kinds/index.ts';
import { indexObjects } from '../../kubernetes/verdict/objects.ts';
import { endWithReader, type OutputOptions, print } from '../output.ts';
import { UsageError } from '../print-problem.ts';
import { EXIT } from '../proof/exit-code.ts';
import type { BadDocument, Documents } from './documents.ts';
import { readFiles } from './files.ts';
import { type InspectedObject, inspectTable } from './inspect-table.ts';
import { printBad } from './print-bad.ts';
import type { ReadCluster } from './read-cluster.ts';

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
    const { objects, bad, wanted } = await read(options);
    const inspected = inspect(objects, Date.now(), wanted);
    const shown = options.quiet ? inspected.filter(({ verdict }) => !GOOD.has(verdict)) : inspected;
    const isSilent = shown.length === 0 && (bad.length > 0 || inspected.length > 0);
    await print(options.output, shown, (wide) => (isSilent ? '' : inspectTable(shown, wide, options.color)));
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
}

async function read(options: InspectOptions): Promise<InspectInput> {
  const { filename, namespace, allNamespaces } = options;
  if (filename !== undefined && (namespace !== undefined || allNamespaces))
    throw new UsageError('Name files with -f, or a namespace of the cluster with -n or -A, not both.');
  if (filename !== undefined) return { ...(await readFiles(filename)), wanted: () => true };
  if (namespace !== undefined && allNamespaces)
    throw new UsageError('Name one namespace with -n, or all with -A.');
  const { clusterReader } = await import('./read-cluster.ts');
  const scope = allNamespaces ? 'all' : namespace === undefined ? 'of the context' : { namespace };
  return { ...(await readObjects(clusterReader(options), scope)), wanted: saysMore };
}

async function readObjects(readCluster: ReadCluster, scope: Parameters<ReadCluster>[0]): Promise<Documents> {
  const objects: ObjectFields[] = [];
  const bad: BadDocument[] = [];
  for await (const item of readCluster(scope)) {
    if (item.kind === 'unreadable')
      bad.push({ where: item.resource.resource, why: `cannot be read: ${item.problem.message}` });
    else if (isFields(item.object)) objects.push(item.object);
  }
  return { objects, bad };
}

function inspect(
  objects: readonly ObjectFields[],
  now: number,
  wanted: (object: ObjectFields) => boolean,
): InspectedObject[] {
  const around = indexObjects(objects);
  return objects.filter(wanted).map((object) => {
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
