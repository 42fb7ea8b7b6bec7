import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The mark of a directory of files in a server's beat: its id, and its path at this server. */
export interface FilesMark {
  /** Null: the beat is of an older version, which recorded the path alone. */
  readonly id: string | null;
  readonly path: string;
}

const FILE = 'files-id';
const ID = /^[0-9a-f-]{36}$/;

/**
 * Reads the id of a directory of files, and gives it one where it has none. The id lies inside the directory, so that
 * one directory that two machines mount at different paths is one, and two directories of one name are two.
 */
export async function markFiles(path: string): Promise<FilesMark> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const file = join(path, FILE);
  const existing = await readId(file);
  if (existing !== null) return { id: existing, path };
  const draft = join(path, `${FILE}.${randomUUID()}`);
  await writeFile(draft, `${randomUUID()}\n`, { mode: 0o600 });
  try {
    // Two servers that begin together both read the id of the one that was first.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return;
      // Some network file systems have no hard links.
      if (error.code === 'EPERM' || error.code === 'ENOTSUP' || error.code === 'ENOSYS')
        return rename(draft, file);
      throw error;
    });
  } finally {
    await rm(draft, { force: true });
  }
  return { id: await readId(file), path };
}

async function readId(file: string): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const id = text.trim();
  return ID.test(id) ? id : null;
}

/** The text of the column `files` in a beat. */
export const markText = ({ id, path }: FilesMark) => (id === null ? path : `${id} ${path}`);

export function readMark(text: string): FilesMark {
  const [id = '', ...rest] = text.split(' ');
  return ID.test(id) && rest.length > 0 ? { id, path: rest.join(' ') } : { id: null, path: text };
}

export const isSameDirectory = (one: FilesMark, other: FilesMark) =>
  one.id === null || other.id === null ? one.path === other.path : one.id === other.id;
