import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { findProgram } from '../artifact/runnable.ts';
import { lifeline } from './lifeline.ts';
import { Lines } from './lines.ts';
import { endGroup } from './process-group.ts';
import { BuildFailure, type RecipeStep } from './recipe.ts';
import type { StepContainer } from './step-container.ts';

/** Receives a build's lines. `push` returns false when there is no room; reading continues after `room`. */
export interface LogSink {
  push(line: string): boolean;
  room(): Promise<void>;
}

export interface StepContext {
  readonly dir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly log: LogSink;
  /** The user that it runs as, if not the builder's own. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Without one, the step ends with its worker, as far as it stays in its process group. */
  readonly container?: StepContainer;
  /**
   * The lease's signal. When it aborts, every process of the step is ended, and then its reason is thrown.
   */
  readonly signal: AbortSignal;
}

const KEPT_LINES = 20;

/**
 * Runs one program of a build in its own process group and logs its output line by line. However it ends, no
 * process that it started is left when this returns or throws; without a container, as far as `endGroup` can find them.
 */
export async function runStep(step: RecipeStep, around: StepContext): Promise<void> {
  const { dir, env, log, signal, user, container = lifeline() } = around;
  signal.throwIfAborted();
  refuseMissing(step, dir, env.PATH ?? '');
  const { words, pipes } = container.command(step.argv, dir);
  const [program = '', ...args] = words;
  const child = spawn(program, args, {
    ...{ cwd: dir, env, ...user },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...pipes],
  });
  const begun = child.pid === undefined ? undefined : container.begin(child);
  begun?.catch(() => {});
  const last: string[] = [];
  const tell = (line: string) => {
    last.push(line);
    if (last.length > KEPT_LINES) last.shift();
    return log.push(line);
  };
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  const output = Promise.all(streams.map((stream) => readLines(stream, tell, log)));
  const home = env.HOME ?? dir;
  const end = () => void endGroup(child.pid, home);
  signal.addEventListener('abort', end, { once: true });
  try {
    const ended = await endOf(child, step);
    // A process left running would hold the pipes open, and outlive the build.
    await endGroup(child.pid, home);
    await begun?.catch(() => {});
    await container.end();
    await output;
    signal.throwIfAborted();
    await begun;
    if (ended !== 0) throw failureOf(step, ended, last);
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Looks before it starts: what holds the step together could not say afterwards what was missing. */
function refuseMissing(step: RecipeStep, dir: string, path: string): void {
  const [program = ''] = step.argv;
  switch (findProgram(program, dir, path)) {
    case 'missing':
      throw new BuildFailure(
        'tool_missing',
        `\`${step.name}\` needs "${program}", which this builder does not have.`,
      );
    case 'forbidden':
      throw new BuildFailure(step.failure, `"${program}" may not be executed.`);
    case 'found':
      return;
  }
}

async function endOf(child: ChildProcess, step: RecipeStep): Promise<number | NodeJS.Signals> {
  try {
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  } catch (error) {
    const [program = ''] = step.argv;
    throw new BuildFailure(
      'builder_failed',
      `"${program}" could not be started: ${(error as Error).message}`,
    );
  }
  return child.signalCode ?? child.exitCode ?? 0;
}

/** Reads one chunk after the other. While the log has no room the pipe fills up, and the program waits. */
async function readLines(stream: Readable, tell: (line: string) => boolean, log: LogSink): Promise<void> {
  let hasRoom = true;
  const lines = new Lines((line) => {
    hasRoom = tell(line);
  });
  try {
    for await (const chunk of stream) {
      lines.push(chunk as Buffer);
      if (!hasRoom) await log.room();
    }
  } catch {
    // The pipe of a killed program.
  }
  lines.end();
}

function failureOf(step: RecipeStep, ended: number | NodeJS.Signals, last: readonly string[]): BuildFailure {
  const how = typeof ended === 'number' ? `ended with code ${ended}` : `was ended by ${ended}`;
  const tail = last.join('\n').slice(-2_000);
  const message = `\`${step.name}\` ${how}.${tail === '' ? '' : `\nIts last lines:\n${tail}`}`;
  const exit = typeof ended === 'number' ? { exitCode: ended } : {};
  if (/ENOSPC|No space left on device/i.test(tail))
    return new BuildFailure('builder_disk_full', message, exit);
  if (/JavaScript heap out of memory|signal: killed/.test(tail))
    return new BuildFailure('build_out_of_memory', message, exit);
  return new BuildFailure(step.failure, message, exit);
}
