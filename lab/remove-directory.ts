import { rm } from 'node:fs/promises';

/**
 * Removes a directory that processes wrote into until just now. Not `rmSync`: it lists a directory once, and fails for
 * good if one that is dying has written into it since; this lists it anew.
 */
export const removeDirectory = (dir: string): Promise<void> =>
  rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
