import { open, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OutputLine } from '../port.ts';

/** How far it was read: the byte, and the number of the last line before it. */
interface Position {
  readonly offset: number;
  readonly lines: number;
}

const CHUNK = 256 * 1024;
/** What has no end of line by then is cut there (F89). */
const LONGEST_LINE = 64 * 1024;
/** What was read is given up when the file is larger: an app may write for years. */
const LARGEST_FILE = 8 * 1024 ** 2;

/**
 * What an instance writes, read on from where it was last taken. The app writes into the file itself and needs nobody
 * to read it; lines are numbered from the first, so that after a crash the same line is sent under the same number.
 */
export class OutputFile {
  readonly #home: string;
  readonly #path: string;
  readonly #positionPath: string;
  #position: Position | null = null;
  /** Where each line that was handed out ends. */
  readonly #ends = new Map<number, number>();

  constructor(home: string) {
    this.#home = home;
    this.#path = join(home, 'output.log');
    this.#positionPath = join(home, 'output.json');
  }

  /** `ended`: no more will come, so a last line without an end is one too. */
  async read(maxLines: number, ended: boolean): Promise<readonly OutputLine[]> {
    const { offset, lines } = await this.#known();
    const { size } = await stat(this.#path).catch(() => ({ size: 0 }));
    if (size <= offset) return [];
    const file = await open(this.#path, 'r');
    let bytes: Buffer;
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(CHUNK), 0, CHUNK, offset);
      bytes = buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
    const found: OutputLine[] = [];
    this.#ends.clear();
    for (let at = 0; at < bytes.length && found.length < maxLines; ) {
      const newline = bytes.indexOf(0x0a, at);
      const rest = bytes.length - at;
      if (newline === -1 && rest < LONGEST_LINE && !(ended && bytes.length < CHUNK)) break;
      const end =
        newline === -1 || newline - at > LONGEST_LINE ? Math.min(at + LONGEST_LINE, bytes.length) : newline;
      const seq = lines + found.length + 1;
      found.push({ seq, line: bytes.subarray(at, end).toString('utf8').replace(/\r$/, '') });
      at = end === newline ? end + 1 : end;
      this.#ends.set(seq, offset + at);
    }
    return found;
  }

  async taken(lines: readonly OutputLine[]): Promise<void> {
    const last = lines.at(-1);
    const end = last === undefined ? undefined : this.#ends.get(last.seq);
    if (last === undefined || end === undefined) return;
    const { size } = await stat(this.#path);
    const spent = end > LARGEST_FILE && end === size;
    // Its writer appends, and goes on at the new end.
    if (spent) await truncate(this.#path, 0);
    this.#position = { offset: spent ? 0 : end, lines: last.seq };
    await writeFile(`${this.#positionPath}.tmp`, JSON.stringify(this.#position), { mode: 0o600 });
    await rename(`${this.#positionPath}.tmp`, this.#positionPath);
  }

  /** With everything else that the instance has left in its home. */
  async remove(): Promise<void> {
    await rm(this.#home, { recursive: true, force: true });
  }

  async #known(): Promise<Position> {
    this.#position ??= await readFile(this.#positionPath, 'utf8')
      .then((text) => JSON.parse(text) as Position)
      .catch(() => ({ offset: 0, lines: 0 }));
    return this.#position;
  }
}
