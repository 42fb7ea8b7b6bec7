import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSegmentName, segmentName } from './log-path.ts';
import { type LogRecord, readRecord } from './record.ts';

const BLOCK_BYTES = 64 * 1024;

/** The numbers of a stream's segments in an attempt's directory, ascending; none if there is no such directory. */
export async function segmentNumbers(dir: string, stream: string): Promise<number[]> {
  const names = await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names
    .map((name) => readSegmentName(stream, name))
    .filter((number) => number !== null)
    .sort((a, b) => a - b);
}

const droppedPath = (dir: string, stream: string) => join(dir, `${stream}.dropped`);

/** The lines of a stream that were dropped with their segments. Versions that did not count them left no file. */
async function droppedLines(dir: string, stream: string): Promise<number> {
  const text = await readFile(droppedPath(dir, stream), 'utf8').catch(() => '0');
  return Number(text) || 0;
}

/** Removes a segment, and counts its lines as dropped (F121). */
export async function dropSegment(dir: string, stream: string, number: number): Promise<void> {
  const path = join(dir, segmentName(stream, number));
  let lines = await droppedLines(dir, stream);
  try {
    for await (const block of createReadStream(path))
      for (let at = (block as Buffer).indexOf(0x0a); at !== -1; at = (block as Buffer).indexOf(0x0a, at + 1))
        lines += 1;
    await writeFile(`${droppedPath(dir, stream)}.tmp`, String(lines), { mode: 0o600 });
    await rename(`${droppedPath(dir, stream)}.tmp`, droppedPath(dir, stream));
  } catch {
    // Uncounted, on a full disk or beside another server: that it is missing is seen by its number.
  }
  await rm(path, { force: true });
}

/** A stream at one moment: open files stay readable while segments are written, rotated and removed. */
export interface LogSnapshot {
  readonly segments: readonly { readonly number: number; readonly file: FileHandle; readonly size: number }[];
  /** The lines that were dropped with the segments that are missing. */
  readonly dropped: number;
  close(): Promise<void>;
}

export async function openSnapshot(dir: string, stream: string): Promise<LogSnapshot> {
  const segments: { number: number; file: FileHandle; size: number }[] = [];
  const close = async () => {
    for (const { file } of segments) await file.close();
  };
  try {
    for (const number of await segmentNumbers(dir, stream)) {
      const file = await open(join(dir, segmentName(stream, number)), 'r');
      segments.push({ number, file, size: 0 });
      segments[segments.length - 1] = { number, file, size: (await file.stat()).size };
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { segments, dropped: await droppedLines(dir, stream), close };
}

/** A record, or a gap where segments are missing. */
type RecordOrGap = LogRecord | 'missing';

/**
 * Yields records from the newest to the oldest, read in blocks from the end: the last ten lines cost no more
 * than these.
 */
export async function* backwards({ segments }: LogSnapshot): AsyncGenerator<RecordOrGap> {
  for (let at = segments.length - 1; at >= 0; at--) {
    const segment = segments[at];
    if (segment === undefined) continue;
    for await (const text of linesBackwards(segment.file, segment.size)) {
      const record = readRecord(text);
      if (record !== null) yield record;
    }
    const expected = (segments[at - 1]?.number ?? -1) + 1;
    if (segment.number !== expected) yield 'missing';
  }
}

export async function* linesBackwards(file: FileHandle, size: number): AsyncGenerator<string> {
  let rest = Buffer.alloc(0);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - BLOCK_BYTES);
    const block = Buffer.alloc(end - start);
    const { bytesRead } = await file.read(block, 0, block.length, start);
    const bytes = Buffer.concat([block.subarray(0, bytesRead), rest]);
    end = start;
    let to = bytes.length;
    for (let at = bytes.lastIndexOf(0x0a, to - 1); at !== -1 && to > 0; ) {
      if (to > at + 1) yield bytes.toString('utf8', at + 1, to);
      to = at;
      at = to === 0 ? -1 : bytes.lastIndexOf(0x0a, to - 1);
    }
    rest = bytes.subarray(0, to);
  }
  if (rest.length > 0) yield rest.toString('utf8');
}
