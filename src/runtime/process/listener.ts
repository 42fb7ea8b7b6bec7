import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { INSTANCE_VARIABLE } from './environment.ts';
import { markedWith } from './proc.ts';

const LISTEN = '0A';

/** The sockets that listen on a port, on any address, by the kernel's numbers. */
function listeners(port: number): ReadonlySet<string> {
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const found = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = read(table).split('\n').slice(1);
    for (const line of lines) {
      const fields = line.trim().split(/\s+/);
      if (fields[3] === LISTEN && fields[1]?.endsWith(local) && fields[9] !== undefined) found.add(fields[9]);
    }
  }
  return found;
}

/**
 * Finds whose socket listens on the port of an instance. The port was free when it was chosen, and another
 * process may have been faster than the app: its answers prove nothing about the instance (S1). `unknown`:
 * the kernel does not let us read it, which happens with no process of our own user.
 */
export function listenerOf(uid: string, port: number): 'ours' | 'foreign' | 'unknown' {
  const sockets = listeners(port);
  if (sockets.size === 0) return 'unknown';
  const pids = processesOf(uid);
  let readable = pids.length > 0;
  for (const pid of pids) {
    const open = socketsOf(pid);
    if (open === null) readable = false;
    else if (open.some((socket) => sockets.has(socket))) return 'ours';
  }
  return readable ? 'foreign' : 'unknown';
}

/** Empty also if nobody could look (F122): then whose the listener is stays unknown. */
function processesOf(uid: string): readonly number[] {
  try {
    return markedWith(INSTANCE_VARIABLE).flatMap(({ id, value }) => (value === uid ? id.pid : []));
  } catch {
    return [];
  }
}

function socketsOf(pid: number): readonly string[] | null {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? [];
      } catch {
        return [];
      }
    });
  } catch {
    return null;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
