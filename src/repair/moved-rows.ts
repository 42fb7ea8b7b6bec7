import { close, fstat, fsync, ftruncate, open, write } from 'node:fs';
import { open as openHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getSystemErrorMap, promisify } from 'node:util';
import { syncDirectory } from '../store/sync-directory.ts';
import type { Moved } from './archive.ts';

const system = {
  close: promisify(close),
  fstat: promisify(fstat),
  fsync: promisify(fsync),
  ftruncate: promisify(ftruncate),
  open: promisify(open),
  write: promisify(write),
};

/** What moves out cannot be handed over; whoever asked may ask again. */
export class NotHandedOver extends Error {
  override readonly name = 'NotHandedOver';

  constructor(where: string, cause: unknown) {
    const { errno = 0, message } = cause as NodeJS.ErrnoException;
    const why = getSystemErrorMap().get(errno)?.[1] ?? message;
    super(
      `${where} cannot be written: ${why}. Nothing that is not written was taken away: make room or name another place, and run it again; a row that was written may then be there twice.`,
      { cause },
    );
  }
}

/** Where rows that move out are written, one JSON object a line. */
export interface MovedRows {
  /** Once it has answered, the rows outlive this process, and those in a file the machine's death. */
  write(rows: readonly Moved[]): Promise<void>;
  close(): Promise<void>;
}

const linesOf = (rows: readonly Moved[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** Appends to a file, for its owner alone: specs with their secrets are among the rows (S15). */
export async function movedInto(path: string): Promise<MovedRows> {
  return failingAs(path, async () => {
    const fd = await system.open(path, 'a', 0o600);
    const isFile = (await system.fstat(fd)).isFile();
    if (isFile) await syncDirectory(dirname(path));
    const append = isFile ? await appending(fd, path) : (text: string) => writeWhole(fd, Buffer.from(text));
    return {
      write: (rows) => failingAs(path, () => append(linesOf(rows))),
      close: () => system.close(fd),
    };
  });
}

/** Of a pipe it is known that it took the bytes, and not whether anybody keeps them. */
export async function movedToStandardOutput(): Promise<MovedRows> {
  const name = 'standard output';
  const { fd } = process.stdout;
  // The stream of a file takes what a full disk took of a page for all of it.
  const append = (await system.fstat(fd)).isFile() ? await appending(fd, '/dev/stdout') : streamed;
  // A failure is told twice: to who waits for the write, and to whoever listens.
  process.stdout.on('error', () => {});
  return { write: (rows) => failingAs(name, () => append(linesOf(rows))), close: async () => {} };
}

function streamed(text: string): Promise<void> {
  return new Promise((done, fail) => {
    process.stdout.write(text, (error) => (error ? fail(error) : done()));
  });
}

async function appending(fd: number, readable: string): Promise<(text: string) => Promise<void>> {
  const { size } = await system.fstat(fd);
  let begin = size === 0 || (await endsInLine(readable, size)) ? '' : '\n';
  return async (text) => {
    const { size: end } = await system.fstat(fd);
    const bytes = Buffer.from(begin + text);
    let written = 0;
    try {
      while (written < bytes.length) written += await writeSome(fd, bytes.subarray(written));
      await system.fsync(fd);
    } catch (error) {
      await cutBack(fd, end, end + written).catch(() => {});
      throw error;
    }
    begin = '';
  };
}

/** A write may take less than it was given, on a disk that fills up. */
const writeSome = async (fd: number, bytes: Buffer) => (await system.write(fd, bytes)).bytesWritten;

async function writeWhole(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += await writeSome(fd, bytes.subarray(at));
}

/** A page that failed halfway leaves no half of it, unless another has appended meanwhile. */
async function cutBack(fd: number, from: number, to: number): Promise<void> {
  if ((await system.fstat(fd)).size === to) await system.ftruncate(fd, from);
}

/** A death in the middle of a line must not swallow the first row of the next run. */
async function endsInLine(path: string, size: number): Promise<boolean> {
  try {
    const file = await openHandle(path, 'r');
    try {
      const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
      return buffer[0] === 0x0a;
    } finally {
      await file.close();
    }
  } catch {
    // Not to be read by us: one line too many is empty.
    return false;
  }
}

async function failingAs<T>(name: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new NotHandedOver(name, error);
  }
}
