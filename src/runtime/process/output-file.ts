import { mkdirSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { droppedOutput } from '../../contract/presentation/dropped-lines.ts';
import type { OutputLine } from '../port.ts';
import type { OutputSource } from '../supervise/instance-port.ts';
import type { AppUser } from './app-users.ts';
import { DROPPED, OutputPump, outputSegment } from './output-pump.ts';

/** The position up to which the output was taken. Positions of former versions have an offset and lines only. */
interface Position {
  /** The segment, and the byte in it. */
  readonly segment: number;
  readonly offset: number;
  /** The number of the last line before it. */
  readonly lines: number;
  /** Lines of this segment that were taken. */
  readonly taken: number;
  /** Dropped lines that were said, of those that the pump has counted. */
  readonly dropped: number;
  /** It is in a line whose beginning was taken: the rest is dropped, because it could begin with half a secret (S15). */
  readonly isMidLine?: boolean;
}

/** Bytes of one or more segments that follow each other. */
interface Piece {
  readonly segment: number;
  readonly offset: number;
  readonly bytes: Buffer;
}

const START: Position = { segment: 0, offset: 0, lines: 0, taken: 0, dropped: 0 };
const CHUNK = 256 * 1024;
const NEWLINE = 0x0a;
/** A longer line is cut here (F89). */
const LONGEST_LINE = 64 * 1024;
/** Versions before the pump let the app write to this file itself: it is read first. */
const FIRST_SEGMENT = 'output.log';

/**
 * The output of an instance, read on from the last line that was taken. A pump writes it into segments, and drops the
 * oldest if they are not taken in time; a line says how many are missing (F121). Lines are numbered from the first:
 * after a crash the same line is sent under the same number.
 */
export class OutputFile implements OutputSource {
  readonly #home: string;
  readonly #positionPath: string;
  readonly #pump: OutputPump;
  #position: Position | null = null;
  /** The position after each line that `read` gave, by its number. */
  readonly #ends = new Map<number, Position>();

  constructor(home: string) {
    this.#home = home;
    this.#positionPath = join(home, 'output.json');
    this.#pump = new OutputPump(home);
  }

  /** Gives the descriptor that the next life of the instance writes to; the caller closes it. */
  async begin(user: AppUser | null = null): Promise<number> {
    mkdirSync(this.#home, { recursive: true, mode: 0o700 });
    return this.#pump.open(await this.#nextSegment(), user);
  }

  get isComplete(): boolean {
    return !this.#pump.isAlive;
  }

  /** Ends the pump of an instance that is gone: something that escaped may hold its pipe. */
  end(): Promise<void> {
    return this.#pump.kill();
  }

  async read(maxLines: number, ended: boolean): Promise<readonly OutputLine[]> {
    const isComplete = this.isComplete;
    if (!ended && this.#pump.wasKilled) this.#pump.revive(await this.#nextSegment());
    const before = await this.#stored();
    const segments = this.#segments();
    const pieces = await this.#pieces(segments, before);
    const [first] = pieces;
    if (first === undefined) return [];
    const at = await this.#writtenAt(pieces.at(-1) ?? first);
    const found: OutputLine[] = [];
    this.#ends.clear();
    const isCut = first.segment !== before.segment && !segments.includes(before.segment);
    const dropped = this.#dropped();
    const missing = dropped - before.dropped - (isCut ? before.taken : 0);
    let lines = before.lines;
    if (missing > 0) {
      lines += 1;
      found.push({ seq: lines, at, line: droppedOutput(missing) });
      this.#ends.set(lines, { segment: first.segment, offset: first.offset, lines, taken: 0, dropped });
    }
    const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
    const isLast = ended && isComplete && bytes.length < CHUNK;
    let taken = first.segment === before.segment ? before.taken : 0;
    let segment = first.segment;
    let from = 0;
    if (before.isMidLine === true && !isCut) {
      const newline = bytes.indexOf(NEWLINE);
      from = newline === -1 ? bytes.length : newline + 1;
      const place = placeOf(pieces, from);
      taken = (place.segment === segment ? taken : 0) + (newline === -1 ? 0 : 1);
      segment = place.segment;
      const isMidLine = newline === -1;
      await this.#store({ ...place, lines: before.lines, taken, dropped: before.dropped, isMidLine });
    }
    while (from < bytes.length && found.length < maxLines) {
      const newline = bytes.indexOf(NEWLINE, from);
      const rest = bytes.length - from;
      if (newline === -1 && rest < LONGEST_LINE && !isLast) break;
      const end =
        newline === -1 || newline - from > LONGEST_LINE
          ? Math.min(from + LONGEST_LINE, bytes.length)
          : newline;
      lines += 1;
      found.push({ seq: lines, at, line: bytes.subarray(from, end).toString('utf8').replace(/\r$/, '') });
      // The last line of a life may lack its end.
      const isMidLine = newline === -1 && !(isLast && end === bytes.length);
      from = newline === -1 ? end : newline + 1;
      const place = placeOf(pieces, from);
      taken = (place.segment === segment ? taken : 0) + (newline === -1 ? 0 : 1);
      segment = place.segment;
      this.#ends.set(lines, { ...place, lines, taken, dropped, isMidLine });
      if (isMidLine) break;
    }
    return found;
  }

  async taken(lines: readonly OutputLine[]): Promise<void> {
    const last = lines.at(-1);
    const position = last === undefined ? undefined : this.#ends.get(last.seq);
    if (position === undefined) return;
    await this.#store(position);
    for (const segment of this.#segments()) if (segment < position.segment) this.#remove(segment);
  }

  /** Reads on from the position, over the ends of segments: a line may begin in one and end in the next. */
  async #pieces(segments: readonly number[], { segment: at, offset }: Position): Promise<readonly Piece[]> {
    const pieces: Piece[] = [];
    let room = CHUNK;
    for (const segment of segments.filter((one) => one >= at)) {
      const from = segment === at ? offset : 0;
      const bytes = await this.#bytes(segment, from, room);
      // The pump may have dropped it meanwhile: then the next look begins after the gap.
      if (bytes === null) break;
      if (bytes.length > 0) pieces.push({ segment, offset: from, bytes });
      room -= bytes.length;
      if (room === 0) break;
    }
    return pieces;
  }

  async #bytes(segment: number, from: number, most: number): Promise<Buffer | null> {
    try {
      const file = await open(this.#path(segment), 'r');
      try {
        const { size } = await file.stat();
        const length = Math.min(most, Math.max(0, size - from));
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
      throw error;
    }
  }

  async #writtenAt({ segment }: Piece): Promise<number> {
    const { mtimeMs } = await stat(this.#path(segment)).catch(() => ({ mtimeMs: Date.now() }));
    return Math.floor(Math.min(Date.now(), mtimeMs));
  }

  #segments(): readonly number[] {
    try {
      return readdirSync(this.#home)
        .map((name) =>
          name === FIRST_SEGMENT ? 0 : Number(/^output\.([1-9]\d*)\.log$/.exec(name)?.[1] ?? Number.NaN),
        )
        .filter((segment) => !Number.isNaN(segment))
        .sort((a, b) => a - b);
    } catch {
      return [];
    }
  }

  async #nextSegment(): Promise<number> {
    return Math.max((await this.#stored()).segment, ...this.#segments()) + 1;
  }

  #dropped(): number {
    try {
      return Number(readFileSync(join(this.#home, DROPPED), 'utf8'));
    } catch {
      return 0;
    }
  }

  #path(segment: number): string {
    return join(this.#home, segment === 0 ? FIRST_SEGMENT : outputSegment(segment));
  }

  #remove(segment: number): void {
    try {
      unlinkSync(this.#path(segment));
    } catch {
      // The pump was faster.
    }
  }

  async #store(position: Position): Promise<void> {
    this.#position = position;
    await writeFile(`${this.#positionPath}.tmp`, JSON.stringify(position), { mode: 0o600 });
    await rename(`${this.#positionPath}.tmp`, this.#positionPath);
  }

  async #stored(): Promise<Position> {
    this.#position ??= await readFile(this.#positionPath, 'utf8')
      .then((text) => ({ ...START, ...(JSON.parse(text) as Partial<Position>) }))
      .catch(() => START);
    return this.#position;
  }
}

/** The place of a byte that was read. The end of one segment is the end of it, not the start of the next. */
function placeOf(pieces: readonly Piece[], index: number): { segment: number; offset: number } {
  let left = index;
  for (const { segment, offset, bytes } of pieces) {
    if (left <= bytes.length) return { segment, offset: offset + left };
    left -= bytes.length;
  }
  throw new RangeError('after the last byte that was read');
}
