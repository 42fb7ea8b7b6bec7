import { open, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { quoted } from './source-rejected.ts';
import { BLOCK } from './tar-header.ts';
import { type TarMember, tarHeader } from './tar-writer.ts';

/** A directory that cannot be an artifact. The message is a sentence: which entry, and why. */
export class PackRefused extends Error {
  override readonly name = 'PackRefused';
}

const CHUNK = 64 * 1024;

/**
 * A directory as a tar, streamed: the same files give the same bytes, whoever packs them, wherever and whenever. So
 * entries are sorted, owners are 0, times are one instant, and of modes only "executable" is kept.
 *
 * Not modern-tar's packer: it takes entries as the file system lists them, turns files that happen to be hard links into
 * links, and leaves out without a word what changes under it. What it unpacks from these bytes is a test.
 */
export async function* packed(dir: string): AsyncGenerator<Uint8Array> {
  for await (const path of pathsIn(dir, '')) yield* entryOf(dir, path);
  yield Buffer.alloc(2 * BLOCK);
}

async function* pathsIn(
  root: string,
  under: string,
): AsyncGenerator<{ path: string; kind: TarMember['kind'] }> {
  const entries = await readdir(join(root, under), { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    if (entry.isDirectory()) {
      yield { path, kind: 'directory' };
      yield* pathsIn(root, path);
    } else if (entry.isSymbolicLink()) yield { path, kind: 'link' };
    else if (entry.isFile()) yield { path, kind: 'file' };
    // Sockets and pipes that a build left behind have no content that could be kept.
  }
}

async function* entryOf(
  root: string,
  { path, kind }: { path: string; kind: TarMember['kind'] },
): AsyncGenerator<Uint8Array> {
  const at = join(root, path);
  if (kind === 'directory') yield tarHeader({ kind, path });
  else if (kind === 'link') yield tarHeader({ kind, path, to: inside(root, path, await readlink(at)) });
  else yield* fileOf(at, path);
}

async function* fileOf(at: string, path: string): AsyncGenerator<Uint8Array> {
  const { size, mode } = await stat(at);
  yield tarHeader({ kind: 'file', path, size, executable: (mode & 0o111) !== 0 });
  let read = 0;
  if (size <= CHUNK) {
    const bytes = await readFile(at);
    read = bytes.length;
    yield bytes;
  } else {
    const file = await open(at);
    try {
      for await (const chunk of file.createReadStream({ highWaterMark: CHUNK, autoClose: false })) {
        read += chunk.length;
        yield chunk;
      }
    } finally {
      await file.close();
    }
  }
  if (read !== size) throw new PackRefused(`${quoted(path)} changed while it was packed.`);
  yield Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);
}

/** Where a link leads, as seen from the link; out of the artifact it may not lead: it will lie elsewhere. */
function inside(root: string, path: string, to: string): string {
  const from = posix.dirname(path);
  const target = isAbsolute(to) ? relative(join(root, from), to).split(sep).join('/') : to;
  const reached = posix.normalize(posix.join(from, target));
  if (reached === '..' || reached.startsWith('../'))
    throw new PackRefused(`${quoted(path)} is a link out of the app, to ${quoted(to)}.`);
  return target === '' ? '.' : target;
}
