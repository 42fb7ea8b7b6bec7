import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { writePrivately } from '../../server/admin-token.ts';
import type { CliSurroundings } from '../data-place.ts';
import { distrust, readOwnFile } from '../own-file.ts';
import { UsageError } from '../print-problem.ts';

/**
 * A server that this user signed in to: its address with the token that was made for it, or a data directory,
 * which holds both and is read anew each time.
 */
export type SavedContext =
  | { readonly server: string; readonly token: string; readonly expiresAt?: string }
  | { readonly data: string };

/** All contexts of a user. `current` is the one that commands use if nothing else names a server. */
interface SavedContexts {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, SavedContext>>;
}

const schema = z.object({
  current: z.string().nullable(),
  contexts: z.record(
    z.string(),
    z.union([
      z.object({ server: z.string(), token: z.string(), expiresAt: z.string().exactOptional() }),
      z.object({ data: z.string() }),
    ]),
  ),
});

const NONE: SavedContexts = { current: null, contexts: {} };

/** The file with the contexts, in the user's configuration folder. */
export function contextsFile({ env, home }: Pick<CliSurroundings, 'env' | 'home'>): string {
  const named = env.XDG_CONFIG_HOME ?? '';
  return join(isAbsolute(named) ? named : join(home, '.config'), 'evident', 'contexts.json');
}

/** Reads the contexts of this user; a file that others may read or write holds no token (F126). */
export function readContexts(surroundings: CliSurroundings): SavedContexts {
  const path = contextsFile(surroundings);
  if (!existsSync(path)) return NONE;
  const refused = distrust(dirname(path), surroundings.uid);
  if (refused !== null) throw new UsageError(refused);
  const file = readOwnFile(path, surroundings.uid, { secret: true });
  if ('refused' in file) throw new UsageError(file.refused);
  try {
    return schema.parse(JSON.parse(file.text));
  } catch {
    throw new UsageError(`${path} cannot be read. Remove it, and sign in again: evident login`);
  }
}

export async function writeContexts(surroundings: CliSurroundings, saved: SavedContexts): Promise<void> {
  const path = contextsFile(surroundings);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writePrivately(path, `${JSON.stringify(saved, null, 2)}\n`);
}

/** Adds a context, or replaces the one of that name, and makes it the current one. */
export const withSaved = (saved: SavedContexts, name: string, context: SavedContext): SavedContexts => ({
  current: name,
  contexts: { ...saved.contexts, [name]: context },
});

/** Without a context. If it was the current one, none is: commands must not turn to another server by themselves. */
export function withoutSaved({ current, contexts }: SavedContexts, name: string): SavedContexts {
  const { [name]: _, ...others } = contexts;
  return { current: current === name ? null : current, contexts: others };
}
