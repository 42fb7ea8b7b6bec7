import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import {
  cgroupBase,
  createCgroup,
  enterCgroup,
  isEmptyCgroup,
  killCgroup,
  processesIn,
  removeCgroup,
} from './cgroup.ts';

/** The path of an instance's container; written into its home, so that the next agent finds it. */
type Container = { readonly kind: 'cgroup'; readonly dir: string };

const FILE = 'container.json';
/** The time the kernel has to end what was killed. */
const KILLED_MS = 5_000;
const POLL_MS = 5;

/** A container could not be emptied: absence is not proven (S1). */
class StillInside extends Error {
  override readonly name = 'StillInside';
}

/**
 * Holds everything that an instance starts, also what leaves its process group, its session and its environment, as a
 * daemon does (F117). Ending an instance ends its container, and an empty container proves that nothing of it is left.
 *
 * `none`: this machine lets us hold nothing together. Then only what kept its mark is found.
 */
export class Containment {
  readonly kind: 'cgroup' | 'none';
  readonly #base: string | null;

  private constructor(base: string | null) {
    this.#base = base;
    this.kind = base === null ? 'none' : 'cgroup';
  }

  /** Looks at what this machine can do, once. */
  static probe(): Containment {
    return new Containment(cgroupBase());
  }

  static readonly NONE = new Containment(null);

  /** Puts a process that waits to begin into the container of its instance. */
  enter(home: string, uid: string, pid: number): void {
    if (this.#base === null) return;
    const dir = join(this.#base, `evident-${uid}`);
    createCgroup(dir);
    writeFileSync(join(home, FILE), JSON.stringify({ kind: 'cgroup', dir } satisfies Container), {
      mode: 0o600,
    });
    enterCgroup(dir, pid);
  }
}

/** Ends everything in the container of an instance; resolves when it is empty. Null if it never had one. */
export async function endContainer(home: string): Promise<'empty' | null> {
  const container = containerOf(home);
  if (container === null) return null;
  const { dir } = container;
  for (let ms = KILLED_MS; !isEmptyCgroup(dir); ms -= POLL_MS) {
    if (ms <= 0) throw new StillInside(`Processes in ${dir} were killed and are still there.`);
    killCgroup(dir);
    await wait(POLL_MS);
  }
  removeCgroup(dir);
  return 'empty';
}

/** The processes in the container of an instance, also a daemon that init has adopted; none if it never had one. */
export function containedIn(home: string): readonly number[] {
  const container = containerOf(home);
  return container === null ? [] : processesIn(container.dir);
}

/** A file that could not be read is thrown: it is not the same as none (F122). */
function containerOf(home: string): Container | null {
  try {
    return JSON.parse(readFileSync(join(home, FILE), 'utf8')) as Container;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
