import { appendFile, type FileHandle, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { FreeSpace } from '../artifact/free-space.ts';
import { asStorageError } from '../artifact/storage-errors.ts';
import { LineRedactor } from '../redact/key-block.ts';
import type { SecretValues } from '../redact/secret-values.ts';
import type { LogItem } from './log-item.ts';
import { segmentName } from './log-path.ts';
import { plainLine, storedLine } from './plain-line.ts';
import { type LogRecord, sourceName } from './record.ts';
import { backwards, dropSegment, type LogSnapshot, openSnapshot } from './segments.ts';
import { SequenceNumbers } from './sequence-numbers.ts';

export interface LogLimits {
  readonly maxLineBytes: number;
  /** Limits one stream of one attempt. */
  readonly maxStreamBytes: number;
  readonly minFreeBytes: number;
}

const MAX_SLICE_MS = 5;
/** Bounds the newest lines from which sequence numbers are read again after a restart. */
const REMEMBERED_LINES = 2000;
/** Bounds the sources of one stream in memory; an instance that is replaced every second would fill it. */
const MAX_SOURCES = 1000;

interface LineSource {
  readonly numbers: SequenceNumbers;
  readonly redactor: LineRedactor;
}

interface StreamState {
  readonly segments: number[];
  /** The size of the last segment. */
  size: number;
  readonly sources: Map<string, LineSource>;
}

const KEPT_SEGMENTS = { build: 3, run: 2 } as const;

/**
 * One stream of one attempt, in segments. `run` keeps the two newest segments; `build` also the first,
 * because a build is read from its first error to its last. A reader sees a notice where segments are
 * missing.
 *
 * The state in memory can be loaded again from the files: it may be dropped while nothing is in progress, and
 * is dropped when a write fails.
 */
export class StreamFile {
  readonly #dir: string;
  readonly #stream: 'build' | 'run';
  readonly #limits: LogLimits;
  readonly #space: FreeSpace;
  /** Other servers write here too. */
  readonly #isShared: boolean;
  #state: StreamState | null = null;
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

  /** Writes the lines that are new, in their order, and passes each to `onWritten` once it is in the file. */
  append(
    items: readonly LogItem[],
    values: SecretValues,
    receivedAt: number,
    onWritten: (record: LogRecord) => void,
  ): Promise<number> {
    return this.#alone(async () => {
      if (this.#state === null || (this.#isShared && !(await this.#isCurrent(this.#state))))
        this.#state = await this.#load(this.#state?.sources);
      const state = this.#state;
      const records = await this.#records(state, items, values, receivedAt);
      try {
        await this.#write(state, records);
      } catch (error) {
        this.#state = null;
        throw asStorageError(error);
      }
      for (const record of records) onWritten(record);
      return records.length;
    });
  }

  /** Opens the files as they are now. Calls `at` at that moment, while no write is in progress. */
  snapshot(at: () => void = () => {}): Promise<LogSnapshot> {
    return this.#alone(async () => {
      const snapshot = await openSnapshot(this.#dir, this.#stream);
      at();
      return snapshot;
    });
  }

  /** Runs `take`, which moves the files away, while no write is in progress; later writes begin new files. */
  handOver(take: () => Promise<void>): Promise<void> {
    return this.#alone(async () => {
      this.#state = null;
      await take();
    });
  }

  /** Searches lines for secrets in the one thread that also renews leases, and yields it in between (F92). */
  async #records(state: StreamState, items: readonly LogItem[], values: SecretValues, receivedAt: number) {
    const records: LogRecord[] = [];
    let since = performance.now();
    for (const item of items) {
      const record = this.#record(state.sources, item, values, receivedAt);
      if (record !== null) records.push(record);
      if (performance.now() - since < MAX_SLICE_MS) continue;
      await setImmediate();
      since = performance.now();
    }
    return records;
  }

  #record(
    sources: Map<string, LineSource>,
    item: LogItem,
    values: SecretValues,
    receivedAt: number,
  ): LogRecord | null {
    const instance = item.instance == null ? null : plainLine(item.instance);
    const name = sourceName(instance, item.epoch ?? null, item.fence ?? null);
    const source = sourceOf(sources, name);
    const seq = Number(item.seq);
    if (!Number.isSafeInteger(seq) || !source.numbers.add(seq)) return null;
    const line = storedLine(item.line, this.#limits.maxLineBytes, (text) =>
      source.redactor.line(text, values),
    );
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

  async #write(state: StreamState, records: readonly LogRecord[]): Promise<void> {
    const segmentBytes = Math.floor(this.#limits.maxStreamBytes / KEPT_SEGMENTS[this.#stream]);
    let batch: string[] = [];
    let size = state.size;
    for (const record of records) {
      const text = `${JSON.stringify(record)}\n`;
      const length = Buffer.byteLength(text);
      if (size > 0 && size + length > segmentBytes) {
        await this.#flush(state, batch);
        await this.#nextSegment(state);
        batch = [];
        size = 0;
      }
      batch.push(text);
      size += length;
    }
    await this.#flush(state, batch);
  }

  async #flush(state: StreamState, batch: readonly string[]): Promise<void> {
    if (batch.length === 0) return;
    const bytes = Buffer.from(batch.join(''));
    await this.#space.beforeWriting(bytes.length);
    await appendFile(this.#path(state.segments.at(-1) ?? 0), bytes, { mode: 0o600 });
    state.size += bytes.length;
  }

  async #nextSegment(state: StreamState): Promise<void> {
    state.segments.push((state.segments.at(-1) ?? 0) + 1);
    state.size = 0;
    const first = this.#stream === 'build' ? 1 : 0;
    while (state.segments.length > KEPT_SEGMENTS[this.#stream]) {
      const [oldest] = state.segments.splice(first, 1);
      if (oldest !== undefined) await dropSegment(this.#dir, this.#stream, oldest);
    }
  }

  /**
   * No other server has written since the state was loaded. If one had, a line that its sender repeats here,
   * because that server died, would be stored twice.
   */
  async #isCurrent({ segments, size }: StreamState): Promise<boolean> {
    const last = segments.at(-1) ?? 0;
    const [current, next] = await Promise.all([last, last + 1].map((number) => sizeOf(this.#path(number))));
    return (current ?? 0) === size && next === null;
  }

  /** Loads the state, but keeps the sources in memory: the next line of one may be in the middle of a key. */
  async #load(sources = new Map<string, LineSource>()): Promise<StreamState> {
    await mkdir(this.#dir, { recursive: true, mode: 0o700 });
    const snapshot = await openSnapshot(this.#dir, this.#stream);
    try {
      let lines = 0;
      for await (const found of backwards(snapshot)) {
        if (found !== 'missing') sourceOf(sources, found.source).numbers.add(Number(found.seq));
        lines += 1;
        if (lines === REMEMBERED_LINES) break;
      }
      const last = snapshot.segments.at(-1);
      let size = last?.size ?? 0;
      if (last !== undefined && size > 0 && !(await endsWithLineBreak(last.file, size))) {
        // A write was cut in two: its rest is skipped by readers, and must not spoil the next line.
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

function sourceOf(sources: Map<string, LineSource>, name: string): LineSource {
  const source = sources.get(name) ?? { numbers: new SequenceNumbers(), redactor: new LineRedactor() };
  // Moves the source to the end: the least recently used is dropped first.
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

async function endsWithLineBreak(file: FileHandle, size: number): Promise<boolean> {
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] === 0x0a;
}
