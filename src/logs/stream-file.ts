import { appendFile, type FileHandle, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FreeSpace } from '../artifact/free-space.ts';
import { asStorageError } from '../artifact/storage-errors.ts';
import { LineRedactor } from '../redact/key-block.ts';
import type { KnownValues } from '../redact/known-values.ts';
import type { LogItem } from './log-item.ts';
import { segmentName } from './log-path.ts';
import { keptLine, plainLine } from './plain-line.ts';
import { type LogRecord, sourceName } from './record.ts';
import { Seen } from './seen.ts';
import { backwards, openSnapshot, type Snapshot } from './segments.ts';

export interface LogLimits {
  readonly maxLineBytes: number;
  /** Limits one stream of one attempt. */
  readonly maxStreamBytes: number;
  readonly minFreeBytes: number;
}

const MAX_SLICE_MS = 5;
/** After a restart, repetitions are known by so many of the newest lines. */
const REMEMBERED_LINES = 2000;
/** Sources of one stream that are kept in mind; an instance that is replaced every second would fill memory. */
const MAX_SOURCES = 1000;

interface Source {
  readonly seen: Seen;
  readonly redactor: LineRedactor;
}

interface Known {
  readonly segments: number[];
  /** The size of the last segment. */
  size: number;
  readonly sources: Map<string, Source>;
}

const KEPT_SEGMENTS = { build: 3, run: 2 } as const;

/**
 * One stream of one attempt, in segments. Of `run` the two newest segments are kept; of `build` also the first,
 * because a build is read from its first error to its last. What falls between is named when it is read.
 *
 * What it knows in memory can be had again from the files: it may be dropped whenever nothing is under way, and is
 * dropped when a write failed.
 */
