import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { signal } from './proc.ts';

/**
 * The cgroup below which instances get one each: version 2, at the place where the agent itself is, if we may write
 * there. No controller is needed: it only holds processes together.
 */
export function cgroupBase(): string | null {
  const mounted = /^\S+ \S+ \S+ \S+ (\S+) .* - cgroup2 /m.exec(read('/proc/self/mountinfo'))?.[1];
  const own = /^0::(.*)$/m.exec(read('/proc/self/cgroup'))?.[1];
  if (mounted === undefined || own === undefined) return null;
  const probe = join(mounted, own, `evident-probe-${process.pid}`);
  try {
    mkdirSync(probe);
    rmdirSync(probe);
    return join(mounted, own);
  } catch {
    return null;
  }
}

export function createCgroup(dir: string): void {
  mkdirSync(dir, { recursive: true });
}

/** Moves a process that waits to begin; everything that it starts is born inside, and nothing can leave. */
export function enterCgroup(dir: string, pid: number): void {
  writeFileSync(join(dir, 'cgroup.procs'), String(pid));
}

/** True if no process is in it: the kernel counts them. A cgroup that is not there holds none. */
export function isEmptyCgroup(dir: string): boolean {
  return !existsSync(dir) || /^populated 0$/m.test(read(join(dir, 'cgroup.events')));
}

/** Kills all at once. Before Linux 5.14 one by one, frozen meanwhile: they must not fork faster than they are found. */
export function killCgroup(dir: string): void {
  try {
    writeFileSync(join(dir, 'cgroup.kill'), '1', { flag: 'r+' });
  } catch {
    const freeze = join(dir, 'cgroup.freeze');
    if (existsSync(freeze)) writeFileSync(freeze, '1');
    for (const pid of processesIn(dir)) signal(pid, 'SIGKILL');
    if (existsSync(freeze)) writeFileSync(freeze, '0');
  }
}

export function removeCgroup(dir: string): void {
  try {
    rmdirSync(dir);
  } catch {
    // Not empty yet, or gone: an empty cgroup costs nothing.
  }
}

export function processesIn(dir: string): readonly number[] {
  return read(join(dir, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
