import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { endLeftovers, startOf } from '../build/process-group.ts';

/** A directory of one build alone, gone after it. */
export interface BuildPlace {
  readonly dir: string;
  readonly source: string;
  readonly app: string;
  readonly home: string;
  readonly artifact: string;
}

/**
 * Under `root`, and its name says which worker owns it. Rejected: a file in it that says so. Whoever cleared between the
 * two took the place for a leftover.
 */
export async function makePlace(root: string): Promise<BuildPlace> {
  // Short: tools put sockets below it, whose paths may have 107 characters.
  const dir = join(root, `${ownerOf(process.pid)}-${randomBytes(4).toString('hex')}`);
  await mkdir(join(dir, 'home'), { recursive: true, mode: 0o700 });
  return {
    dir,
    source: join(dir, 'source'),
    app: join(dir, 'app'),
    home: join(dir, 'home'),
    artifact: join(dir, 'artifact.tar'),
  };
}

/** Tools leave directories behind that even their owner may not write. */
export async function removePlace(dir: string): Promise<void> {
  try {
    await rm(dir, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') throw error;
    await makeWritable(dir);
    await rm(dir, { recursive: true, force: true });
  }
}

/**
 * Ends and removes what workers left that were killed: their builds go on without them, for nobody who could stop them
 * was there. Places of workers that are alive stay theirs, and one where something does not end stays for the next start.
 */
export async function clearLeftovers(root: string): Promise<{ cleared: number; stuck: string[] }> {
  const names = await readdir(root).catch(() => []);
  let cleared = 0;
  const stuck: string[] = [];
  for (const name of names) {
    const dir = join(root, name);
    if (isOwned(name)) continue;
    if (await endLeftovers((home) => home.startsWith(dir + sep))) {
      await removePlace(dir);
      cleared += 1;
    } else stuck.push(dir);
  }
  return { cleared, stuck };
}

/** A pid alone is given to another when its owner has ended. */
const ownerOf = (pid: number) => `${pid}-${startOf(pid) ?? ''}`;

function isOwned(name: string): boolean {
  const pid = Number(/^(\d+)-/.exec(name)?.[1]);
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return name.startsWith(`${ownerOf(pid)}-`);
}

async function makeWritable(dir: string): Promise<void> {
  await chmod(dir, 0o700);
  for (const entry of await readdir(dir, { withFileTypes: true }))
    if (entry.isDirectory()) await makeWritable(join(dir, entry.name));
}
