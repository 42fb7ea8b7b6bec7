import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FreeBytes, FreeSpace, freeBytes } from '../artifact/free-space.ts';
import { droppedLines } from '../contract/presentation/dropped-lines.ts';
import { NO_VALUES, type SecretValues } from '../redact/secret-values.ts';
import { type Follower, Followers, RECOGNISED_LINES } from './followers.ts';
import type { LogItem } from './log-item.ts';
import type { LogLine, LogQuery, StreamKey } from './log-line.ts';
import { type AttemptNumber, attemptPart, compareAttempts, pathPart, readAttemptPart } from './log-path.ts';
import { type LogRecord, recordStampOf } from './record.ts';
import { backwards, type LogSnapshot, segmentNumbers } from './segments.ts';
import { type LogLimits, StreamFile } from './stream-file.ts';

export const LOG_LIMITS: LogLimits = {
  maxLineBytes: 16 * 1024,
  maxStreamBytes: 12 * 1024 ** 2,
  minFreeBytes: 512 * 1024 ** 2,
};

export interface LogOptions {
  readonly limits: LogLimits;
  readonly now: () => number;
  /** The secrets of a service's own spec, to be replaced in its lines. */
  readonly secretsOf: (org: string, service: string) => Promise<SecretValues>;
  /** Other servers write here too: followers also look into the files. */
  readonly isShared: boolean;
  /** Reads the free space; replaced in tests. */
  readonly freeBytes: FreeBytes;
}

const MAX_TAIL = 10_000;
const MAX_OPEN_FILES = 500;
const LOOK_MS = 1_000;

/**
 * Stores logs in files, one directory per attempt: `<org>/<service>/r<revision>-a<attempt>/<stream>.ndjson`.
 * Logs are no evidence and prove nothing, so they stay out of the ledger and the database; each org has its
 * own directory (S13).
 */
export class LogStore {
  readonly #dir: string;
  readonly #options: LogOptions;
  readonly #space: FreeSpace;
  readonly #files = new Map<string, StreamFile>();
  readonly #followers = new Followers();
  /** Counts the lines written here, so that a follower can tell which of them it has read already. */
  #written = 0;

  private constructor(dir: string, options: LogOptions) {
    this.#dir = dir;
    this.#options = options;
    this.#space = new FreeSpace(dir, options.limits.minFreeBytes, options.freeBytes);
  }

  static async open(dir: string, options: Partial<LogOptions> = {}): Promise<LogStore> {
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const secretsOf = async () => NO_VALUES;
    return new LogStore(dir, {
      limits: LOG_LIMITS,
      now: Date.now,
      secretsOf,
      isShared: false,
      freeBytes,
      ...options,
    });
  }

