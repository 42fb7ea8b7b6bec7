import { OutcomeUnknown, Overloaded, Unavailable } from '../../store/port.ts';

interface ShareLimits {
  /** Caps the size of one transaction, so that nobody waits behind a giant. */
  readonly together: number;
  /** Caps the size that waits in one queue; a later caller is refused with a time to come again. */
  readonly waiting: number;
}

const LIMITS: ShareLimits = { together: 1_000, waiting: 20_000 };

/** A caller that waits for another's transaction. */
export interface Wait {
  readonly promise: Promise<void>;
  wake(): void;
}

/**
 * The pauses and wake-ups of `Sharing`. The simulator brings its own: it parks a waiting caller, learns which callers are
 * served, and stops a dead process.
 */
export interface SharingPauses {
  wait(): Wait;
  /** A short pause in which callers of the same moment, and callers that were just answered, can join. */
  pauseToJoin(): Promise<void> | undefined;
  /**
   * Called when a transaction is about to serve these callers beside its own; the returned function is called
   * when it is over.
   */
  serving(others: readonly Wait[]): () => void;
  isDeath(error: unknown): boolean;
}

const REAL_PAUSES: SharingPauses = {
  wait() {
    let wake = () => {};
    const promise = new Promise<void>((resolve) => {
      wake = resolve;
    });
    return { promise, wake };
  },
  pauseToJoin: () => new Promise((resolve) => setImmediate(resolve)),
  serving: () => () => {},
  isDeath: () => false,
};

interface QueuedJob {
  readonly job: unknown;
  outcome: PromiseSettledResult<unknown> | null;
}

/**
 * The jobs of a caller in the queue; it is woken with their outcomes, or without them to serve the next ones
 * itself.
 */
interface WaitingCaller {
  readonly queued: readonly QueuedJob[];
  readonly size: number;
  readonly wait: Wait | null;
}

interface JobQueue {
  readonly waiting: WaitingCaller[];
  /** The size of everything that is under way or waits. */
  load: number;
}

/**
 * Serves many callers of a process in one transaction: calls that arrive while one of their queue is in flight
 * share the next one. Locks, reads and the flush to the disk are then paid once for all of them, and a caller
 * that comes alone waits for nobody. The first of the waiting callers serves them all, itself among them, and
 * hands the queue on.
 */
export class Sharing {
  readonly #limits: ShareLimits;
  readonly #pauses: SharingPauses;
  readonly #queues = new Map<string, JobQueue>();

  constructor(limits: ShareLimits = LIMITS, pauses: SharingPauses = REAL_PAUSES) {
    this.#limits = limits;
    this.#pauses = pauses;
  }

  /**
   * `serve` does several jobs in one transaction, in order, and answers each; it must be the same for all of
   * a queue.
   */
  async join<Job, Result>(
    name: string,
    size: number,
    job: Job,
    serve: (jobs: readonly Job[]) => Promise<readonly Result[]>,
  ): Promise<Result> {
    const [outcome] = await this.joinAll(name, size, [job], serve);
    if (outcome === undefined) throw new Error('nobody has served this');
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  }

  /**
   * Several jobs of one caller, of that size in all: they wait as one, and each has an outcome of its own.
   * Rejected: to join with each at once; the simulator cannot park a caller that waits in several places.
   */
  async joinAll<Job, Result>(
    name: string,
    size: number,
    jobs: readonly Job[],
    serve: (jobs: readonly Job[]) => Promise<readonly Result[]>,
  ): Promise<readonly PromiseSettledResult<Result>[]> {
    if (jobs.length === 0) return [];
    const queue = this.#queues.get(name) ?? { waiting: [], load: 0 };
    if (queue.load > 0 && queue.load + size > this.#limits.waiting)
      throw new Overloaded(`${queue.load} pieces of work of this kind wait already`);
    const first = !this.#queues.has(name);
    this.#queues.set(name, queue);
    queue.load += size;
    const queued = jobs.map((job): QueuedJob => ({ job, outcome: null }));
    const mine: WaitingCaller = { queued, size, wait: first ? null : this.#pauses.wait() };
    if (mine.wait !== null) {
      queue.waiting.push(mine);
      await mine.wait.promise;
    }
    if (!isServed(queued)) await this.#serveNext(name, queue, mine, serve as Serve);
    return queued.flatMap(({ outcome }) =>
      outcome === null ? [] : [outcome],
    ) as PromiseSettledResult<Result>[];
  }

  /** Serves a group, led by the caller whose turn it is: the first in the queue, or the first to come. */
  async #serveNext(name: string, queue: JobQueue, leader: WaitingCaller, serve: Serve): Promise<void> {
    const pause = this.#pauses.pauseToJoin();
    if (pause !== undefined) await pause;
    if (queue.waiting[0] === leader) queue.waiting.shift();
    const group = [leader, ...this.#take(queue.waiting, this.#limits.together - leader.size)];
    const others = group.slice(1).flatMap(({ wait }) => wait ?? []);
    await this.#serve(
      group.flatMap(({ queued }) => queued),
      others,
      serve,
    );
    for (const { size } of group) queue.load -= size;
    const [next] = queue.waiting;
    if (next === undefined) this.#queues.delete(name);
    else next.wait?.wake();
    for (const served of group.slice(1)) served.wait?.wake();
  }

  #take(queue: WaitingCaller[], room: number): WaitingCaller[] {
    let left = room;
    let count = 0;
    for (const { size } of queue) {
      left -= size;
      if (left < 0) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  async #serve(queued: readonly QueuedJob[], others: readonly Wait[], serve: Serve): Promise<void> {
    const over = this.#pauses.serving(others);
    try {
      const values = await serve(queued.map(({ job }) => job));
      for (const [i, one] of queued.entries()) one.outcome = { status: 'fulfilled', value: values[i] };
    } catch (reason) {
      if (this.#pauses.isDeath(reason)) throw reason;
      if (queued.length === 1 || isOfTheStore(reason))
        for (const one of queued) one.outcome = { status: 'rejected', reason };
    } finally {
      over();
    }
    // A job of the group fails, or cannot be done with the others: each is served alone, so that its
    // neighbours do not fail with it.
    if (!isServed(queued)) for (const one of queued) await this.#serve([one], [], serve);
  }
}

type Serve = (jobs: readonly unknown[]) => Promise<readonly unknown[]>;

const isServed = (queued: readonly QueuedJob[]) => queued.every(({ outcome }) => outcome !== null);

/**
 * True of an error that no single job causes: repeating the jobs one by one would only load the store more. A
 * Conflict is not among them: jobs that lose every race together may win it alone.
 */
function isOfTheStore(error: unknown): boolean {
  return error instanceof OutcomeUnknown || error instanceof Unavailable || error instanceof Overloaded;
}
