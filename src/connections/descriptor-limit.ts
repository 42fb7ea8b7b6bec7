import { readFileSync } from 'node:fs';

/** The limit of a process that does not say its own. */
const USUAL = 1_024;

/** The number of files and sockets that this process may have open. */
export function descriptorLimit(): number {
  try {
    const soft = /^Max open files\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft) || USUAL;
  } catch {
    return USUAL;
  }
}

/** More connections than this cost more memory than a machine should give to waiting. */
const MOST = 20_000;

/** Their shares leave a part for the database, for files, for starting apps and for looking at them. */
const SHARES = {
  /** A client of the router also has a connection to an instance. */
  router: 0.3,
  server: 0.2,
} as const;

/** The connections that all listeners of a part may have open together (F122). */
export const connectionLimit = (part: keyof typeof SHARES, descriptors = descriptorLimit()): number =>
  Math.max(10, Math.min(MOST, Math.floor(descriptors * SHARES[part])));
