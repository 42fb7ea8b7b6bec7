import { readdirSync } from 'node:fs';
import { couldNotLook } from '../supervise/could-not-look.ts';
import { type ProcessId, type Stat, statOf } from './proc.ts';

/** Every live process of this machine that the kernel shows us. Throws if nobody could look (F122). */
export function processTable(): ReadonlyMap<number, Stat> {
  const table = new Map<number, Stat>();
  for (const entry of readdirSync('/proc')) {
    const stat = /^\d+$/.test(entry) ? shownStat(Number(entry)) : null;
    if (stat !== null) table.set(Number(entry), stat);
  }
  return table;
}

/** Null also for a process that is hidden from our user, and so is none of an instance. */
function shownStat(pid: number): Stat | null {
  try {
    return statOf(pid);
  } catch (error) {
    if (couldNotLook(error)) throw error;
    return null;
  }
}

/**
 * The processes of an instance: its first one, its group and session, and everything that descends from those, in
 * whatever group or session. A start script is the parent of the server that it starts, and a server may overwrite the
 * environment in which it carried our mark, as nginx does.
 */
export function membersOf(
  { pid, startTicks }: ProcessId,
  table: ReadonlyMap<number, Stat>,
): ReadonlySet<number> {
  const children = new Map<number, number[]>();
  for (const [child, { parent }] of table) children.set(parent, [...(children.get(parent) ?? []), child]);
  const members = new Set<number>();
  const left: number[] = [];
  for (const [at, stat] of table)
    if (stat.group === pid || stat.session === pid || (at === pid && stat.startTicks === startTicks))
      left.push(at);
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (members.has(next)) continue;
    members.add(next);
    left.push(...(children.get(next) ?? []));
  }
  return members;
}

/** True if a process of the instance is suspended (SIGSTOP, a debugger): it is alive, and does nothing. */
export function hasSuspended(leader: ProcessId, table: ReadonlyMap<number, Stat>): boolean {
  return [...membersOf(leader, table)].some((pid) => /^[Tt]$/.test(table.get(pid)?.state ?? ''));
}
