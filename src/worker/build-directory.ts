import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { endLeftovers, startOf } from '../build/process-group.ts';
import { endContainer } from '../runtime/process/containment.ts';

const HELD = '.held';

/** The directory of one build, deleted after it. */
export interface BuildDirectory {
  readonly dir: string;
  readonly source: string;
  readonly app: string;
  readonly home: string;
  readonly artifact: string;
  /** Says what holds its processes together; beside the directory, because that is the build's own. */
  readonly held: string;
}

/**
 * Creates a directory under `root` whose name says which worker owns it. Rejected: a file in it that names
 * the owner. A worker that cleaned up between the two steps took the directory for a leftover.
 */
export async function createBuildDirectory(root: string): Promise<BuildDirectory> {
  // Kept short: tools create sockets below it, and a socket's path may have 107 characters.
  const dir = join(root, `${ownerOf(process.pid)}-${randomBytes(4).toString('hex')}`);
  const held = `${dir}${HELD}`;
  await mkdir(held, { recursive: true, mode: 0o700 });
  await mkdir(join(dir, 'home'), { recursive: true, mode: 0o700 });
  return {
    dir,
    source: join(dir, 'source'),
    app: join(dir, 'app'),
    home: join(dir, 'home'),
    artifact: join(dir, 'artifact.tar'),
    held,
  };
}

/** Ends what is left of a build that has ended, and deletes its directory. */
export async function removeBuild({ dir, held }: BuildDirectory): Promise<void> {
  await endContainer(held);
  await removeBuildDirectory(dir);
  await rm(held, { recursive: true, force: true });
}

/** Deletes directories too that a tool left without write permission. */
async function removeBuildDirectory(dir: string): Promise<void> {
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
 * Ends and deletes builds left by killed workers, which would run on because nobody is left to stop them.
 * Directories of living workers stay. A directory with a process that does not end stays for the next start.
 */
export async function clearLeftovers(root: string): Promise<{ cleared: number; stuck: string[] }> {
  const names = await readdir(root).catch(() => []);
  let cleared = 0;
  const stuck: string[] = [];
  for (const name of names) {
    const dir = join(root, name);
    if (isOwned(name)) continue;
    if (name.endsWith(HELD)) {
      await endContainer(dir);
      await rm(dir, { recursive: true, force: true });
    } else if (await endLeftovers((home) => home.startsWith(dir + sep))) {
      await removeBuildDirectory(dir);
      cleared += 1;
    } else stuck.push(dir);
  }
  return { cleared, stuck };
}

/** A pid alone may belong to a newer process. */
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
