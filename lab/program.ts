import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

interface ProgramOptions {
  /** Not ended by a Ctrl-C at the terminal: whoever started it ends it. */
  readonly isApart?: boolean;
  /** Receives the end of its standard error, if it ends by itself and with an error. */
  readonly onFailure?: (words: string) => void;
}

/**
 * Evident as a process of its own, from the bundle and without anything in between: a SIGSTOP or SIGKILL has to reach
 * the program itself.
 */
export class Program {
  readonly pid: number;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;
  readonly #listeners = new Set<(line: string) => void>();

  private constructor(child: ChildProcess, name: string, onFailure: (words: string) => void) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.ended = new Promise((done) => {
      child.once('close', () => done());
      child.once('error', (error) => {
        onFailure(`evident ${name} did not start: ${error.message}\n`);
        done();
      });
    });
    const { stdout, stderr } = child;
    if (stdout === null || stderr === null) return;
    createInterface({ input: stdout }).on('line', (line) => {
      for (const listener of [...this.#listeners]) listener(line);
    });
    // Kept, and printed if the program ends by itself: messages about a killed neighbour are expected.
    let said = '';
    stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2_000);
    });
    child.once('exit', (code) => {
      if (code !== 0 && code !== null) onFailure(`evident ${name} ended with ${code}:\n${said}`);
    });
  }

  static start(
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
    { isApart = false, onFailure = (words) => void process.stderr.write(words) }: ProgramOptions = {},
  ): Program {
    bundled ??= bundle();
    const child = spawn(process.execPath, [bundled, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, EVIDENT_LOG: 'warn', ...env },
      detached: isApart,
    });
    return new Program(child, args[0] ?? '', onFailure);
  }

  /** The next line that it says and that is like this. */
  line(like: RegExp): Promise<string> {
    return new Promise((done, fail) => {
      const listener = (line: string) => {
        if (!like.test(line)) return;
        this.#listeners.delete(listener);
        done(line);
      };
      this.#listeners.add(listener);
      void this.ended.then(() => fail(new Error(`it ended and never said ${like}`)));
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** In order, also when it has been stopped for a moment. */
  async end(): Promise<void> {
    this.#child.kill('SIGCONT');
    this.#child.kill('SIGTERM');
    await this.ended;
  }
}

let bundled: string | undefined;

function bundle(): string {
  const made = spawnSync(process.execPath, ['scripts/run.mjs', 'evident', 'version'], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`evident cannot be built: ${made.stderr}`);
  return resolve('bin/evident');
}
