import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Between asking to end and ending it: a cancel is obeyed within 2 s, heartbeat and all. */
export const GRACE_MS = 500;
const LOOK_MS = 40;

/**
 * Ends everything that runs for a build: the group of the step, and whatever left the group but still has the build's
 * own home in its environment, which nothing else has. Done when all of it is gone.
 */
export async function endGroup(pid: number | undefined, home: string): Promise<void> {
  signalAll(pid, home, 'SIGTERM');
  const until = performance.now() + GRACE_MS;
  while (isAnyAlive(pid, home)) {
    if (performance.now() >= until) signalAll(pid, home, 'SIGKILL');
    await wait(LOOK_MS);
  }
}

/** Processes of builds in these homes, by pid: for whoever cleans up after a worker that was killed. */
export function processesAt(isHome: (home: string) => boolean): number[] {
  let entries: string[];
  try {
    entries = readdirSync('/proc');
  } catch {
    return []; // No /proc, as on macOS: the group is all that can be found.
  }
  return entries.flatMap((entry) => {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid) return [];
    const home = homeOf(entry);
    return home !== null && isHome(home) && !isZombie(entry) ? [Number(entry)] : [];
  });
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function signalAll(pid: number | undefined, home: string, name: NodeJS.Signals): void {
  if (pid !== undefined) signal(-pid, name);
  for (const stray of processesAt((at) => at === home)) signal(stray, name);
}

/** A group whose only members wait to be reaped is over: whoever should reap them is not ours to wait for. */
function isAnyAlive(pid: number | undefined, home: string): boolean {
  if (processesAt((at) => at === home).length > 0) return true;
  if (pid === undefined) return false;
  try {
    process.kill(-pid, 0);
  } catch {
    return false;
  }
  return !isZombie(String(pid));
}

function homeOf(pid: string): string | null {
  try {
    const found = readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .find((entry) => entry.startsWith('HOME='));
    return found === undefined ? null : found.slice('HOME='.length);
  } catch {
    return null;
  }
}

function isZombie(pid: string): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return /^[ZX]/.test(text.slice(text.lastIndexOf(')') + 2));
  } catch {
    return true;
  }
}
