import type { LogLineView } from '../../contract/answers/views.ts';
import { defaultLogStream } from '../../contract/presentation/default-log-stream.ts';
import { type CliContext, type ContextOptions, inContext } from '../context.ts';
import { EXIT } from '../proof/exit-code.ts';

interface LogsOptions extends ContextOptions {
  readonly follow?: boolean;
  readonly stream?: 'build' | 'run';
  readonly revision?: number;
  readonly attempt?: number;
  readonly instance?: string;
  readonly tail: number;
}

/** Number of lines remembered, to skip those already printed when a lost connection is resumed. */
const REMEMBERED = 20_000;

export function runLogs(ref: string, options: LogsOptions): Promise<void> {
  return inContext(options, ref, async (context) => {
    const { revision, attempt, instance, tail, follow } = options;
    const stream = options.stream ?? defaultLogStream(await context.people.status(ref), 'service');
    const query = {
      stream,
      tail,
      ...(revision === undefined ? {} : { revision }),
      ...(attempt === undefined ? {} : { attempt }),
      ...(instance === undefined ? {} : { instance }),
    };
    if (follow) return followed(context, ref, query);
    const lines = await context.people.logs(ref, query);
    const writers = new Writers(lines);
    if (context.forPeople) for (const line of lines) console.log(textOf(line, context, writers));
    else await context.print(lines, () => '');
    if (lines.length === 0)
      context.note(
        `There are no lines of the ${stream} yet. The other: --stream ${stream === 'run' ? 'build' : 'run'}`,
      );
    return EXIT.cameTrue;
  });
}

async function followed(context: CliContext, ref: string, query: object): Promise<number> {
  context.onInterrupt = `No longer following the log of ${ref}; it goes on.`;
  const printed = new Set<string>();
  const writers = new Writers([]);
  for await (const received of context.people.followLogs(ref, query, { signal: context.signal })) {
    if (received.event === 'lost') context.note(`(the connection is lost: ${received.why}; trying again)`);
    if (received.event !== 'log') continue;
    const { data } = received;
    const key = `${data.revision} ${data.attempt} ${data.instance} ${data.seq} ${data.at}`;
    if (printed.has(key)) continue;
    printed.add(key);
    if (printed.size > REMEMBERED)
      for (const old of [...printed].slice(0, REMEMBERED / 2)) printed.delete(old);
    writers.add(data);
    console.log(context.forPeople ? textOf(data, context, writers) : JSON.stringify(data));
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
 * A line as the app wrote it, behind the instance's name where several write; with `-o wide` also its time
 * and stream.
 */
function textOf(
  { at, revision, attempt, instance, line, notice }: LogLineView,
  { format, paint }: CliContext,
  writers: Writers,
): string {
  const tone = notice ? 'doubt' : 'plain';
  if (format !== 'wide') {
    const from = writers.areMany && instance !== null ? `${instance}  ` : '';
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
