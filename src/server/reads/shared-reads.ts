import { ClientLeft } from '../http/client-left.ts';
import { Refused } from '../http/problems.ts';

/** Requests of one org that wait for different answers; more are refused. */
const MAX_WAITING = 100;

/** One run of a read, and how many still wait for its answer. */
interface SharedRun {
  readonly answer: Promise<unknown>;
  readonly stop: AbortController;
  waiting: number;
}

interface OrgReads {
  /** Runs that have not begun, by their question. */
  readonly queued: Map<string, SharedRun>;
  /** Ends with the last run that was queued. */
  last: Promise<void>;
  open: number;
}

/**
 * Runs long reads of an org one after the other, so that one org never has more than one of them on the thread
 * that all orgs share (F125), however many of its viewers ask. Callers with the same question share the next run of it, and a run that nobody
 * waits for any more is stopped.
 *
 * A caller never joins a run that has begun: it could have read before what the caller knows of.
 */
export class SharedReads {
  readonly #orgs = new Map<string, OrgReads>();

  async read<T>(
    org: string,
    question: string,
    work: (signal: AbortSignal) => Promise<T>,
    left: AbortSignal,
  ): Promise<T> {
    const reads = this.#orgs.get(org) ?? { queued: new Map(), last: Promise.resolve(), open: 0 };
    this.#orgs.set(org, reads);
    const run = reads.queued.get(question) ?? this.#queue(org, reads, question, work);
    run.waiting += 1;
    const leave = () => {
      run.waiting -= 1;
      if (run.waiting === 0) run.stop.abort(new ClientLeft('unavailable', 'Nobody waits for this answer.'));
    };
    if (left.aborted) leave();
    else left.addEventListener('abort', leave, { once: true });
    try {
      return (await run.answer) as T;
    } finally {
      left.removeEventListener('abort', leave);
    }
  }

  #queue<T>(
    org: string,
    reads: OrgReads,
    question: string,
    work: (signal: AbortSignal) => Promise<T>,
  ): SharedRun {
    if (reads.queued.size >= MAX_WAITING)
      throw new Refused(
        'too_many',
        `${MAX_WAITING} lists of this org wait to be read; wait for their answers.`,
        { limit: MAX_WAITING },
        1,
      );
    const stop = new AbortController();
    const begin = async () => {
      reads.queued.delete(question);
      stop.signal.throwIfAborted();
      return work(stop.signal);
    };
    const answer = reads.last.then(begin);
    const run: SharedRun = { answer, stop, waiting: 0 };
    reads.queued.set(question, run);
    reads.open += 1;
    const over = () => {
      reads.open -= 1;
      if (reads.open === 0) this.#orgs.delete(org);
    };
    reads.last = answer.then(over, over);
    return run;
  }
}
