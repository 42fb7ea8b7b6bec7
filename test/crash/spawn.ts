import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';
import type { Job } from './child.ts';

export interface Child {
  readonly process: ChildProcess;
  /** The signal or exit code of the process, and its stderr. */
  readonly ended: Promise<{ readonly signal: string | null; readonly code: number | null; errors: string }>;
}

export type StartChild = (job: Job, onLine: (line: unknown) => void) => Child;

/** Bundles test/crash/child.ts with its packages once per test file: the bundle starts in a fifth of the time. */
export function useChildren(): StartChild {
  let dir = '';
  const program = () => join(dir, 'child.cjs');
  const alive = new Set<ChildProcess>();
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'evident-child-'));
    await build({
      entryPoints: [resolve('test/crash/child.ts')],
      outfile: program(),
      bundle: true,
      platform: 'node',
      format: 'cjs',
      target: 'node20.19',
      // libsql has a native part; pg-native is optional and absent.
      external: ['libsql', 'pg-native'],
      logLevel: 'error',
    });
  }, 60_000);
  afterAll(() => {
    for (const child of alive) child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  return (job, onLine) => {
    const child = spawn(process.execPath, [program(), JSON.stringify(job)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, NODE_PATH: resolve('node_modules') },
    });
    alive.add(child);
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      // A line that the kill cut short does not count as printed.
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(JSON.parse(line));
    });
    const ended = new Promise<{ signal: string | null; code: number | null; errors: string }>(
      (done, fail) => {
        child.once('error', fail);
        child.once('close', (code, signal) => {
          alive.delete(child);
          done({ code, signal, errors });
        });
      },
    );
    return { process: child, ended };
  };
}
