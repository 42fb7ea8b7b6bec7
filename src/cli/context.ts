import type { Command } from 'commander';
import { People } from '../client/people.ts';
import { unreadableSentence } from '../contract/presentation/unreadable.ts';
import { mayColour, type Paint, painter } from './colours.ts';
import { connect, withConnection } from './connection.ts';
import type { ConnectionOptions } from './find-connection.ts';
import { meantService } from './meant-service.ts';
import { endWithReader, type Format, type OutputOptions, print, withOutput } from './output.ts';
import { printInterrupt, printProblem } from './print-problem.ts';
import { EXIT } from './proof/exit-code.ts';
import { type TableStyle, tableStyle } from './table.ts';

export interface ContextOptions extends ConnectionOptions, OutputOptions {
  readonly color: boolean;
  readonly quiet?: boolean;
  /** The name of a server that the person signed in to. */
  readonly context?: string;
}

/** The options of every command that talks to a server. */
export function withContextOptions(command: Command): Command {
  return withOutput(withConnection(command))
    .option('--context <name>', 'a server you signed in to (EVIDENT_CONTEXT, else the current one)')
    .option('--no-color', 'no colours (also NO_COLOR)')
    .option('-q, --quiet', 'only results and errors');
}

/** Also printed for a program: a list that lacks items must say so. */
function warnUnreadable(names: readonly string[]): void {
  process.stderr.write(`${unreadableSentence(names)}\n`);
}

/** Ctrl-C. The work on the server goes on; only the watching ends. */
class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** Everything that a command of a person works with: connection, output format, terminal, Ctrl-C. */
export class CliContext {
  readonly people: People;
  readonly format: Format;
  readonly quiet: boolean;
  readonly signal: AbortSignal;
  readonly paint: Paint;
  /** The output is a terminal that can be redrawn, with a person in front of it. */
  readonly live: boolean;
  /** Printed at Ctrl-C: how to watch on. */
  onInterrupt = 'Nothing was changed.';
  readonly #colour: boolean;

  constructor(options: ContextOptions, signal: AbortSignal) {
    this.people = new People(connect(options, options.context ?? null), {
      signal,
      unreadable: warnUnreadable,
    });
    this.format = options.output;
    this.quiet = options.quiet === true;
    this.#colour = options.color;
    this.signal = signal;
    this.paint = painter(mayColour(process.stdout, options.color));
    this.live = process.stdout.isTTY === true && process.env.TERM !== 'dumb' && this.forPeople && !this.quiet;
  }

  /** The output is text for a person, not data for a program. */
  get forPeople(): boolean {
    return this.format === 'table' || this.format === 'wide';
  }

  get width(): number {
    // A terminal that does not know its size reports 0.
    return process.stdout.isTTY === true ? process.stdout.columns || 80 : 100;
  }

  /** The colours and the width of lists on this output. */
  list(wide: boolean): TableStyle {
    return tableStyle(process.stdout, this.#colour, wide);
  }

  print(value: unknown, words: (wide: boolean) => string): Promise<void> {
    return print(this.format, value, words);
  }

  /** Prints beside the result, on standard error; prints nothing for a program or with `--quiet`. */
  note(text: string): void {
    if (this.forPeople && !this.quiet) process.stderr.write(`${text}\n`);
  }
}

/**
 * Runs one command of a person and sets its exit code. Refusals are printed as sentences with the next step,
 * or with `-o json` as the problem object, on standard error. Any other error is a defect of Evident and is
 * printed with its stack.
 */
export async function inContext(
  options: ContextOptions,
  ref: string | null,
  work: (context: CliContext) => Promise<number>,
): Promise<void> {
  const stop = new AbortController();
  // Rejected: `once`. log-update listens too, and ends the process by the signal if its listener is the last one.
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort(new Interrupted());
  };
  process.on('SIGINT', interrupt);
  endWithReader();
  let context: CliContext | null = null;
  try {
    context = new CliContext(options, stop.signal);
    process.exitCode = await work(context);
  } catch (error) {
    if (stop.signal.aborted) {
      process.exitCode = printInterrupt(context?.onInterrupt ?? 'Nothing was changed.', options.output);
    } else {
      const meant = context === null || ref === null ? null : await meantService(context.people, error, ref);
      process.exitCode = printProblem(error, options.output, ref, meant);
    }
  } finally {
    process.removeListener('SIGINT', interrupt);
    stop.abort();
  }
}
