import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../supervise/state-file.ts';

const pathIn = (dir: string) => join(dir, 'identity');

/** Of the place, as long as its directory lives: null where no agent has been yet. */
export async function knownIdentity(dir: string): Promise<string | null> {
  try {
    return (await readFile(pathIn(dir), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The same, given to the place if it has none. */
export async function identityOf(dir: string): Promise<string> {
  const known = await knownIdentity(dir);
  if (known !== null) return known;
  const identity = `process-${randomUUID()}`;
  await writeDurably(pathIn(dir), `${identity}\n`);
  return identity;
}
