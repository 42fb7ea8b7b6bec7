import { open, readdir, readFile, readlink, stat } from 'node:fs/promises';
import { isAbsolute, join, posix, relative, sep } from 'node:path';
import { Refusal } from '../contract/refusal.ts';
import { quoted } from './source-rejected.ts';
import { BLOCK } from './tar-header.ts';
import { type TarMember, tarHeader } from './tar-writer.ts';

/** A directory that cannot be an artifact. The message is a sentence that names the entry and the reason. */
export class PackRefused extends Refusal {
  override readonly name = 'PackRefused';
}

const CHUNK = 64 * 1024;

/**
 * Streams a directory as a tar. The same files give the same bytes on every machine and at every time:
 * entries are sorted, owners are 0, times are one fixed instant, and of the mode only "executable" is kept.
 *
 * Rejected: modern-tar's packer. It takes entries in the order of the file system, turns files that happen to
 * be hard links into links, and silently leaves out files that change meanwhile. A test unpacks these bytes
 * with modern-tar.
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
    // Sockets and pipes left behind by a build have no content to keep.
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

/**
 * The link's target relative to the link. A link out of the artifact is refused: the artifact will lie
 * elsewhere.
 */
function inside(root: string, path: string, to: string): string {
  const from = posix.dirname(path);
  const target = isAbsolute(to) ? relative(join(root, from), to).split(sep).join('/') : to;
  const reached = posix.normalize(posix.join(from, target));
  if (reached === '..' || reached.startsWith('../'))
    throw new PackRefused(`${quoted(path)} is a link out of the app, to ${quoted(to)}.`);
  return target === '' ? '.' : target;
}
