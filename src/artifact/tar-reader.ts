import { quoted, SourceRejected } from './source-rejected.ts';
import { BLOCK, isZero, readHeader, readPax, type TarHeader, untilNul } from './tar-header.ts';

export interface TarEntry {
  readonly name: string;
  /** The type flag of the header: '0' a file, '5' a directory, '1' and '2' links, … */
  readonly flag: string;
  readonly mode: number;
  readonly size: number;
  /** The target of a symbolic link, as written in the header. */
  readonly link: string | null;
}

/** A header that describes the next header. */
interface Meta {
  readonly flag: string;
  readonly bytes: Buffer;
  filled: number;
}

/** Long names and macOS attributes fit well; a larger header only fills memory. */
const MAX_META_BYTES = 1024 * 1024;

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const MEANS_MORE_THAN_ATTRIBUTES = /^(?:path|linkpath|size|GNU\.sparse\..*)$/;

/**
 * Reads the headers of a tar as it streams by, and skips the bodies. It holds one block or one header's
 * attributes, never a file.
 *
 * Rejected: modern-tar's decoder, which later unpacks. It takes every unknown flag for a file (a sparse file
 * would be built from in altered form), passes over attributes that it cannot parse, and hides the size of
 * entries without a body. This reader refuses archives that two readers could understand differently (F98). A
 * test shows that modern-tar reads the others as this reader does.
 */
export class TarReader {
  readonly #onEntry: (entry: TarEntry) => void;
  readonly #block = Buffer.alloc(BLOCK);
  #filled = 0;
  /** Bytes of a body and its padding still to be skipped. */
  #skip = 0;
  #meta: Meta | null = null;
  #pax: ReadonlyMap<string, Uint8Array> | null = null;
  #longName: Uint8Array | null = null;
  #longLink: Uint8Array | null = null;
  #zeroBlocks = 0;
  #last: string | null = null;

  constructor(onEntry: (entry: TarEntry) => void) {
    this.#onEntry = onEntry;
  }

  push(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length; ) {
      const rest = chunk.subarray(at);
      if (this.#zeroBlocks === 2) {
        if (!isZero(rest)) throw this.#damaged('there are bytes after its end');
        return;
      }
      if (this.#skip > 0) {
        const skipped = Math.min(this.#skip, rest.length);
        this.#skip -= skipped;
        at += skipped;
      } else if (this.#meta !== null) {
        at += this.#fillMeta(this.#meta, rest);
      } else {
        const taken = rest.subarray(0, BLOCK - this.#filled);
        this.#block.set(taken, this.#filled);
        this.#filled += taken.length;
        at += taken.length;
        if (this.#filled === BLOCK) this.#readBlock();
      }
    }
  }

  /** An archive ends with two blocks of zeros. Without them part of it may be missing. */
  end(): void {
    if (this.#zeroBlocks === 2) return;
    if (this.#last === null && this.#filled < BLOCK && this.#zeroBlocks === 0) throw notAnArchive();
    throw new SourceRejected('truncated', null, `The archive is cut off${this.#where()}: send it again.`);
  }

  #readBlock(): void {
    this.#filled = 0;
    if (isZero(this.#block)) {
      if (this.#pax !== null || this.#longName !== null || this.#longLink !== null)
        throw this.#damaged('a header describes no entry');
      this.#zeroBlocks += 1;
      return;
    }
    if (this.#zeroBlocks > 0) throw this.#damaged('an empty block stands between its entries');
    const header = readHeader(this.#block);
    if (header === 'no_header') {
      throw this.#last === null && this.#pax === null ? notAnArchive() : this.#damaged('a checksum is wrong');
    }
    if (header === 'no_numbers') throw this.#damaged('a header holds no proper numbers');
    const { flag, size } = header;
    if (flag !== 'x' && flag !== 'g' && flag !== 'L' && flag !== 'K') {
      this.#readEntry(header);
      return;
    }
    if (size > MAX_META_BYTES) throw this.#damaged('a header is too large');
    this.#meta = { flag, bytes: Buffer.alloc(size), filled: 0 };
    if (size === 0) this.#readMeta(this.#meta);
  }

  #readEntry({ name: plainName, flag, mode, size, link: plainLink }: TarHeader): void {
    const [pax, longName, longLink] = [this.#pax, this.#longName, this.#longLink];
    this.#pax = null;
    this.#longName = null;
    this.#longLink = null;
    const path = pax?.get('path');
    if (path !== undefined && longName !== null) throw this.#damaged('an entry is named twice');
    const name = this.#text(path ?? longName ?? plainName);
    const paxSize = pax?.get('size');
    if (paxSize !== undefined && this.#text(paxSize) !== String(size)) {
      throw new SourceRejected('damaged', name, 'is said to have two different sizes.');
    }
    if (pax !== null && [...pax.keys()].some((key) => key.startsWith('GNU.sparse.'))) {
      throw new SourceRejected('special_file', name, 'is a sparse file: pack it without --sparse.');
    }
    const isFile = flag === '0' || flag === '\0';
    const linkpath = pax?.get('linkpath');
    if (linkpath !== undefined && longLink !== null) throw this.#damaged('a link is named twice');
    const link = flag === '2' ? this.#text(linkpath ?? longLink ?? plainLink) : null;
    const entry = { name, mode, size, link, flag: isFile ? (name.endsWith('/') ? '5' : '0') : flag };
    if (entry.flag === '5' && size > 0) {
      throw new SourceRejected('damaged', name, 'is a directory with a content of its own.');
    }
    this.#onEntry(entry);
    this.#last = name;
    this.#skip = size + padding(size);
  }

  #fillMeta(meta: Meta, rest: Uint8Array): number {
    const taken = rest.subarray(0, meta.bytes.length - meta.filled);
    meta.bytes.set(taken, meta.filled);
    meta.filled += taken.length;
    if (meta.filled === meta.bytes.length) this.#readMeta(meta);
    return taken.length;
  }

  #readMeta({ flag, bytes }: Meta): void {
    this.#meta = null;
    this.#skip = padding(bytes.length);
    if (flag === 'L') {
      if (this.#longName !== null) throw this.#damaged('an entry is named twice');
      this.#longName = untilNul(bytes);
    } else if (flag === 'K') {
      if (this.#longLink !== null) throw this.#damaged('a link is named twice');
      this.#longLink = untilNul(bytes);
    } else if (flag === 'x' || flag === 'g') {
      const records = readPax(bytes);
      if (records === null) throw this.#damaged('its attributes cannot be read');
      if (flag === 'x') {
        if (this.#pax !== null) throw this.#damaged('an entry is described twice');
        this.#pax = records;
      } else if ([...records.keys()].some((key) => MEANS_MORE_THAN_ATTRIBUTES.test(key))) {
        throw this.#damaged('one name or size is given to all entries');
      }
    }
  }

  #text(bytes: Uint8Array): string {
    try {
      return UTF8.decode(bytes);
    } catch {
      const printable = Buffer.from(bytes).toString('latin1');
      throw new SourceRejected('unsafe_name', printable, 'has a name that is not UTF-8: rename it.');
    }
  }

  #damaged(what: string): SourceRejected {
    return new SourceRejected('damaged', null, `The archive is damaged${this.#where()}: ${what}.`);
  }

  #where(): string {
    return this.#last === null ? '' : ` after ${quoted(this.#last)}`;
  }
}

const padding = (size: number) => (BLOCK - (size % BLOCK)) % BLOCK;

function notAnArchive(): SourceRejected {
  return new SourceRejected('not_an_archive', null, 'The source is neither a tar nor a tar.gz.');
}
