import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Time between SIGTERM and SIGKILL. A cancel must be obeyed within 2 s, heartbeat included. */
const GRACE_MS = 500;
const LOOK_MS = 40;
/** A killed process that has not ended after this time hangs in the kernel. */
const STUCK_MS = 10_000;

/**
 * Ends every process of a build: the process group of the step, and processes that left the group but still
 * have the build's home in their environment, which no other process has. Returns when all of them are gone.
 * A process that left the group and dropped the home before it was found is ended with the container of its build.
 */
export async function endGroup(pid: number | undefined, home: string): Promise<void> {
  if (existsSync('/proc/self')) await endAll((at) => at === home, { graceMs: GRACE_MS, group: pid });
  else if (pid !== undefined) await endBlindly(pid);
}

/**
 * Ends at once the processes that builds in these homes left behind, to clean up after a killed worker.
 * Returns false if one of them does not end, because it hangs in the kernel.
 */
export function endLeftovers(isHome: (home: string) => boolean): Promise<boolean> {
  return endAll(isHome, { graceMs: 0, limitMs: STUCK_MS });
}

/** Start time of a process in ticks of this boot. A pid alone may belong to a newer process. */
export function startOf(pid: number): string | null {
  return statOf(pid)?.[19] ?? null;
}

interface EndOptions {
  readonly graceMs: number;
  readonly limitMs?: number;
  readonly group?: number | undefined;
}

/**
 * Waits for, and kills, every process found once, by pid and start time: an ending process loses its
 * environment before it is gone, and a living one can replace it. A process born meanwhile is found by the
 * next search.
 */
async function endAll(
  isHome: (home: string) => boolean,
  { graceMs, limitMs = Number.POSITIVE_INFINITY, group }: EndOptions,
): Promise<boolean> {
  const began = performance.now();
  const found = new Map<number, string | null>();
  for (let isFirst = true; ; isFirst = false) {
    if (looked(found, isHome, group) && found.size === 0) return true;
    const waited = performance.now() - began;
    if (waited >= limitMs) return false;
    const name = waited >= graceMs ? 'SIGKILL' : isFirst ? 'SIGTERM' : null;
    if (name !== null) for (const pid of found.keys()) signal(pid, name);
    await wait(LOOK_MS);
  }
}

/** Adds what is there and removes what is gone. False if nobody could look: then nothing counts as gone (F122). */
function looked(
  found: Map<number, string | null>,
  isHome: (home: string) => boolean,
  group: number | undefined,
): boolean {
  try {
    for (const pid of processesOf(isHome, group)) found.set(pid, startOf(pid));
    for (const [pid, start] of found) if (isGone(pid) || startOf(pid) !== start) found.delete(pid);
    return true;
  } catch {
    return false;
  }
}

/** Signals each process by itself. A group number may belong to another group once its leader is gone. */
function processesOf(isHome: (home: string) => boolean, group: number | undefined): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry);
    if (!/^\d+$/.test(entry) || pid === process.pid) return [];
    const isOfGroup = group !== undefined && statOf(pid)?.[2] === String(group);
    return (isOfGroup || isHome(homeOf(pid) ?? '')) && !isGone(pid) ? [pid] : [];
  });
}

/** Without /proc, as on macOS, only the process group can be found. */
async function endBlindly(group: number): Promise<void> {
  const until = performance.now() + GRACE_MS;
  for (let name: NodeJS.Signals | 0 = 'SIGTERM'; signal(-group, name); ) {
    await wait(LOOK_MS);
    name = performance.now() >= until ? 'SIGKILL' : 0;
  }
}

/** Returns whether the process exists. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
}

function homeOf(pid: number): string | null {
  const found = fileOf(pid, 'environ')
    ?.split('\0')
    .find((entry) => entry.startsWith('HOME='));
  return found === undefined ? null : found.slice('HOME='.length);
}

function isGone(pid: number): boolean {
  return /^[ZX]?$/.test(statOf(pid)?.[0] ?? '');
}

/** The fields of /proc/PID/stat after the program's name, which may contain any character. */
function statOf(pid: number): string[] | null {
  const text = fileOf(pid, 'stat');
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Null if the process is gone or another user's; throws if nobody could look. */
function fileOf(pid: number, name: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return null;
    throw error;
  }
}
