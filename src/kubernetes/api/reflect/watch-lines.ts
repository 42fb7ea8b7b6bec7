import { ApiFailure, type ClusterProblem, problemOfAnswer } from '../problem.ts';

/** One line of a watch. */
type WatchLine =
  | {
      readonly kind: 'changed';
      readonly type: 'put' | 'deleted';
      readonly object: unknown;
      readonly version: string;
    }
  | { readonly kind: 'bookmark'; readonly version: string }
  | { readonly kind: 'error'; readonly problem: ClusterProblem };

/** Caps one line: etcd stores no object of more than a few megabytes. */
const LINE_BYTES = 32 << 20;

/** The lines of a watch as they arrive. A body that ends within a line is broken off, not ended. */
export async function* watchLines(body: AsyncIterable<Buffer>): AsyncGenerator<WatchLine> {
  let held: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...held, chunk.subarray(from, end)]).toString('utf8');
      held = [];
      bytes = 0;
      from = end + 1;
      if (line.trim() !== '') yield lineOf(line);
    }
    if (from === chunk.length) continue;
    held.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > LINE_BYTES) throw protocol(`A line of a watch is longer than ${LINE_BYTES} bytes.`);
  }
  if (bytes > 0) throw protocol('A watch ended within a line.');
}

function lineOf(line: string): WatchLine {
  const { type, object } = parsed(line);
  const version = object?.metadata?.resourceVersion;
  if (type === 'ERROR')
    return {
      kind: 'error',
      problem: problemOfAnswer(Number(object?.code) || 500, undefined, JSON.stringify(object)),
    };
  if (typeof version !== 'string' || version === '') throw protocol('An event of a watch has no version.');
  switch (type) {
    case 'BOOKMARK':
      return { kind: 'bookmark', version };
    case 'ADDED':
    case 'MODIFIED':
      return { kind: 'changed', type: 'put', object, version };
    case 'DELETED':
      return { kind: 'changed', type: 'deleted', object, version };
    default:
      throw protocol(`A watch has no events of type ${String(type).slice(0, 40)}.`);
  }
}

interface RawLine {
  readonly type?: unknown;
  readonly object?: { readonly code?: unknown; readonly metadata?: { readonly resourceVersion?: unknown } };
}

function parsed(line: string): RawLine {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw protocol('A line of a watch is no JSON object.');
}

const protocol = (message: string) => new ApiFailure({ kind: 'protocol', message });
