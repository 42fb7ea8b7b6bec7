import type { Command } from 'commander';
import { People } from '../client/people.ts';
import { unreadableSentence } from '../contract/presentation/unreadable.ts';
import { mayColour, type Paint, painter } from './colours.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';
import { type Format, type OutputOptions, print, withOutput } from './output.ts';
import { tellInterrupt, tellProblem } from './print-problem.ts';
import { EXIT } from './proof/exit-code.ts';

export interface ContextOptions extends ConnectionOptions, OutputOptions {
  readonly color: boolean;
  readonly quiet?: boolean;
}

/** The options of every command that talks to a server. */
export function withContextOptions(command: Command): Command {
  return withOutput(withConnection(command))
    .option('--no-color', 'no colours (also NO_COLOR)')
    .option('-q, --quiet', 'only results and errors');
}

/** Also to a program: a list that lacks something is not the whole list. */
function tellUnreadable(names: readonly string[]): void {
  process.stderr.write(`${unreadableSentence(names)}\n`);
}

/** Ctrl-C. The work at the server goes on; only the looking ends. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** What a command of a person works with. */
export class CliContext {
  readonly people: People;
  readonly format: Format;
  readonly quiet: boolean;
  readonly signal: AbortSignal;
  readonly paint: Paint;
  /** A terminal that can be drawn on, and a person in front of it. */
  readonly live: boolean;
  /** What is said at Ctrl-C: how to go on looking. */
  onInterrupt = 'Nothing was changed.';

  constructor(options: ContextOptions, signal: AbortSignal) {
    this.people = new People(connect(options), { signal, unreadable: tellUnreadable });
    this.format = options.output;
    this.quiet = options.quiet === true;
    this.signal = signal;
    this.paint = painter(mayColour(process.stdout, options.color));
    this.live = process.stdout.isTTY === true && process.env.TERM !== 'dumb' && this.forPeople && !this.quiet;
  }

  /** Words for a person, not data for a program. */
  get forPeople(): boolean {
    return this.format === 'table' || this.format === 'wide';
  }

  get width(): number {
    // A terminal that does not know its size says 0.
    return process.stdout.isTTY === true ? process.stdout.columns || 80 : 100;
  }

  print(value: unknown, words: (wide: boolean) => string): Promise<void> {
    return print(this.format, value, words);
  }

  /** Beside the result: on standard error, and not at all for a program or a quiet person. */
  note(text: string): void {
    if (this.forPeople && !this.quiet) process.stderr.write(`${text}\n`);
  }
}

/**
 * Runs one command of a person: it answers its exit code. Refusals are sentences with the next step, or with
 * `-o json` the problem object, on standard error; anything else is a defect of ours, with its stack.
 */
export async function inContext(
  options: ContextOptions,
  ref: string | null,
  work: (context: CliContext) => Promise<number>,
): Promise<void> {
  const stop = new AbortController();
  // Not `once`: log-update listens too, and ends the process by the signal where it is the last to do so.
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort(new Interrupted());
  };
  process.on('SIGINT', interrupt);
  // Whoever reads us may stop reading (`| head`): that is their right, and no stack of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit();
  });
  let context: CliContext | null = null;
  try {
    context = new CliContext(options, stop.signal);
    process.exitCode = await work(context);
  } catch (error) {
    if (stop.signal.aborted) {
      process.exitCode = tellInterrupt(context?.onInterrupt ?? 'Nothing was changed.', options.output);
    } else process.exitCode = tellProblem(error, options.output, ref);
  } finally {
    process.removeListener('SIGINT', interrupt);
    stop.abort();
  }
}
