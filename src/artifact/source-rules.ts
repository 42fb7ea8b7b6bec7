import { posix } from 'node:path';
import { LinkMap } from './link-map.ts';
import { SourceRejected } from './source-rejected.ts';
import type { TarEntry } from './tar-reader.ts';

export interface SourceLimits {
  /**
   * Counts files and directories, including directories that appear only in the paths of their files (F96).
   */
  readonly maxEntries: number;
  /** Size of the archive as it was sent. */
  readonly maxBytes: number;
  readonly maxUnpackedBytes: number;
  readonly maxFileBytes: number;
  /**
   * Highest ratio of unpacked to packed bytes, checked above `ratioFromBytes`: a few small zeros are no bomb.
   */
  readonly maxRatio: number;
  readonly ratioFromBytes: number;
  readonly maxPathBytes: number;
  readonly maxNameBytes: number;
  readonly maxDepth: number;
}

export const SOURCE_LIMITS: SourceLimits = {
  maxEntries: 100_000,
  maxBytes: 512 * 1024 ** 2,
  maxUnpackedBytes: 1024 ** 3,
  maxFileBytes: 512 * 1024 ** 2,
  maxRatio: 100,
  ratioFromBytes: 16 * 1024 ** 2,
  maxPathBytes: 1024,
  maxNameBytes: 255,
  maxDepth: 64,
};

/**
 * The entry at one path. Only a folder has children. Names are kept per folder, so memory is bounded by the
 * number of entries.
 */
interface SourceEntry {
  readonly name: string;
  readonly kind: 'folder' | 'file' | 'link';
  readonly children: Map<string, SourceEntry> | null;
}

/** Kinds of tar entries that are refused, in words (F95). */
const KINDS: Readonly<Record<string, string>> = {
  '3': 'a character device',
  '4': 'a block device',
  '6': 'a FIFO',
  S: 'a sparse file',
};

/**
 * The rules for one archive, applied entry by entry: files, directories and links inside one root, up to the
 * limits.
 */
export class SourceRules {
  readonly #limits: SourceLimits;
  readonly #root = new Map<string, SourceEntry>();
  readonly #links = new LinkMap(folded);
  #entries = 0;
  #files = 0;

  constructor(limits: SourceLimits) {
    this.#limits = limits;
  }

  take({ name, flag, mode, size, link }: TarEntry): void {
    if (flag === '2' && link !== null) {
      this.#takeLink(name, link);
      return;
    }
    if (flag === '1')
      throw new SourceRejected(
        'link',
        name,
        'is a hard link: pack the file itself (tar --hard-dereference).',
      );
    if (flag !== '0' && flag !== '5') {
      const kind = KINDS[flag] ?? `of kind "${flag}"`;
      throw new SourceRejected('special_file', name, `is ${kind}: only files and directories are taken.`);
    }
    if (flag === '0' && (mode & 0o6000) !== 0) {
      throw new SourceRejected('setuid', name, 'has the setuid or setgid bit: clear it (chmod -s).');
    }
    if (size > this.#limits.maxFileBytes) {
      throw new SourceRejected('file_too_large', name, `is larger than ${this.#limits.maxFileBytes} bytes.`);
    }
    this.#place(name, this.#parts(name), flag === '5' ? 'folder' : 'file');
    if (flag === '0') this.#files += 1;
  }

