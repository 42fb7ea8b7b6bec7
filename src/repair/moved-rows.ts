import { close, fstat, fsync, ftruncate, open, write } from 'node:fs';
import { type FileHandle, open as openHandle, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { getSystemErrorMap, promisify } from 'node:util';
import { Refusal } from '../contract/refusal.ts';
import { withNulls } from '../store/broken-row.ts';
import { syncDirectory } from '../store/sync-directory.ts';
import type { MovedRow } from './moved-row.ts';

const system = {
  close: promisify(close),
  fstat: promisify(fstat),
  fsync: promisify(fsync),
  ftruncate: promisify(ftruncate),
  open: promisify(open),
  write: promisify(write),
};

/** Rows that move out cannot be written; the message says what to do. */
class NotHandedOver extends Refusal {
  override readonly name = 'NotHandedOver';
}

/** The output for rows that move out, one JSON object a line. */
export interface MovedRows {
  /** When it resolves, the rows outlive this process, and in a file the machine's death. */
  write(rows: readonly MovedRow[]): Promise<void>;
  close(): Promise<void>;
}

interface MovedOptions {
  /** The rows stay in the store, so any output will do. Otherwise only a file may receive them. */
  readonly preview?: boolean;
}

/** A column that cannot be read is written as null. */
function linesOf(rows: readonly MovedRow[]): string {
  return rows.map(({ table, row }) => `${JSON.stringify({ table, row: withNulls(row) })}\n`).join('');
}

/** Appends to a file, for its owner alone: specs with their secrets are among the rows (S15). */
export async function movedInto(path: string, { preview = false }: MovedOptions = {}): Promise<MovedRows> {
  return failingAs(path, async () => {
    // Checked before it is opened: opening a pipe blocks until somebody reads it.
    const found = await stat(path).catch(unlessMissing);
    if (!preview && found?.isFile() === false) throw noFile(path);
    const fd = await system.open(path, 'a', 0o600);
    try {
      const append = await appendingTo(fd, { name: path, path, preview });
      if (found === null) await syncDirectory(dirname(path));
      return {
        write: (rows) => failingAs(path, () => append(linesOf(rows))),
        close: () => system.close(fd),
      };
    } catch (error) {
      await system.close(fd);
      throw error;
    }
  });
}

export async function movedToStandardOutput({ preview = false }: MovedOptions = {}): Promise<MovedRows> {
  const name = 'standard output';
  // The stream emits a failed write as an event as well; without a listener it would end the process.
  process.stdout.on('error', () => {});
  return failingAs(name, async () => {
    const append = await appendingTo(process.stdout.fd, { name, path: STANDARD_OUTPUT, preview });
    return { write: (rows) => failingAs(name, () => append(linesOf(rows))), close: async () => {} };
  });
}

/** The path that finds standard output as a file, if it is one. */
export const STANDARD_OUTPUT = '/dev/stdout';

type Append = (text: string) => Promise<void>;

interface RowsFile {
  readonly name: string;
  readonly path: string;
  readonly preview: boolean;
}

/**
 * Refuses an output that may not keep the rows: a pipe takes the bytes without a promise that somebody keeps
 * them, a device may not even take them, a file with other content would be spoilt, and a file without a name
 * is gone with its last user.
 */
async function appendingTo(fd: number, { name, path, preview }: RowsFile): Promise<Append> {
  const found = await system.fstat(fd);
  if (!found.isFile()) {
    if (!preview) throw noFile(name);
    // Files are not written as streams: on a full disk a stream reports a partly written page as written.
    return fd === process.stdout.fd ? streamed : (text) => writeAll(fd, Buffer.from(text));
  }
  if (found.nlink === 0) throw refused(name, 'was removed');
  if (found.size === 0) return appending(fd, true);
  const file = await openHandle(path, 'r');
  try {
    if (!(await beginsWithRow(file)))
      throw refused(name, 'holds something else than rows that were moved out');
    return appending(fd, await endsInLine(file, found.size));
  } finally {
    await file.close();
  }
}

const noFile = (name: string) =>
  refused(
    name,
    'is no file, so nobody can tell whether what is written there is kept',
    ', or only look with --export-only',
  );

const refused = (name: string, why: string, or = '') =>
  new NotHandedOver(
    `${name[0]?.toUpperCase()}${name.slice(1)} ${why}. Nothing was taken away. Name a file with -o${or}.`,
  );

function streamed(text: string): Promise<void> {
  return new Promise((done, fail) => {
    process.stdout.write(text, (error) => (error ? fail(error) : done()));
  });
}

function appending(fd: number, isAtLine: boolean): Append {
  let begin = isAtLine ? '' : '\n';
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

/** On a disk that fills up, a write may take fewer bytes than requested. */
const writeSome = async (fd: number, bytes: Buffer) => (await system.write(fd, bytes)).bytesWritten;

async function writeAll(fd: number, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += await writeSome(fd, bytes.subarray(at));
}

/** Removes the half of a page that failed, unless another process has appended meanwhile. */
async function cutBack(fd: number, from: number, to: number): Promise<void> {
  if ((await system.fstat(fd)).size === to) await system.ftruncate(fd, from);
}

const OURS = Buffer.from('{"table":"');

/** Compares only the bytes that are there: a crash may have cut the file short. */
async function beginsWithRow(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(OURS.length), 0, OURS.length, 0);
  return buffer.subarray(0, bytesRead).equals(OURS.subarray(0, bytesRead));
}

/** False if a crash cut the last line: the first row of the next run must not be appended to it. */
async function endsInLine(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code !== 'ENOENT') throw error;
  return null;
}

async function failingAs<T>(name: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof NotHandedOver) throw error;
    const { errno = 0, message } = error as NodeJS.ErrnoException;
    const why = getSystemErrorMap().get(errno)?.[1] ?? message;
    throw new NotHandedOver(
      `${name} cannot be written: ${why}. Nothing that is not written was taken away: make room or name another place, and run it again; a row that was written may then be there twice.`,
      { cause: error },
    );
  }
}
