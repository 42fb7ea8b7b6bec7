import { droppedOutput } from '../contract/presentation/dropped-lines.ts';
import type { LogLine, LogQuery } from './log-line.ts';
import { type AttemptNumber, compareAttempts } from './log-path.ts';

/** Bounds the newest lines by which a follower recognises lines that it has sent. */
export const RECOGNISED_LINES = 2_000;
/** Bounds the lines that wait while a follower reads the stored ones: the reader may be slow, and the app fast (F121). */
const MAX_WAITING = 10_000;

/**
 * Sends the lines of one stream to one client. While it reads the stored lines, lines that are written
 * meanwhile wait; those that it has read are left out. A follower without an attempt moves on to a newer
 * attempt when that writes, and never back.
 */
export class Follower {
  readonly #query: LogQuery;
  readonly #onLine: (line: LogLine) => void;
  readonly #onStop: () => void;
  #waiting: { line: LogLine; written: number }[] | null = [];
  /** Lines that waited and were dropped, the oldest. */
  #dropped = 0;
  #attempt: AttemptNumber | null = null;
  #stopped = false;
  /** Lines that were sent or passed over, oldest first. */
  readonly #recognised = new Set<string>();

  constructor(query: LogQuery, onLine: (line: LogLine) => void, onStop: () => void) {
    this.#query = query;
    this.#onLine = onLine;
    this.#onStop = onStop;
  }

  /** Sends a line. A listener that throws is stopped; writing goes on. */
  send(line: LogLine): void {
    // A line that this process wrote may be found in its file first.
    if (this.#stopped || this.#isRecognised(line)) return;
    this.pass(line);
    try {
      this.#onLine(line);
    } catch {
      this.stop();
    }
  }

  /** Marks a line as sent without sending it. */
  pass(line: LogLine): void {
    if (line.notice) return;
    this.#recognised.add(nameOf(line));
    if (this.#recognised.size > RECOGNISED_LINES * 2)
      this.#recognised.delete(this.#recognised.values().next().value ?? '');
  }

  /** Sends lines from the files that are not recognised: another server wrote them. */
  offer(lines: readonly LogLine[]): void {
    for (const line of lines) if (!line.notice && !this.#isRecognised(line)) this.written(line, 0);
  }

  #isRecognised(line: LogLine): boolean {
    return !line.notice && this.#recognised.has(nameOf(line));
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  written(line: LogLine, written: number): void {
    const { revision, attempt, instance } = this.#query;
    if (revision !== undefined && line.revision !== revision) return;
    if (attempt !== undefined && line.attempt !== attempt) return;
    if (instance !== undefined && line.instance !== instance) return;
    if (this.#waiting !== null) this.#wait({ line, written });
    else if (this.#attempt === null || compareAttempts(line, this.#attempt) >= 0) {
      this.#attempt = line;
      this.send(line);
    }
  }

  /** Ends the waiting: the lines of `attempt` up to `upTo` were read. */
  goLive(attempt: AttemptNumber | null, upTo: number): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    this.#attempt = attempt;
    const [first] = waiting;
    if (this.#dropped > 0 && first !== undefined) {
      this.send({ ...first.line, line: droppedOutput(this.#dropped), notice: true });
    }
    for (const { line, written } of waiting) {
      const wasRead = attempt !== null && compareAttempts(line, attempt) === 0 && written <= upTo;
      if (!wasRead) this.written(line, written);
    }
  }

  /** Drops the older half at once: one by one, each line would move all others. */
  #wait(line: { line: LogLine; written: number }): void {
    this.#waiting?.push(line);
    if (this.#waiting !== null && this.#waiting.length > MAX_WAITING)
      this.#dropped += this.#waiting.splice(0, MAX_WAITING / 2).length;
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting = null;
    this.#onStop();
  }
}

/** The followers of each stream, in this process. */
export class Followers {
  readonly #byStream = new Map<string, Set<Follower>>();

  add(org: string, query: LogQuery, onLine: (line: LogLine) => void): Follower {
    const key = streamKey(org, query);
    const others = this.#byStream.get(key) ?? new Set();
    this.#byStream.set(key, others);
    const follower = new Follower(query, onLine, () => {
      others.delete(follower);
      if (others.size === 0 && this.#byStream.get(key) === others) this.#byStream.delete(key);
    });
    others.add(follower);
    return follower;
  }

  written(org: string, line: LogLine, written: number): void {
    for (const follower of this.#byStream.get(streamKey(org, line)) ?? []) follower.written(line, written);
  }
}

/** Identifies a line among all of its service and stream. */
const nameOf = ({ revision, attempt, instance, epoch, fence, seq }: LogLine) =>
  `${revision} ${attempt} ${instance} ${epoch} ${fence} ${seq}`;

const streamKey = (org: string, { service, stream }: { service: string; stream: string }) =>
  JSON.stringify([org, service, stream]);
