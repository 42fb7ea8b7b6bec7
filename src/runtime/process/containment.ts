import type { ChildProcess } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { A_USER } from './app-users.ts';
import {
  cgroupBase,
  createCgroup,
  enterCgroup,
  isEmptyCgroup,
  killCgroup,
  processesIn,
  removeCgroup,
} from './cgroup.ts';
import type { FileView } from './file-view.ts';
import { type Isolation, NO_ISOLATION } from './isolation.ts';
import { identify, isAlive, type ProcessId, signal } from './proc.ts';
import { enclose, type Sandbox } from './sandbox.ts';
import { workingSandbox } from './sandbox-trial.ts';

/** The container of an instance; written into its home, so that the next agent finds it. */
type Container =
  | { readonly kind: 'cgroup'; readonly dir: string }
  /** Its first process: everything in the namespace ends with it. */
  | { readonly kind: 'namespace'; readonly init: ProcessId };

type Means =
  | { readonly kind: 'cgroup'; readonly base: string }
  | { readonly kind: 'namespace'; readonly sandbox: Sandbox }
  | { readonly kind: 'none' };

const FILE = 'container.json';
/** The time the kernel has to end what was killed. */
const KILLED_MS = 5_000;
const POLL_MS = 5;
/** The descriptor on which a process waits to begin. */
const GATE_FD = 3;
/**
 * Waits until the process is in its container, then becomes the program; ends if whoever started it dies before. What
 * the shell adds to the environment is taken out again.
 */
const GATE = 'read -r _ <&3 || exit; exec 3<&-; unset PWD OLDPWD SHLVL _; exec "$@"';
/** The descriptor on which a sandbox tells the pid of its first process. */
const INFO_FD = 4;

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
  readonly #means: Means;

  private constructor(means: Means) {
    this.#means = means;
  }

  get kind(): Means['kind'] {
    return this.#means.kind;
  }

  /** Finds out what this machine can do, once. Instances that are isolated by namespaces are held by them too. */
  static probe(isolation: Isolation = NO_ISOLATION): Containment {
    if (isolation.kind === 'namespaces') return Containment.inNamespaces(isolation.sandbox);
    const base = cgroupBase();
    if (base !== null) return new Containment({ kind: 'cgroup', base });
    const sandbox = workingSandbox(null, isolation.kind === 'users' ? A_USER : null);
    return sandbox === null ? Containment.NONE : Containment.inNamespaces(sandbox);
  }

  static inNamespaces(sandbox: Sandbox): Containment {
    return new Containment({ kind: 'namespace', sandbox });
  }

  static readonly NONE = new Containment({ kind: 'none' });

  /** The argv and descriptors that start a program so that it waits to begin. */
  command(program: readonly string[], cwd: string, view: FileView | null): ContainedCommand {
    const means = this.#means;
    const words = ['/bin/sh', '-c', GATE, 'evident-gate', ...program];
    if (means.kind !== 'namespace') return { words, pipes: ['pipe'] };
    return {
      words: enclose(means.sandbox, { words, cwd, view, infoFd: INFO_FD }),
      pipes: ['pipe', 'pipe'],
    };
  }

  /** Lets a process begin that was started so, in the container `name`; gives the first process in it. */
  async begin(home: string, name: string, child: ChildProcess): Promise<number> {
    const gate = child.stdio[GATE_FD] as Writable;
    gate.on('error', () => {});
    try {
      const pid = await this.#enter(home, name, child);
      gate.end('\n');
      return pid;
    } catch (error) {
      gate.destroy();
      child.kill('SIGKILL');
      throw error;
    }
  }

  async #enter(home: string, name: string, child: ChildProcess): Promise<number> {
    const means = this.#means;
    const pid = child.pid ?? 0;
    switch (means.kind) {
      case 'none':
        rmSync(join(home, FILE), { force: true });
        return pid;
      case 'cgroup': {
        const dir = join(means.base, `evident-${name}`);
        createCgroup(dir);
        record(home, { kind: 'cgroup', dir });
        enterCgroup(dir, pid);
        return pid;
      }
      case 'namespace': {
        const init = identify(await firstProcess(child.stdio[INFO_FD] as Readable));
        if (init === null) throw new Error('Its namespace ended before it began.');
        record(home, { kind: 'namespace', init });
        return init.pid;
      }
    }
  }
}

interface ContainedCommand {
  readonly words: readonly string[];
  /** From descriptor 3 on. */
  readonly pipes: readonly 'pipe'[];
}

/** Reads to the end of what is told, and not of the stream: what waits outside of the namespace may hold that open. */
async function firstProcess(info: Readable): Promise<number> {
  let told = '';
  for await (const chunk of info) {
    told += chunk;
    if (told.includes('}')) break;
  }
  const pid = /"child-pid": (\d+)/.exec(told)?.[1];
  if (pid === undefined) throw new Error('Its namespace could not be made.');
  return Number(pid);
}

function record(home: string, container: Container): void {
  writeFileSync(join(home, FILE), JSON.stringify(container), { mode: 0o600 });
}

/** Ends everything in the container of an instance; resolves when it is empty. Null if it never had one. */
export async function endContainer(home: string): Promise<'empty' | null> {
  const container = containerOf(home);
  if (container === null) return null;
  for (let ms = KILLED_MS; !isEmpty(container); ms -= POLL_MS) {
    if (ms <= 0) throw new StillInside(`Processes in ${nameOf(container)} were killed and are still there.`);
    if (container.kind === 'cgroup') killCgroup(container.dir);
    else signal(container.init.pid, 'SIGKILL');
    await wait(POLL_MS);
  }
  if (container.kind === 'cgroup') removeCgroup(container.dir);
  return 'empty';
}

const nameOf = (container: Container) =>
  container.kind === 'cgroup' ? container.dir : `the namespace of process ${container.init.pid}`;

/** The kernel lets the first process of a namespace end only after all others have. Not looked at is not gone (F122). */
function isEmpty(container: Container): boolean {
  if (container.kind === 'cgroup') return isEmptyCgroup(container.dir);
  try {
    return !isAlive(container.init);
  } catch {
    return false;
  }
}

/**
 * The processes in the container of an instance, also a daemon that init has adopted; none if it never had one. Those of
 * a namespace descend from its first process, and are found by that.
 */
export function containedIn(home: string): readonly number[] {
  const container = containerOf(home);
  return container?.kind === 'cgroup' ? processesIn(container.dir) : [];
}

export const hasContainer = (home: string): boolean => containerOf(home) !== null;

/** The first process in the namespace of an instance; null if it has none. */
export function initOf(home: string): ProcessId | null {
  const container = containerOf(home);
  return container?.kind === 'namespace' ? container.init : null;
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