  /**
   * Checks the link's own text. `LinkMap` judges after the last entry whether it leaves through another link.
   */
  #takeLink(name: string, to: string): void {
    const parts = this.#parts(name);
    const reached = posix.normalize(posix.join(posix.dirname(parts.join('/')), to));
    if (to === '' || posix.isAbsolute(to) || /[\p{Cc}\\]/u.test(to) || /^\.\.(?:\/|$)/.test(reached))
      throw new SourceRejected('link', name, 'is a symbolic link that leads out of the archive.');
    // A link has no children, so no later entry can be written through it (F94).
    this.#place(name, parts, 'link');
    this.#links.add(parts, to);
    this.#files += 1;
  }

  /** Called for every unpacked piece: `packed` bytes have become `unpacked` bytes so far. */
  weigh(packed: number, unpacked: number): void {
    const { maxBytes, maxUnpackedBytes, ratioFromBytes, maxRatio } = this.#limits;
    if (packed > maxBytes) {
      throw new SourceRejected('too_large', null, `The archive is larger than ${maxBytes} bytes.`);
    }
    if (unpacked > maxUnpackedBytes) {
      const sentence = `The archive is larger than ${maxUnpackedBytes} bytes when unpacked.`;
      throw new SourceRejected('too_large_unpacked', null, sentence);
    }
    if (unpacked > ratioFromBytes && unpacked > packed * maxRatio) {
      const sentence = `The archive unpacks to more than ${maxRatio} times its size.`;
      throw new SourceRejected('compressed_too_well', null, sentence);
    }
  }

  finish(): void {
    const leaving = this.#links.leaving();
    if (leaving !== null)
      throw new SourceRejected('link', leaving, 'is a symbolic link that leads out of the archive.');
    if (this.#files === 0) throw new SourceRejected('nothing_inside', null, 'The archive holds no files.');
  }

  /**
   * Splits a path into its names, without the "." and the doubled slashes that tar writes. One bad name
   * refuses the whole path (F93).
   */
  #parts(path: string): string[] {
    const { maxPathBytes, maxNameBytes, maxDepth } = this.#limits;
    if (Buffer.byteLength(path) > maxPathBytes) {
      throw new SourceRejected('path_too_long', path, `is longer than ${maxPathBytes} bytes.`);
    }
    if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) {
      throw new SourceRejected('absolute_path', path, 'is an absolute path: pack relative to the directory.');
    }
    if (/[\p{Cc}\p{Zl}\p{Zp}\\]/u.test(path)) {
      throw new SourceRejected('unsafe_name', path, 'has a control character or a backslash in its name.');
    }
    const parts = path.split('/').filter((part) => part !== '' && part !== '.');
    if (parts.includes('..')) {
      throw new SourceRejected('leaves_the_archive', path, 'leaves the archive: no ".." in a path.');
    }
    // Checks only the start of the whole path: no program reads `a/-b` as an option, and some frameworks name
    // folders so.
    if (parts[0]?.startsWith('-')) {
      throw new SourceRejected('unsafe_name', path, 'would be read as an option: it begins with "-".');
    }
    if (parts.length > maxDepth) {
      throw new SourceRejected('path_too_deep', path, `is more than ${maxDepth} directories deep.`);
    }
    if (parts.some((part) => Buffer.byteLength(part) > maxNameBytes)) {
      throw new SourceRejected('path_too_long', path, `has a name of more than ${maxNameBytes} bytes in it.`);
    }
    return parts;
  }

  /**
   * Each path is taken once. Names that only some file systems tell apart count as the same (F97): on the
   * others the built files would not be the checked ones. A directory may be named again, by itself or by an
   * entry inside it.
   */
  #place(path: string, parts: readonly string[], kind: SourceEntry['kind']): void {
    if (parts.length === 0 && kind !== 'folder') {
      throw new SourceRejected('unsafe_name', path, 'is a file without a name.');
    }
    let folder = this.#root;
    parts.forEach((name, depth) => {
      const isInside = depth < parts.length - 1;
      const here = isInside ? 'folder' : kind;
      const key = folded(name);
      const there = folder.get(key);
      if (there !== undefined && (there.name !== name || here !== 'folder' || there.children === null))
        throw taken(path, there, there.name === name, isInside);
      const children = here === 'folder' ? new Map<string, SourceEntry>() : null;
      const place = there ?? this.#add(path, folder, key, { name, kind: here, children });
      folder = place.children ?? folder;
    });
  }

  #add(path: string, folder: Map<string, SourceEntry>, key: string, place: SourceEntry): SourceEntry {
    this.#entries += 1;
    if (this.#entries > this.#limits.maxEntries) {
      const sentence = `is one too many: more than ${this.#limits.maxEntries} files and directories.`;
      throw new SourceRejected('too_many_entries', path, sentence);
    }
    folder.set(key, place);
    return place;
  }
}

/** The refusal for an entry at a path that is already taken. */
function taken(path: string, { kind }: SourceEntry, isSameName: boolean, isInside: boolean): SourceRejected {
  if (isSameName && isInside && kind === 'link')
    return new SourceRejected(
      'link',
      path,
      'would be written through what is a symbolic link in the archive.',
    );
  if (!isSameName) return new SourceRejected('name_taken', path, 'differs from another only in spelling.');
  return new SourceRejected(
    'name_taken',
    path,
    isInside ? 'lies below what is a file in the archive.' : 'is in the archive twice.',
  );
}

/** One spelling for all names that a file system treats as the same, by ignoring case or by normalising. */
function folded(name: string): string {
  return /^[a-z0-9._-]*$/.test(name)
    ? name
    : name.normalize('NFD').toUpperCase().toLowerCase().normalize('NFD');
}
