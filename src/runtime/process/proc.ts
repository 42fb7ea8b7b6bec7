import { readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';

/**
 * Identifies a process by its pid, its start in ticks since the boot, and the boot. A pid alone is no identity: the
 * kernel gives it to another process when its owner has ended.
 */
export interface ProcessId {
  readonly pid: number;
  readonly startTicks: string;
  readonly boot: string;
}

export interface Stat {
  /** The kernel's letter: R and S live, T and t are suspended. */
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly startTicks: string;
}

let boot: string | null = null;

export function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  return boot;
}

/**
 * The content of a file of the process; null if the process is gone, which only ENOENT and ESRCH say. Every other error
 * (no descriptor left, no permission) means that nobody could look, and is thrown (F122).
 */
function fileOf(pid: number, name: string, encoding: 'utf8' | 'latin1'): string | null {
  try {
    return readFileSync(`/proc/${pid}/${name}`, encoding);
  } catch (error) {
    if (isGone(error)) return null;
    throw error;
  }
}

const isGone = (error: unknown) => ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '');

/** Null if no such process is alive: one that only waits to be reaped is dead. Throws if nobody could look. */
export function statOf(pid: number): Stat | null {
  const text = fileOf(pid, 'stat', 'utf8');
  if (text === null) return null;
  // The name of the program stands in brackets and may hold brackets and blanks itself.
  const [state, parent, group, session, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const startTicks = rest[15];
  if (state === undefined || startTicks === undefined || state === 'Z' || state === 'X') return null;
  return { state, parent: Number(parent), group: Number(group), session: Number(session), startTicks };
}

export function identify(pid: number): ProcessId | null {
  const stat = statOf(pid);
  return stat === null ? null : { pid, startTicks: stat.startTicks, boot: bootId() };
}

/** True if exactly that process is still alive. Throws if nobody could look: that is never "dead" (F122). */
export function isAlive({ pid, startTicks, boot: since }: ProcessId): boolean {
  return since === bootId() && statOf(pid)?.startTicks === startTicks;
}

/** One variable of a process' environment as of its start; null if it has none, or is another user's. */
function variableOf(pid: number, name: string): string | null {
  let text: string | null;
  try {
    text = fileOf(pid, 'environ', 'latin1');
  } catch (error) {
    if (['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  const found = text?.split('\0').find((entry) => entry.startsWith(`${name}=`));
  return found === undefined ? null : found.slice(name.length + 1);
}

export interface Marked {
  readonly id: ProcessId;
  readonly group: number;
  readonly value: string;
}

/** Every live process with the variable in its environment. Descendants inherit it. Throws if nobody could look. */
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

/**
 * The signal in a code above 128, as init and shells hand it on for a program that a signal ended. A program that ends
 * with such a code itself is taken for one: nobody outside of a namespace is told the difference.
 */
export function signalIn(code: number): NodeJS.Signals | null {
  const found = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return found === undefined ? null : (found[0] as NodeJS.Signals);
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
