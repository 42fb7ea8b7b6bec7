import type { LogLineView } from '../../contract/answers/views.ts';
import { defaultLogStream } from '../../contract/presentation/default-log-stream.ts';
import { noOutputWords } from '../../contract/presentation/no-output.ts';
import { type CliContext, type ContextOptions, inContext } from '../context.ts';
import { EXIT } from '../proof/exit-code.ts';

interface LogsOptions extends ContextOptions {
  readonly follow?: boolean;
  readonly stream?: 'build' | 'run';
  readonly revision?: number;
  readonly attempt?: number;
  readonly instance?: string;
  readonly tail: number;
  readonly since?: number;
  readonly timestamps?: boolean;
}

/** The most that the server sends at once. */
const MOST_LINES = 10_000;

/** Number of lines remembered, to skip those already printed when a lost connection is resumed. */
const REMEMBERED = 20_000;

export function runLogs(ref: string, options: LogsOptions): Promise<void> {
  return inContext(options, ref, async (context) => {
    const { revision, attempt, instance, follow, since = Number.NEGATIVE_INFINITY } = options;
    const isStamped = options.timestamps === true || context.format === 'wide';
    const tail = options.since === undefined ? options.tail : MOST_LINES;
    const stream = options.stream ?? defaultLogStream(await context.people.status(ref), 'service');
    const query = {
      stream,
      tail,
      ...(revision === undefined ? {} : { revision }),
      ...(attempt === undefined ? {} : { attempt }),
      ...(instance === undefined ? {} : { instance }),
    };
    const isRecent = ({ at }: LogLineView) => Date.parse(at) >= since;
    if (follow) return followed(context, ref, query, { isStamped, isRecent });
    const read = async (of: typeof query) => (await context.people.logs(ref, of)).filter(isRecent);
    const found = await read(query);
    // An app that wrote nothing, or never started, has at most a build to show.
    const isEmpty = found.length === 0 && options.stream === undefined && stream === 'run';
    const lines = isEmpty ? await read({ ...query, stream: 'build' }) : found;
    if (isEmpty && lines.length > 0) context.note('(The app wrote nothing; this is the build’s output.)');
    const writers = new Writers(lines);
    if (context.forPeople) for (const line of lines) console.log(textOf(line, context, writers, isStamped));
    else await context.print(lines, () => '');
    if (lines.length === 0)
      context.note(noOutputWords(stream, (await context.people.service(ref)).workload ?? null));
    return EXIT.cameTrue;
  });
}

async function followed(
  context: CliContext,
  ref: string,
  query: object,
  { isStamped, isRecent }: { isStamped: boolean; isRecent: (line: LogLineView) => boolean },
): Promise<number> {
  context.onInterrupt = `No longer following the log of ${ref}; it goes on.`;
  const printed = new Set<string>();
  const writers = new Writers([]);
  for await (const received of context.people.followLogs(ref, query, { signal: context.signal })) {
    if (received.event === 'lost') context.note(`(the connection is lost: ${received.why}; trying again)`);
    if (received.event !== 'log') continue;
    const { data } = received;
    const key = `${data.revision} ${data.attempt} ${data.instance} ${data.seq} ${data.at}`;
    if (printed.has(key) || !isRecent(data)) continue;
    printed.add(key);
    if (printed.size > REMEMBERED)
      for (const old of [...printed].slice(0, REMEMBERED / 2)) printed.delete(old);
    writers.add(data);
    console.log(context.forPeople ? textOf(data, context, writers, isStamped) : JSON.stringify(data));
  }
  context.signal.throwIfAborted();
  return EXIT.cameTrue;
}

/** The instances that have written so far: a line names its instance only if several write. */
class Writers {
  readonly #instances = new Set<string>();

  constructor(lines: readonly LogLineView[]) {
    for (const line of lines) this.add(line);
  }

  add({ instance }: LogLineView): void {
    if (instance !== null) this.#instances.add(instance);
  }

  get areMany(): boolean {
    return this.#instances.size > 1;
  }
}

/**
 * A line as the app wrote it, behind its time with `-t` and the instance's name where several write; with `-o wide`
 * also behind its revision.
 */
function textOf(
  { at, revision, attempt, instance, line, notice }: LogLineView,
  { format, paint }: CliContext,
  writers: Writers,
  isStamped: boolean,
): string {
  const tone = notice ? 'doubt' : 'plain';
  if (format !== 'wide') {
    const from = `${isStamped ? `${at}  ` : ''}${writers.areMany && instance !== null ? `${instance}  ` : ''}`;
    return paint([
      [from, 'quiet'],
      [line, tone],
    ]);
  }
  return paint([
    [`${at}  r${revision}.${attempt}${instance === null ? '' : `  ${instance}`}  `, 'quiet'],
    [line, tone],
  ]);
}