  /**
   * Answers how many lines were new. After an error the same lines may be sent again: they are recognised by
   * their numbers.
   */
  async append(org: string, items: readonly LogItem[]): Promise<number> {
    let accepted = 0;
    for (const group of byStream(items)) {
      const [first] = group;
      if (first === undefined) continue;
      const { service, revision, attempt, stream } = first;
      const values = await this.#options.secretsOf(org, service);
      accepted += await this.#file(org, first).append(group, values, this.#options.now(), (record) => {
        this.#written += 1;
        const line = lineOf({ service, revision, attempt, stream }, record);
        this.#followers.written(org, line, this.#written);
      });
    }
    return accepted;
  }

  /** Reads the newest lines that match, the oldest of them first. */
  async read(org: string, query: LogQuery): Promise<LogLine[]> {
    const chosen = await this.#chosen(org, query);
    if (chosen === null) return [];
    return this.#tail(await this.#file(org, { ...query, ...chosen }).snapshot(), query, chosen);
  }

  /**
   * Sends the lines of `read`, each after the client has drained the one before, and then each line as it is
   * written, none twice and none left out, until it is stopped.
   */
  async follow(
    org: string,
    query: LogQuery,
    onLine: (line: LogLine) => void,
    drained: () => Promise<void> = async () => {},
  ): Promise<() => void> {
    const follower = this.#followers.add(org, query, onLine);
    try {
      await this.#catchUp(org, query, follower, drained);
    } catch (error) {
      follower.stop();
      throw error;
    }
    if (this.#options.isShared) this.#lookOn(org, query, follower);
    return () => follower.stop();
  }

  /** Looks once a second for lines that other servers have written. */
  #lookOn(org: string, query: LogQuery, follower: Follower): void {
    let before = '';
    const look = async () => {
      const chosen = await this.#chosen(org, query);
      if (chosen === null) return;
      const snapshot = await this.#file(org, { ...query, ...chosen }).snapshot();
      const sizes = JSON.stringify([chosen, snapshot.segments.map(({ number, size }) => [number, size])]);
      if (sizes === before) return void (await snapshot.close());
      before = sizes;
      follower.offer(await this.#tail(snapshot, { ...query, tail: RECOGNISED_LINES }, chosen));
    };
    // A failed look is ignored: the next one finds the same lines.
    const next = () => {
      if (!follower.isStopped)
        setTimeout(
          () =>
            void look()
              .catch(() => {})
              .then(next),
          LOOK_MS,
        ).unref();
    };
    next();
  }

  async #catchUp(
    org: string,
    query: LogQuery,
    follower: Follower,
    drained: () => Promise<void>,
  ): Promise<void> {
    const chosen = await this.#chosen(org, query);
    if (chosen === null) return follower.goLive(null, 0);
    let upTo = 0;
    const snapshot = await this.#file(org, { ...query, ...chosen }).snapshot(() => {
      upTo = this.#written;
    });
    const tail = Math.max(query.tail, this.#options.isShared ? RECOGNISED_LINES : 0);
    const lines = await this.#tail(snapshot, { ...query, tail }, chosen);
    const older = Math.max(0, lines.filter(({ notice }) => !notice).length - query.tail);
    for (const line of lines.splice(0, indexAfter(lines, older))) follower.pass(line);
    for (const line of lines) {
      follower.send(line);
      await drained();
    }
    follower.goLive(chosen, upTo);
  }

  /** The attempts of a service that have logs here, the newest first: for retention. */
  async attempts(org: string, service: string): Promise<AttemptNumber[]> {
    return (await attemptsIn(this.#dir, org, service)).sort(newestFirst);
  }

  /** Tells of each service of an org whether it has logs here. Read once, because few of many thousands may have some. */
  async whoHasLogs(org: string): Promise<(service: string) => boolean> {
    const names = new Set(await namesIn(join(this.#dir, pathPart(org))));
    return (service) => names.has(pathPart(service));
  }

  /** Runs `take`, which moves the directory of an attempt away, while nothing is written to it here. */
  async handOver(
    org: string,
    service: string,
    attempt: AttemptNumber,
    take: (dir: string) => Promise<void>,
  ): Promise<void> {
    const file = (stream: 'build' | 'run') => this.#file(org, { service, ...attempt, stream });
    await file('build').handOver(() =>
      file('run').handOver(() => take(attemptDir(this.#dir, org, service, attempt))),
    );
  }

  async #tail(
    snapshot: LogSnapshot,
    query: LogQuery,
    { revision, attempt }: AttemptNumber,
  ): Promise<LogLine[]> {
    const { service, stream, instance } = query;
    const wanted = Math.min(query.tail, MAX_TAIL);
    const lines: LogLine[] = [];
    // The same line may have been sent to two servers at the same moment.
    const names = new Set<string>();
    let count = 0;
    try {
      if (wanted <= 0) return [];
      for await (const found of backwards(snapshot)) {
        if (found === 'missing') {
          const next = lines.at(-1);
          if (next !== undefined)
            lines.push({ ...next, line: this.#missing(stream, snapshot.dropped), notice: true });
        } else if (count === wanted) break;
        else if (instance === undefined || found.instance === instance) {
          const name = `${found.source} ${found.seq}`;
          if (this.#options.isShared && names.has(name)) continue;
          names.add(name);
          lines.push(lineOf({ service, revision, attempt, stream }, found));
          count += 1;
        }
      }
    } finally {
      await snapshot.close();
    }
    return lines.reverse();
  }

  #missing(stream: string, dropped: number): string {
    const mebibytes = this.#options.limits.maxStreamBytes / 1024 ** 2;
    return `[${droppedLines(dropped)}: of an attempt's ${stream} log ${mebibytes} MiB are kept]`;
  }

  async #chosen(
    org: string,
    { service, stream, revision, attempt }: LogQuery,
  ): Promise<AttemptNumber | null> {
    if (revision !== undefined && attempt !== undefined) return { revision, attempt };
    for (const one of await this.attempts(org, service)) {
      if (revision !== undefined && one.revision !== revision) continue;
      if (attempt !== undefined && one.attempt !== attempt) continue;
      const dir = attemptDir(this.#dir, org, service, one);
      if ((await segmentNumbers(dir, stream)).length > 0) return one;
    }
    return null;
  }

  #file(org: string, of: StreamKey): StreamFile {
    const key = fileKey(org, of);
    const dir = attemptDir(this.#dir, org, of.service, of);
    const { limits, isShared } = this.#options;
    const file = this.#files.get(key) ?? new StreamFile(dir, of.stream, limits, this.#space, isShared);
    this.#files.delete(key);
    this.#files.set(key, file);
    if (this.#files.size > MAX_OPEN_FILES) this.#forgetOne();
    return file;
  }

  /** Forgets the least recently used file that is idle. */
  #forgetOne(): void {
    for (const [key, file] of this.#files) {
      if (!file.isIdle) continue;
      this.#files.delete(key);
      return;
    }
  }
}

const attemptDir = (place: string, org: string, service: string, attempt: AttemptNumber) =>
  join(place, pathPart(org), pathPart(service), attemptPart(attempt));

const newestFirst = (a: AttemptNumber, b: AttemptNumber) => compareAttempts(b, a);

async function attemptsIn(place: string, org: string, service: string): Promise<AttemptNumber[]> {
  const names = await namesIn(join(place, pathPart(org), pathPart(service)));
  return names.map(readAttemptPart).filter((attempt) => attempt !== null);
}

const namesIn = (dir: string) =>
  readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });

/** The index after the first `count` lines that are no notices. */
function indexAfter(lines: readonly LogLine[], count: number): number {
  let left = count;
  return count === 0 ? 0 : lines.findIndex(({ notice }) => !notice && --left === 0) + 1;
}

function byStream(items: readonly LogItem[]): Iterable<LogItem[]> {
  const groups = new Map<string, LogItem[]>();
  for (const item of items) {
    const key = fileKey('', item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups.values();
}

const fileKey = (org: string, { service, revision, attempt, stream }: StreamKey) =>
  JSON.stringify([org, service, revision, attempt, stream]);

function lineOf({ service, revision, attempt, stream }: StreamKey, record: LogRecord): LogLine {
  const { instance, seq, at, line, command = null } = record;
  return { service, revision, attempt, stream, instance, command, ...recordStampOf(record), seq, at, line };
}
