import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { endAll } from '../runtime/process/end-all.ts';
import { endRouter } from '../runtime/router-process/start-router.ts';
import { type Directory, DirectoryRefused, lockDirectory } from '../store/sqlite/directory.ts';
import { ownSurroundings } from './connection.ts';
import { findDataPlace } from './data-place.ts';
import { NoStoreFound } from './print-problem.ts';
import { printRefusals } from './print-refusals.ts';

export interface DownOptions {
  readonly data?: string;
  readonly output: 'text' | 'json';
}

const PATIENCE_MS = 20_000;
const LOOK_EVERY_MS = 100;

/**
 * `evident down`: stops the Evident of a data directory and the apps it runs. Desired states stay, so the
 * next start brings the apps back.
 */
export function runDown({ data, output }: DownOptions): Promise<void> {
  return printRefusals(async () => {
    const { dir, searched } =
      data === undefined ? findDataPlace(ownSurroundings()) : { dir: resolve(data), searched: [] };
    if (dir === null || !existsSync(dir))
      throw new NoStoreFound(
        `No Evident has been in ${dir ?? searched.join(', ')}. Say with --data which one to stop.`,
      );
    const server = await stopServer(dir);
    let ended = 0;
    const places = join(dir, 'runtime');
    for (const target of existsSync(places) ? readdirSync(places) : []) {
      const taken = await takeOverFromAgent(join(places, target));
      try {
        ended += await endAll(join(places, target));
        await endRouter(join(places, target));
      } finally {
        taken.release();
      }
    }
    if (output === 'json') console.log(JSON.stringify({ event: 'down', server, ended }));
    else {
      const evident = server ? 'Evident has stopped' : 'Evident was not running';
      console.log(`${evident}; ${ended === 1 ? '1 instance was' : `${ended} instances were`} ended.`);
    }
  }, output);
}

/**
 * Returns whether a server was running: found by the file it keeps while it runs, and by its own command
 * line.
 */
async function stopServer(dir: string): Promise<boolean> {
  const file = join(dir, 'server.json');
  if (!existsSync(file)) return false;
  const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { pid: number };
  if (!isEvident(pid)) return false;
  process.kill(pid, 'SIGTERM');
  for (let left = PATIENCE_MS; isEvident(pid); left -= LOOK_EVERY_MS) {
    if (left <= 0)
      throw new NoStoreFound(`Process ${pid} was told to stop and goes on. End it with: kill -9 ${pid}`);
    await wait(LOOK_EVERY_MS);
  }
  return true;
}

/**
 * Stops an agent that runs in a process of its own first: it would start the apps again. The holder of the
 * directory's lock is alive, and its pid is beside the lock.
 */
async function takeOverFromAgent(place: string): Promise<Directory> {
  for (let left = PATIENCE_MS; ; left -= LOOK_EVERY_MS) {
    try {
      return lockDirectory(place);
    } catch (error) {
      if (!(error instanceof DirectoryRefused) || left <= 0) throw error;
      if (left === PATIENCE_MS) process.kill(Number(readFileSync(join(place, 'owner'), 'utf8')), 'SIGTERM');
      await wait(LOOK_EVERY_MS);
    }
  }
}

/** After a crash the pid in the file may belong to another program, which must never be signalled. */
function isEvident(pid: number): boolean {
  try {
    return /evident|cli\/main\.ts/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
  } catch {
    return false;
  }
}