export class StreamFile {
  readonly #dir: string;
  readonly #stream: 'build' | 'run';
  readonly #limits: LogLimits;
  readonly #space: FreeSpace;
  /** Other servers write here too. */
  readonly #isShared: boolean;
  #known: Known | null = null;
  #tail: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(dir: string, stream: 'build' | 'run', limits: LogLimits, space: FreeSpace, isShared: boolean) {
    this.#dir = dir;
    this.#stream = stream;
    this.#limits = limits;
    this.#space = space;
    this.#isShared = isShared;
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Writes those that are new, in their order, and hands each to `onWritten` once it is in the file. */
  append(
    items: readonly LogItem[],
    values: KnownValues,
    receivedAt: number,
    onWritten: (record: LogRecord) => void,
  ): Promise<number> {
    return this.#alone(async () => {
      if (this.#known === null || (this.#isShared && !(await this.#isAll(this.#known))))
        this.#known = await this.#load(this.#known?.sources);
      const known = this.#known;
      const records = await this.#records(known, items, values, receivedAt);
      try {
        await this.#write(known, records);
      } catch (error) {
        this.#known = null;
        throw asStorageError(error);
      }
      for (const record of records) onWritten(record);
      return records.length;
    });
  }

  /** Opens the files as they are now. Calls `at` at that moment, while no write is in progress. */
  snapshot(at: () => void = () => {}): Promise<Snapshot> {
    return this.#alone(async () => {
      const snapshot = await openSnapshot(this.#dir, this.#stream);
      at();
      return snapshot;
    });
  }

  /** While no write is under way, `take` takes its files elsewhere; what is written later begins anew. */
  handOver(take: () => Promise<void>): Promise<void> {
    return this.#alone(async () => {
      this.#known = null;
      await take();
    });
  }

  /** Lines are searched for secrets in the one thread that also renews leases: it is given back in between (F92). */
  async #records(known: Known, items: readonly LogItem[], values: KnownValues, receivedAt: number) {
    const records: LogRecord[] = [];
    let since = performance.now();
    for (const item of items) {
      const record = this.#record(known.sources, item, values, receivedAt);
      if (record !== null) records.push(record);
      if (performance.now() - since < MAX_SLICE_MS) continue;
      await setImmediate();
      since = performance.now();
    }
    return records;
  }

  #record(
    sources: Map<string, Source>,
    item: LogItem,
    values: KnownValues,
    receivedAt: number,
  ): LogRecord | null {
    const instance = item.instance == null ? null : plainLine(item.instance);
    const name = sourceName(instance, item.epoch ?? null, item.fence ?? null);
    const source = sourceOf(sources, name);
    const seq = Number(item.seq);
    if (!Number.isSafeInteger(seq) || !source.seen.add(seq)) return null;
    const line = keptLine(item.line, this.#limits.maxLineBytes, (text) => source.redactor.line(text, values));
    const at = Date.parse(item.at);
    return {
      at: new Date(Number.isNaN(at) ? receivedAt : at).toISOString(),
      source: name,
      seq: String(seq),
      instance,
      command: item.command == null ? null : plainLine(item.command),
      line,
    };
  }

  async #write(known: Known, records: readonly LogRecord[]): Promise<void> {
    const segmentBytes = Math.floor(this.#limits.maxStreamBytes / KEPT_SEGMENTS[this.#stream]);
    let batch: string[] = [];
    let size = known.size;
    for (const record of records) {
      const text = `${JSON.stringify(record)}\n`;
      const length = Buffer.byteLength(text);
      if (size > 0 && size + length > segmentBytes) {
        await this.#flush(known, batch);
        await this.#nextSegment(known);
        batch = [];
        size = 0;
      }
      batch.push(text);
      size += length;
    }
    await this.#flush(known, batch);
  }

  async #flush(known: Known, batch: readonly string[]): Promise<void> {
    if (batch.length === 0) return;
    const bytes = Buffer.from(batch.join(''));
    await this.#space.beforeWriting(bytes.length);
    await appendFile(this.#path(known.segments.at(-1) ?? 0), bytes, { mode: 0o600 });
    known.size += bytes.length;
  }

  async #nextSegment(known: Known): Promise<void> {
    known.segments.push((known.segments.at(-1) ?? 0) + 1);
    known.size = 0;
    const first = this.#stream === 'build' ? 1 : 0;
    while (known.segments.length > KEPT_SEGMENTS[this.#stream]) {
      const [oldest] = known.segments.splice(first, 1);
      if (oldest !== undefined) await rm(this.#path(oldest), { force: true });
    }
  }

  /** Nobody else has written meanwhile: what a sender repeats here, because another server died, would be there twice. */
  async #isAll({ segments, size }: Known): Promise<boolean> {
    const last = segments.at(-1) ?? 0;
    const [there, next] = await Promise.all([last, last + 1].map((number) => sizeOf(this.#path(number))));
    return (there ?? 0) === size && next === null;
  }

  /** Keeps the state of a source: its next line may be in the middle of a key. */
  async #load(sources = new Map<string, Source>()): Promise<Known> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const snapshot = await openSnapshot(this.#dir, this.#stream);
    try {
      let lines = 0;
      for await (const found of backwards(snapshot)) {
        if (found !== 'missing') sourceOf(sources, found.source).seen.add(Number(found.seq));
        lines += 1;
        if (lines === REMEMBERED_LINES) break;
      }
      const last = snapshot.segments.at(-1);
      let size = last?.size ?? 0;
      if (last !== undefined && size > 0 && !(await endsWhole(last.file, size))) {
        // A write was cut in two: what it left is passed over when read, and must not spoil the next line.
        await appendFile(this.#path(last.number), '\n');
        size += 1;
      }
      return {
        segments: last === undefined ? [0] : snapshot.segments.map(({ number }) => number),
        size,
        sources,
      };
    } finally {
      await snapshot.close();
    }
  }

  #path(number: number): string {
    return join(this.#dir, segmentName(this.#stream, number));
  }

  async #alone<T>(act: () => Promise<T>): Promise<T> {
    this.#waiting += 1;
    const mine = this.#tail.then(act, act);
    this.#tail = mine.catch(() => {});
    try {
      return await mine;
    } finally {
      this.#waiting -= 1;
    }
  }
}

function sourceOf(sources: Map<string, Source>, name: string): Source {
  const source = sources.get(name) ?? { seen: new Seen(), redactor: new LineRedactor() };
  // Moved to the end: whoever was not heard of for longest is forgotten first.
  sources.delete(name);
  sources.set(name, source);
  if (sources.size > MAX_SOURCES) sources.delete(sources.keys().next().value ?? '');
  return source;
}

/** Null: there is no such file. */
const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => null,
  );

async function endsWhole(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}
