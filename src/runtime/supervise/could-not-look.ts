import { closeSync, openSync } from 'node:fs';

/** Errors of this machine that keep somebody from looking, and say nothing about what is looked at (F122). */
const OURS: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS']);

/** True if nobody could look: then nothing is observed, and the last observation ages. */
export const couldNotLook = (error: unknown): boolean => OURS.has((error as NodeJS.ErrnoException).code);

/** True if this many descriptors are left. Without them the kernel closes what it cannot accept, and tells nobody. */
export function descriptorsLeft(count: number): boolean {
  const opened: number[] = [];
  try {
    while (opened.length < count) opened.push(openSync('/dev/null', 'r'));
    return true;
  } catch {
    return false;
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}
