import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeDurably } from '../supervise/state-file.ts';

const pathIn = (dir: string) => join(dir, 'identity');

/** The identity of a place, which lives as long as its directory; null if no agent has opened it yet. */
export async function storedIdentity(dir: string): Promise<string | null> {
  try {
    return (await readFile(pathIn(dir), 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** The identity of a place; creates one if it has none. */
export async function identityOf(dir: string): Promise<string> {
  const stored = await storedIdentity(dir);
  if (stored !== null) return stored;
  const identity = `process-${randomUUID()}`;
  await writeDurably(pathIn(dir), `${identity}\n`);
  return identity;
}
