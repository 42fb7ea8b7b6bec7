import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Between asking to end and ending it: a cancel is obeyed within 2 s, heartbeat and all. */
export const GRACE_MS = 500;
const LOOK_MS = 40;
/** Whoever is killed and does not end for so long waits for something that nobody can give it. */
const STUCK_MS = 10_000;

/**
 * Ends everything that runs for a build: the group of the step, and whatever left the group but still has the build's
 * own home in its environment, which nothing else has. Done when all of that is gone. Who left the group and gave up
 * the home before it was looked for is not found: for that a build would need a container.
 */
export async function endGroup(pid: number | undefined, home: string): Promise<void> {
  if (existsSync('/proc/self')) await endAll((at) => at === home, { graceMs: GRACE_MS, group: pid });
  else if (pid !== undefined) await endBlindly(pid);
}

/**
 * Ends at once what builds in these homes still run: for whoever cleans up after a worker that was killed. False: some
 * of it does not end, as what hangs in the kernel.
 */
export function endLeftovers(isHome: (home: string) => boolean): Promise<boolean> {
  return endAll(isHome, { graceMs: 0, limitMs: STUCK_MS });
}

/** When it started, in ticks of this boot: a pid alone is given to another when its owner has ended. */
export function startOf(pid: number): string | null {
  return statOf(pid)?.[19] ?? null;
}

interface Ending {
  readonly graceMs: number;
  readonly limitMs?: number;
  readonly group?: number | undefined;
}

/**
 * A process that is ending gives up its environment before it is gone, and one that is alive can replace it: whoever was
 * once found is waited for, and killed, by pid and start. One that is born meanwhile is found at the next look.
 */
async function endAll(
  isHome: (home: string) => boolean,
  { graceMs, limitMs = Number.POSITIVE_INFINITY, group }: Ending,
): Promise<boolean> {
  const began = performance.now();
  const found = new Map<number, string | null>();
  for (let isFirst = true; ; isFirst = false) {
    for (const pid of processesOf(isHome, group)) found.set(pid, startOf(pid));
    for (const [pid, start] of found) if (isGone(pid) || startOf(pid) !== start) found.delete(pid);
    if (found.size === 0) return true;
    const waited = performance.now() - began;
    if (waited >= limitMs) return false;
    const name = waited >= graceMs ? 'SIGKILL' : isFirst ? 'SIGTERM' : null;
    if (name !== null) for (const pid of found.keys()) signal(pid, name);
    await wait(LOOK_MS);
  }
}

/** One by one: a group is not signalled by its number, which another may have when its leader is gone. */
function processesOf(isHome: (home: string) => boolean, group: number | undefined): number[] {
  let entries: string[];
  try {
    entries = readdirSync('/proc');
  } catch {
    return [];
  }
  return entries.flatMap((entry) => {
    const pid = Number(entry);
    if (!/^\d+$/.test(entry) || pid === process.pid) return [];
    const isOfGroup = group !== undefined && statOf(pid)?.[2] === String(group);
    return (isOfGroup || isHome(homeOf(pid) ?? '')) && !isGone(pid) ? [pid] : [];
  });
}

/** Without /proc, as on macOS: the group is all that can be found. */
async function endBlindly(group: number): Promise<void> {
  const until = performance.now() + GRACE_MS;
  for (let name: NodeJS.Signals | 0 = 'SIGTERM'; signal(-group, name); ) {
    await wait(LOOK_MS);
    name = performance.now() >= until ? 'SIGKILL' : 0;
  }
}

/** Whether there was anybody to be signalled. */
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
  try {
    const found = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .find((entry) => entry.startsWith('HOME='));
    return found === undefined ? null : found.slice('HOME='.length);
  } catch {
    return null;
  }
}

function isGone(pid: number): boolean {
  return /^[ZX]?$/.test(statOf(pid)?.[0] ?? '');
}

/** What the kernel says of it from its state on; the name before that may hold anything. */
function statOf(pid: number): string[] | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
