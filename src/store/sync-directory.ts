import { open } from 'node:fs/promises';

/** A new file name is durable only when its directory is synced. */
export async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
