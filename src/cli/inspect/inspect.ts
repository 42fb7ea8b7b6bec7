import type { ObjectFields } from '../../kubernetes/verdict/fields.ts';
import { objectIdentity } from '../../kubernetes/verdict/identity.ts';
import { judgeObject } from '../../kubernetes/verdict/judge-object.ts';
import { indexObjects } from '../../kubernetes/verdict/objects.ts';
import type { ObjectVerdict } from '../../kubernetes/verdict/verdict.ts';
import { isData, type OutputOptions, print } from '../output.ts';
import { UsageError } from '../print-problem.ts';
import { EXIT } from '../proof/exit-code.ts';
import { table } from '../table.ts';
import type { BadDocument } from './documents.ts';
import { readFiles } from './files.ts';

export interface InspectOptions extends OutputOptions {
  readonly filename?: readonly string[];
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
}

/** One entry of `evident inspect -o json`. */
interface InspectedObject extends ObjectVerdict {
  readonly kind: string;
  readonly namespace: string | null;
  readonly name: string;
}

/** `evident inspect`: prints the verdict on each object, from files or standard input, offline. */
export async function runInspect(options: InspectOptions): Promise<void> {
  if (options.filename === undefined)
    throw new UsageError(
      'Name a file with -f, or - for standard input: kubectl get pods -o json | evident inspect -f -',
    );
  const { objects, bad } = await readFiles(options.filename);
  const inspected = inspect(objects, Date.now());
  await print(options.output, inspected, (wide) => inspectTable(inspected, wide));
  printBad(bad, options);
  process.exitCode = exitCode(inspected, bad);
}

export function inspect(objects: readonly ObjectFields[], now: number): InspectedObject[] {
  const around = indexObjects(objects);
  return objects.map((object) => {
    const { kind, namespace, name } = objectIdentity(object) ?? { kind: '', namespace: null, name: '' };
    return { kind, namespace, name, ...judgeObject(object, around, now) };
  });
}

/** Verdicts with which a script may go on. */
const GOOD: ReadonlySet<string> = new Set(['ready', 'suspended', 'stopped']);

/** An empty input proves nothing, so it is no 0. */
function exitCode(inspected: readonly InspectedObject[], bad: readonly BadDocument[]): number {
  if (bad.length > 0) return EXIT.refused;
  const isGood = inspected.length > 0 && inspected.every(({ verdict }) => GOOD.has(verdict));
  return isGood ? EXIT.cameTrue : EXIT.failed;
}

function inspectTable(inspected: readonly InspectedObject[], wide: boolean): string {
  if (inspected.length === 0) return 'No objects: nothing is proven.';
  const head = ['NAMESPACE', 'OBJECT', 'VERDICT', 'REASON', 'MOVE', wide ? 'FACTS' : 'IN WORDS'];
  return table(
    head,
    inspected.map(({ kind, namespace, name, verdict, reason, owner, user, operator }) => [
      namespace ?? '',
      `${kind}/${name}`,
      verdict,
      reason ?? '',
      owner === 'none' ? '' : owner,
      wide ? operator : user,
    ]),
  );
}

function printBad(bad: readonly BadDocument[], { output }: OutputOptions): void {
  if (bad.length === 0) return;
  const lines = bad.map(({ where, why }) => `${where} ${why}`);
  const problem = {
    type: 'urn:evident:problem:bad_input',
    title: 'Not everything could be read',
    detail: lines[0],
    code: 'bad_input',
    errors: lines,
  };
  process.stderr.write(isData(output) ? `${JSON.stringify(problem)}\n` : `${lines.join('\n')}\n`);
}
