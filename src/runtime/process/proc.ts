import { readdirSync, readFileSync } from 'node:fs';

/**
 * Identifies a process by its pid, its start in ticks since the boot, and the boot. A pid alone is no identity: the
 * kernel gives it to another process when its owner has ended.
 */
export interface ProcessId {
  readonly pid: number;
  readonly startTicks: string;
  readonly boot: string;
}

interface Stat {
  readonly state: string;
  readonly group: number;
  readonly startTicks: string;
}

let boot: string | null = null;

export function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return boot;
}

/** Null if no such process is alive: one that only waits to be reaped is dead. */
function statOf(pid: number): Stat | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  // The name of the program stands in brackets and may hold brackets and blanks itself.
  const [state, , group, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startTicks = rest[16];
  if (state === undefined || startTicks === undefined || state === 'Z' || state === 'X') return null;
  return { state, group: Number(group), startTicks };
}

export function identify(pid: number): ProcessId | null {
  const stat = statOf(pid);
  return stat === null ? null : { pid, startTicks: stat.startTicks, boot: bootId() };
}

/** True if exactly that process is still alive. */
export function isAlive({ pid, startTicks, boot: since }: ProcessId): boolean {
  return since === bootId() && statOf(pid)?.startTicks === startTicks;
}

/** One variable of a process' environment as of its start; null if it has none, or we may not read it. */
function variableOf(pid: number, name: string): string | null {
  try {
    const found = readFileSync(`/proc/${pid}/environ`, 'latin1')
      .split('\0')
      .find((entry) => entry.startsWith(`${name}=`));
    return found === undefined ? null : found.slice(name.length + 1);
  } catch {
    return null;
  }
}

export interface Marked {
  readonly id: ProcessId;
  readonly group: number;
  readonly value: string;
}

/** Every live process with the variable in its environment. Descendants inherit it. */
export function markedWith(name: string): readonly Marked[] {
  return readdirSync('/proc').flatMap((entry) => {
    if (!/^\d+$/.test(entry)) return [];
    const pid = Number(entry);
    const value = variableOf(pid, name);
    const stat = value === null ? null : statOf(pid);
    if (value === null || stat === null) return [];
    return [{ id: { pid, startTicks: stat.startTicks, boot: bootId() }, group: stat.group, value }];
  });
}

/** The kernel's count of out-of-memory kills; null if it gives none. */
export function oomKills(): number | null {
  try {
    return Number(/^oom_kill (\d+)$/m.exec(readFileSync('/proc/vmstat', 'utf8'))?.[1] ?? Number.NaN);
  } catch {
    return null;
  }
}

/** Signals the whole group; does nothing if it has ended meanwhile, or has become another user's. */
export function signalGroup(group: number, name: NodeJS.Signals): void {
  signal(-group, name);
}

export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
