/** Errors of this machine that keep somebody from looking, and say nothing about what is looked at (F122). */
const OURS: ReadonlySet<string | undefined> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'ENOBUFS']);

/** True if nobody could look: then nothing is observed, and the last observation ages. */
export const couldNotLook = (error: unknown): boolean => OURS.has((error as NodeJS.ErrnoException).code);
