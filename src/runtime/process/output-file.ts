import { appendFileSync, closeSync, fstatSync, ftruncateSync, openSync, readSync } from 'node:fs';
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputLine } from '../port.ts';
import type { OutputSource } from '../supervise/instance-port.ts';

/** The position up to which the file was read: the byte, and the number of the last line before it. */
interface Position {
  readonly offset: number;
  readonly lines: number;
}

const CHUNK = 256 * 1024;
/** A longer line is cut here (F89). */
const LONGEST_LINE = 64 * 1024;
/** Lines that were taken are cut from a larger file: an app may write for years. */
const LARGEST_FILE = 8 * 1024 ** 2;
/** Bounds unread output, of which the newest part is kept: an app may write faster than it is read (F89). */
const MOST_UNREAD = 32 * 1024 ** 2;
const NEWEST_KEPT = 1024 ** 2;

/**
 * The output of an instance, read on from the last line that was taken. The app writes into the file itself and needs
 * nobody to read it. Lines are numbered from the first: after a crash the same line is sent under the same number.
 */
export class OutputFile implements OutputSource {
  readonly #path: string;
  readonly #positionPath: string;
  #position: Position | null = null;
  /** The byte after each line that `read` gave, by its number. */
  readonly #ends = new Map<number, number>();

  constructor(home: string) {
    this.#path = join(home, 'output.log');
    this.#positionPath = join(home, 'output.json');
  }

  async read(maxLines: number, ended: boolean): Promise<readonly OutputLine[]> {
    await this.#skip();
    const { size, mtimeMs } = await this.#stat();
    const { offset, lines } = await this.#stored(size);
    if (size <= offset) return [];
    const bytes = await this.#bytes(offset, CHUNK);
    const at = Math.floor(Math.min(Date.now(), mtimeMs));
    const found: OutputLine[] = [];
    this.#ends.clear();
    for (let from = 0; from < bytes.length && found.length < maxLines; ) {
      const newline = bytes.indexOf(0x0a, from);
      const rest = bytes.length - from;
      if (newline === -1 && rest < LONGEST_LINE && !(ended && bytes.length < CHUNK)) break;
      const end =
        newline === -1 || newline - from > LONGEST_LINE
          ? Math.min(from + LONGEST_LINE, bytes.length)
          : newline;
      const seq = lines + found.length + 1;
      found.push({ seq, at, line: bytes.subarray(from, end).toString('utf8').replace(/\r$/, '') });
      from = end === newline ? end + 1 : end;
      this.#ends.set(seq, offset + from);
    }
    return found;
  }

  async taken(lines: readonly OutputLine[]): Promise<void> {
    const last = lines.at(-1);
    const end = last === undefined ? undefined : this.#ends.get(last.seq);
    if (last === undefined || end === undefined) return;
    const { size } = await stat(this.#path);
    // Cut when the reader has caught up, and at last in any case: with an app that always writes it never catches up.
    const isSpent = (end > LARGEST_FILE && size - end <= CHUNK) || end > MOST_UNREAD;
    if (isSpent) cutBefore(this.#path, end);
    await this.#store({ offset: isSpent ? 0 : end, lines: last.seq });
  }

  /** Drops output that was written faster than it was read, and puts a note in its place. */
  async #skip(): Promise<void> {
    const { size } = await this.#stat();
    const { offset, lines } = await this.#stored(size);
    if (size - offset <= MOST_UNREAD) return;
    const newest = await this.#bytes(size - NEWEST_KEPT, NEWEST_KEPT);
    const complete = newest.subarray(newest.indexOf(0x0a) + 1);
    const mebibytes = Math.round((size - offset - complete.length) / 1024 ** 2);
    const note = `[${mebibytes} MiB are missing here: they were written faster than they could be sent]\n`;
    cutBefore(this.#path, size - complete.length, note);
    await this.#store({ offset: 0, lines });
  }

  async #stat(): Promise<{ readonly size: number; readonly mtimeMs: number }> {
    return stat(this.#path).catch(() => ({ size: 0, mtimeMs: 0 }));
  }

  async #bytes(from: number, most: number): Promise<Buffer> {
    const file = await open(this.#path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, from);
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  }

  async #store(position: Position): Promise<void> {
    this.#position = position;
    await writeFile(`${this.#positionPath}.tmp`, JSON.stringify(position), { mode: 0o600 });
    await rename(`${this.#positionPath}.tmp`, this.#positionPath);
  }

  /** A file shorter than the stored position was cut by an agent that died before it stored the new one. */
  async #stored(size: number): Promise<Position> {
    this.#position ??= await readFile(this.#positionPath, 'utf8')
      .then((text) => JSON.parse(text) as Position)
      .catch(() => ({ offset: 0, lines: 0 }));
    return size < this.#position.offset ? { ...this.#position, offset: 0 } : this.#position;
  }
}

/**
 * Cuts everything before a byte, and puts a note there. The writer appends, and goes on at the new end. Nothing can keep
 * it from writing meanwhile, so all is done synchronously: what it writes between the last read and the cut is lost.
 * Rejected: a pipe through a process of ours, which would have to outlive the agent and everything that can end it.
 */
function cutBefore(path: string, from: number, note = ''): void {
  const file = openSync(path, 'r+');
  try {
    const parts = [Buffer.from(note)];
    for (let at = from, size = fstatSync(file).size; at < size; size = fstatSync(file).size) {
      const part = Buffer.alloc(size - at);
      const read = readSync(file, part, 0, part.length, at);
      parts.push(part.subarray(0, read));
      at += read;
    }
    ftruncateSync(file, 0);
    const rest = Buffer.concat(parts);
    if (rest.length > 0) appendFileSync(path, rest);
  } finally {
    closeSync(file);
  }
}
