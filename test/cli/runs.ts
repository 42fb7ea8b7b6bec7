import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type IPty, spawn as spawnPty } from '@lydell/node-pty';
import { afterAll, afterEach } from 'vitest';
import { removeDirectory } from '../../lab/remove-directory.ts';
import type { Servers } from '../server/servers.ts';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** A command of the program in a process of its own, as a script or a person would start it. */
export interface Run {
  readonly pid: number;
  /** Everything it wrote so far; a terminal has only one stream. */
  readonly out: () => string;
  readonly err: () => string;
  /** Waits until the output matches, and returns all of it. */
  until(text: string | RegExp): Promise<string>;
  write(text: string): void;
  /** Ends its standard input. */
  end(): void;
  readonly code: Promise<number | null>;
}

export interface Runs {
  /** Through pipes. */
  pipe(args: readonly string[], options?: RunOptions): Run;
  /** Through a real pseudo-terminal. */
  terminal(args: readonly string[], options?: RunOptions & { readonly columns?: number }): Run;
  /** Through pipes, to its end. */
  done(
    args: readonly string[],
    options?: RunOptions,
  ): Promise<{ code: number | null; out: string; err: string }>;
  folder(files: Readonly<Record<string, string>>): string;
}

/** Runs commands that live as long as their test. Those that have not ended by then are killed. */
export function useRuns(servers: Servers): Runs {
  /** Each with the promise that is kept when it has ended. */
  const alive = new Map<{ kill(signal: 'SIGKILL'): unknown }, Promise<unknown>>();
  const dirs: string[] = [];
  afterEach(async () => {
    const ends = [...alive.values()];
    for (const child of alive.keys()) child.kill('SIGKILL');
    await Promise.all(ends);
  });
  afterAll(async () => {
    for (const dir of dirs) await removeDirectory(dir);
  });
  // Removes variables of the machine that runs the tests, since they change the output.
  const environment = (env: Readonly<Record<string, string>> = {}) => {
    const { NO_COLOR: _no, FORCE_COLOR: _force, CI: _ci, DISPLAY: _display, ...rest } = process.env;
    return { ...rest, TERM: 'xterm-256color', ...env } as Record<string, string>;
  };

  const pipe: Runs['pipe'] = (args, { env, cwd } = {}) => {
    const child: ChildProcess = spawn(process.execPath, [servers.program(), ...args], {
      env: environment(env),
      ...(cwd === undefined ? {} : { cwd }),
    });
    alive.set(child, new Promise((done) => child.once('exit', done)));
    child.once('exit', () => alive.delete(child));
    const text = { out: '', err: '' };
    const waiting = new OutputWait(() => text.out + text.err);
    for (const name of ['out', 'err'] as const)
      child[name === 'out' ? 'stdout' : 'stderr']?.setEncoding('utf8').on('data', (chunk: string) => {
        text[name] += chunk;
        waiting.look();
      });
    const code = new Promise<number | null>((done) => {
      child.once('close', (code) => {
        waiting.end();
        done(code);
      });
    });
    return {
      pid: child.pid ?? 0,
      out: () => text.out,
      err: () => text.err,
      until: (what) => waiting.until(what),
      write: (what) => child.stdin?.write(what),
      end: () => child.stdin?.end(),
      code,
    };
  };

  return {
    pipe,
    terminal: (args, { env, cwd, columns = 100 } = {}) => {
      const child: IPty = spawnPty(process.execPath, [servers.program(), ...args], {
        cols: columns,
        rows: 40,
        env: environment(env),
        ...(cwd === undefined ? {} : { cwd }),
      });
      let out = '';
      const waiting = new OutputWait(() => plain(out));
      child.onData((chunk) => {
        out += chunk;
        waiting.look();
      });
      const code = new Promise<number | null>((done) => {
        child.onExit(({ exitCode }) => {
          alive.delete(child);
          waiting.end();
          done(exitCode);
        });
      });
      alive.set(child, code);
      return {
        pid: child.pid,
        out: () => out,
        err: () => '',
        until: (what) => waiting.until(what),
        write: (what) => child.write(what),
        end: () => child.write('\x04'),
        code,
      };
    },
    done: async (args, options) => {
      const run = pipe(args, options);
      return { code: await run.code, out: run.out(), err: run.err() };
    },
    folder: (files) => {
      const dir = mkdtempSync(join(tmpdir(), 'evident-app-'));
      dirs.push(dir);
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(dir, path)), { recursive: true });
        writeFileSync(join(dir, path), text);
      }
      return dir;
    },
  };
}

/** Waits for output that has not come yet. */
class OutputWait {
  readonly #text: () => string;
  readonly #for: {
    readonly is: (text: string) => boolean;
    readonly done: (text: string) => void;
    readonly fail: (error: Error) => void;
  }[] = [];
  #ended = false;

  constructor(text: () => string) {
    this.#text = text;
  }

  until(what: string | RegExp): Promise<string> {
    const is = (text: string) => (typeof what === 'string' ? text.includes(what) : what.test(text));
    return new Promise((done, fail) => {
      const failed = (error: Error) =>
        fail(new Error(`${error.message}: waited for ${what}, and got\n${this.#text()}`));
      this.#for.push({ is, done, fail: failed });
      this.look();
      if (this.#ended) this.end();
    });
  }

  look(): void {
    for (const one of [...this.#for])
      if (one.is(this.#text())) {
        this.#for.splice(this.#for.indexOf(one), 1);
        one.done(this.#text());
      }
  }

  end(): void {
    this.#ended = true;
    this.look();
    for (const { fail } of this.#for.splice(0)) fail(new Error('the command ended'));
  }
}

/** The text that a terminal displays, without the codes that move and colour. */
export function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters
  return text.replace(/\x1b\[[0-9;?]*[A-Za-z]/g, '').replaceAll('\r', '');
}

/** Codes that colour, without those that move. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters
export const colours = (text: string) => text.match(/\x1b\[[0-9;]*m/g) ?? [];
