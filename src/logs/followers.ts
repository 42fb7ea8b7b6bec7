import type { LogLine, LogQuery } from './log-line.ts';
import { type AttemptNumber, compareAttempts } from './log-path.ts';

/** The number of newest lines by which a follower recognises what it has sent. */
export const KNOWN_LINES = 2_000;

/**
 * One who follows. While it reads what is there, lines written meanwhile wait; of those the ones it has read are
 * left out. Who named no attempt goes along to the next one when that speaks, and never back.
 */
export class Follower {
  readonly #query: LogQuery;
  readonly #onLine: (line: LogLine) => void;
  readonly #onStop: () => void;
  #waiting: { line: LogLine; written: number }[] | null = [];
  #attempt: AttemptNumber | null = null;
  #stopped = false;
  /** Lines that were sent or passed over, oldest first. */
  readonly #known = new Set<string>();

  constructor(query: LogQuery, onLine: (line: LogLine) => void, onStop: () => void) {
    this.#query = query;
    this.#onLine = onLine;
    this.#onStop = onStop;
  }

  /** Sends a line. A listener that throws is stopped; writing goes on. */
  tell(line: LogLine): void {
    // A line that this process wrote may be found in its file first.
    if (this.#stopped || this.#isKnown(line)) return;
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
    this.#known.add(nameOf(line));
    if (this.#known.size > KNOWN_LINES * 2) this.#known.delete(this.#known.values().next().value ?? '');
  }

  /** Takes lines from the files; those that another server wrote are new. */
  found(lines: readonly LogLine[]): void {
    for (const line of lines) if (!line.notice && !this.#isKnown(line)) this.written(line, 0);
  }

  #isKnown(line: LogLine): boolean {
    return !line.notice && this.#known.has(nameOf(line));
  }

  get isStopped(): boolean {
    return this.#stopped;
  }

  written(line: LogLine, written: number): void {
    const { revision, attempt, instance } = this.#query;
    if (revision !== undefined && line.revision !== revision) return;
    if (attempt !== undefined && line.attempt !== attempt) return;
    if (instance !== undefined && line.instance !== instance) return;
    if (this.#waiting !== null) this.#waiting.push({ line, written });
    else if (this.#attempt === null || compareAttempts(line, this.#attempt) >= 0) {
      this.#attempt = line;
      this.tell(line);
    }
  }

  /** Lines of `attempt` up to `upTo` were read. */
  goLive(attempt: AttemptNumber | null, upTo: number): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    this.#attempt = attempt;
    for (const { line, written } of waiting) {
      const wasRead = attempt !== null && compareAttempts(line, attempt) === 0 && written <= upTo;
      if (!wasRead) this.written(line, written);
    }
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

  tell(org: string, line: LogLine, written: number): void {
    for (const follower of this.#byStream.get(streamKey(org, line)) ?? []) follower.written(line, written);
  }
}

/** Identifies a line among all of its service and stream. */
export const nameOf = ({ revision, attempt, instance, epoch, fence, seq }: LogLine) =>
  `${revision} ${attempt} ${instance} ${epoch} ${fence} ${seq}`;

const streamKey = (org: string, { service, stream }: { service: string; stream: string }) =>
  JSON.stringify([org, service, stream]);
