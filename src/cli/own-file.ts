import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs';

/**
 * Says why somebody else could have written a folder, or returns null. Links are followed: the owner and the mode
 * of what they lead to count.
 */
export function distrust(path: string, uid: number): string | null {
  return distrustOf(path, statSync(path), uid);
}

function distrustOf(path: string, stats: Stats, uid: number): string | null {
  if (stats.uid !== uid) return `${path} belongs to another user.`;
  if ((stats.mode & 0o022) !== 0)
    return `${path} may be written by others. If you trust what is in it: chmod go-w ${path}`;
  return null;
}

/** A file of the user's own, or the reason why it is not read. */
type OwnFile = { readonly text: string } | { readonly refused: string };

/**
 * Reads a file that only this user can have written. A `secret` file must also be unreadable to others: a
 * token that came with a cloned repository is readable, one that a server wrote is not.
 */
export function readOwnFile(path: string, uid: number, { secret }: { readonly secret: boolean }): OwnFile {
  let file: number;
  try {
    // A cloned repository may hold links that lead to the user's own files: a token must not be read by another name.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOOP')
      return { refused: `${path} is a link, and may lead to a file of another place.` };
    return { refused: `${path} may not be read by you.` };
  }
  try {
    // The opened file is judged, so that nobody can exchange it between the look and the reading.
    const stats = fstatSync(file);
    const refused = distrustOf(path, stats, uid);
    if (refused !== null) return { refused };
    if (secret && (stats.mode & 0o044) !== 0)
      return { refused: `${path} may be read by others. If a server of yours wrote it: chmod 600 ${path}` };
    return { text: readFileSync(file, 'utf8') };
  } finally {
    closeSync(file);
  }
}
