import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, type ProcessId, signal } from '../process/proc.ts';
import { livingRouter, type RouterRecord, recordPath, routerDir, tablePath } from './place.ts';

/** The command that runs the router of a place. */
export interface RouterCommand {
  readonly program: string;
  readonly args: readonly string[];
}

const POLL_MS = 20;
/** The time that requests in hand have, and a little more. */
const END_MS = 7_000;
/** A program without this environment may not start at all. */
const PASSED = ['PATH', 'HOME', 'TZ', 'NODE_OPTIONS', 'EVIDENT_LOG'] as const;

/** Starts a router that outlives this process. Resolves when one lives in the directory; null if none does by then. */
export async function startRouter(
  dir: string,
  { program, args }: RouterCommand,
  withinMs: number,
): Promise<RouterRecord | null> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const log = openSync(join(dir, 'router.log'), 'a', 0o600);
  const env = Object.fromEntries(PASSED.map((name) => [name, process.env[name]]));
  const child = spawn(program, args, { detached: true, cwd: '/', stdio: ['ignore', log, log], env });
  closeSync(log);
  let isEnded = false;
  const ended = () => {
    isEnded = true;
  };
  child.once('exit', ended).once('error', ended).unref();
  for (let left = withinMs; left > 0; left -= POLL_MS) {
    // Another one may have been started meanwhile: it lives, and this one ends.
    const living = livingRouter(dir);
    if (living !== null || isEnded) return living;
    await wait(POLL_MS);
  }
  return null;
}

/** Ends the router of a place, if one lives, and forgets its routes: what it led to is ended with it. */
export async function endRouter(place: string): Promise<void> {
  const dir = routerDir(place);
  const living = livingRouter(dir);
  if (living !== null) await endProcess(living.process);
  rmSync(recordPath(dir), { force: true });
  rmSync(tablePath(dir), { force: true });
}

/** Signals exactly that process: a pid that another has by now is never signalled. */
export async function endProcess(id: ProcessId): Promise<void> {
  for (const name of ['SIGTERM', 'SIGKILL'] as const) {
    if (isAlive(id)) signal(id.pid, name);
    for (let left = END_MS; left > 0 && isAlive(id); left -= POLL_MS) await wait(POLL_MS);
  }
}
