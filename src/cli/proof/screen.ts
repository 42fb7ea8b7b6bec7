import { createLogUpdate } from 'log-update';
import type { StreamEvent } from '../../client/events.ts';
import type { FailureOutput } from '../../contract/presentation/error-lines/failure-output.ts';
import type { CliContext } from '../context.ts';
import { isBuildFailure } from './failure-output.ts';
import { PlainLines } from './plain-lines.ts';
import { outputLine, proofLines } from './proof-lines.ts';
import type { ProofView } from './view.ts';

/** Shows a view while it changes. */
export interface Screen {
  /** Interval at which it wants to be redrawn. */
  readonly everyMs: number;
  show(view: ProofView): void;
  event(received: StreamEvent): void;
  /** Takes a line of the build while it is made; absent where nobody reads it. */
  output?(line: string): void;
  /** Shows the last view, which stays. */
  end(view: ProofView, failure: FailureOutput | null): void;
  /** Ends without a last view; the screen keeps its content. */
  leave(): void;
}

export function screenFor(context: CliContext): Screen {
  if (context.live) return new LiveScreen(context);
  return context.forPeople && !context.quiet ? new PlainScreen(context) : new NoScreen();
}

/** Lines of a build that are shown while it is made, and that stay when it fails. */
const SHOWN_LINES = 8;
const KEPT_LINES = 300;

/** One block that is redrawn in place. */
class LiveScreen implements Screen {
  readonly everyMs = 200;
  readonly #context: CliContext;
  readonly #log = createLogUpdate(process.stdout);
  readonly #output: string[] = [];
  #attempt = '';
  #height = 0;

  constructor(context: CliContext) {
    this.#context = context;
  }

  show(view: ProofView): void {
    const { revision, attempt } = view.requested;
    const shown = `${revision}.${attempt}`;
    // The output belongs to one attempt: the next one has its own.
    if (shown !== this.#attempt) this.#output.length = 0;
    this.#attempt = shown;
    this.#draw(view, null);
  }

  event(): void {}

  output(line: string): void {
    this.#output.push(line);
    if (this.#output.length > KEPT_LINES) this.#output.shift();
  }

  /**
   * Of a build that failed, the lines that name the cause stay, in the verdict; all of its output, above the block, where
   * none does. `evident logs` has the rest.
   */
  end(view: ProofView, failure: FailureOutput | null): void {
    const keepsOutput = isBuildFailure(view) && failure?.headline == null;
    if (keepsOutput) {
      this.#log.clear();
      for (const line of this.#output) console.log(this.#context.paint(outputLine(line)));
      console.log();
    }
    this.#draw(view, keepsOutput && this.#output.length > 0 ? null : failure);
    this.#log.done();
  }

  leave(): void {
    this.#log.done();
  }

  #draw(view: ProofView, failure: FailureOutput | null): void {
    const { width, paint } = this.#context;
    const output = this.#output.slice(-SHOWN_LINES);
    const lines = proofLines(view, { now: performance.now(), width, failure, output }).map(paint);
    // log-update 7 rewrites only changed lines, and takes moved lines at the end for unchanged. So the block
    // is redrawn whole when its height changes.
    if (lines.length !== this.#height) this.#log.clear();
    this.#height = lines.length;
    this.#log(lines.join('\n'));
  }
}

/** Prints a line for each change, and at the end what a terminal shows below the proof line. */
class PlainScreen implements Screen {
  readonly everyMs = 1_000;
  readonly #context: CliContext;
  readonly #lines = new PlainLines();
  #hasOutput = false;

  constructor(context: CliContext) {
    this.#context = context;
  }

  show(view: ProofView): void {
    const line = this.#lines.next(view, performance.now());
    if (line !== null) console.log(line);
  }

  event(): void {}

  output(line: string): void {
    this.#hasOutput = true;
    console.log(this.#context.paint(outputLine(line)));
  }

  /** Repeats only the line that names the cause: the rest of the output stands above. */
  end(view: ProofView, found: FailureOutput | null): void {
    this.show(view);
    const headline = found?.headline ?? null;
    const isAbove = isBuildFailure(view) && this.#hasOutput;
    const failure = isAbove ? { headline, lines: headline === null ? [] : [headline] } : found;
    const frame = { now: performance.now(), width: this.#context.width, failure };
    console.log(`\n${proofLines(view, frame).map(this.#context.paint).join('\n')}`);
  }

  leave(): void {}
}

/** For programs and `--quiet`: the result alone. */
class NoScreen implements Screen {
  readonly everyMs = 60_000;
  show(): void {}
  event(_event: StreamEvent): void {}
  end(): void {}
  leave(): void {}
}

/** `watch -o json`: one event per line. */
export class EventScreen extends NoScreen {
  override event(received: StreamEvent): void {
    if (received.event === 'open') return;
    const { event, ...rest } = received;
    const { data, id, ...more } = rest as { data?: object; id?: string | null };
    console.log(JSON.stringify({ event, ...(id == null ? {} : { id }), ...more, ...data }));
  }
}
