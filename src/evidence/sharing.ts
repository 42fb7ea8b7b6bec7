import { OutcomeUnknown, Overloaded, Unavailable } from '../store/port.ts';

export interface ShareLimits {
  /** How much one transaction takes at most, so that nobody waits behind a giant. */
  readonly together: number;
  /** How much may wait in a line; whoever comes then is told to come again later. */
  readonly waiting: number;
}

const LIMITS: ShareLimits = { together: 1_000, waiting: 20_000 };

/** One who waits for another's transaction. */
export interface Wait {
  readonly promise: Promise<void>;
  wake(): void;
}

/** Where the simulator has its hands: it parks who waits, learns who is served, and lets no dead process go on. */
export interface Turns {
  wait(): Wait;
  /** A moment in which those come who were answered just now, or called in the same one. */
  lull(): Promise<void> | undefined;
  /** A transaction is about to serve these beside its own caller; what it answers is called when it is over. */
  serving(others: readonly Wait[]): () => void;
  isDeath(error: unknown): boolean;
}

const TURNS: Turns = {
  wait() {
    let wake = () => {};
    const promise = new Promise<void>((resolve) => {
      wake = resolve;
    });
    return { promise, wake };
  },
  lull: () => new Promise((resolve) => setImmediate(resolve)),
  serving: () => () => {},
  isDeath: () => false,
};

/** A job in line; its caller is woken with an outcome, or without one to serve the next ones itself. */
interface Waiting {
  readonly job: unknown;
  readonly size: number;
  readonly wait: Wait | null;
  outcome: { readonly value: unknown } | { readonly error: unknown } | null;
}

interface Line {
  readonly queue: Waiting[];
  /** What is under way or waits, by size. */
  load: number;
}

/**
 * One transaction serves many callers of a process: what comes while one of its line is in flight shares the next
 * one. Locks, reads and the flush to the disk are then paid once for all of them, and who comes alone waits for
 * nobody. Of those who wait the first serves them all, itself among them, and hands the line on.
 */
export class Sharing {
  readonly #limits: ShareLimits;
  readonly #turns: Turns;
  readonly #lines = new Map<string, Line>();

  constructor(limits: ShareLimits = LIMITS, turns: Turns = TURNS) {
    this.#limits = limits;
    this.#turns = turns;
  }

  /** `serve` does several jobs in one transaction, in order, and answers each; it must be the same for all of a line. */
  async join<Job, Result>(
    name: string,
    size: number,
    job: Job,
    serve: (jobs: readonly Job[]) => Promise<readonly Result[]>,
  ): Promise<Result> {
    const line = this.#lines.get(name) ?? { queue: [], load: 0 };
    if (line.load > 0 && line.load + size > this.#limits.waiting)
      throw new Overloaded(`${line.load} pieces of work of this kind wait already`);
    const first = !this.#lines.has(name);
    this.#lines.set(name, line);
    line.load += size;
    const mine: Waiting = { job, size, wait: first ? null : this.#turns.wait(), outcome: null };
    if (mine.wait !== null) {
      line.queue.push(mine);
      await mine.wait.promise;
    }
    if (mine.outcome === null) await this.#serveNext(name, line, mine, serve as Serve);
    return outcomeOf(mine) as Result;
  }

  /** The one whose turn it is leads: it stands first in the queue, or was the first to come. */
  async #serveNext(name: string, line: Line, leader: Waiting, serve: Serve): Promise<void> {
    const lull = this.#turns.lull();
    if (lull !== undefined) await lull;
    if (line.queue[0] === leader) line.queue.shift();
    const group = [leader, ...this.#take(line.queue, this.#limits.together - leader.size)];
    await this.#serve(group, serve);
    for (const { size } of group) line.load -= size;
    const [next] = line.queue;
    if (next === undefined) this.#lines.delete(name);
    else next.wait?.wake();
    for (const served of group.slice(1)) served.wait?.wake();
  }

  #take(queue: Waiting[], room: number): Waiting[] {
    let left = room;
    let count = 0;
    for (const { size } of queue) {
      left -= size;
      if (left < 0) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  async #serve(group: readonly Waiting[], serve: Serve): Promise<void> {
    const over = this.#turns.serving(group.flatMap(({ wait }, i) => (i > 0 && wait !== null ? [wait] : [])));
    try {
      const values = await serve(group.map(({ job }) => job));
      for (const [i, one] of group.entries()) one.outcome = { value: values[i] };
    } catch (error) {
      if (this.#turns.isDeath(error)) throw error;
      if (group.length === 1 || isOfTheStore(error)) for (const one of group) one.outcome = { error };
    } finally {
      over();
    }
    // Something in the group cannot be done, or not together: its neighbours must not suffer for it.
    if (group.some(({ outcome }) => outcome === null))
      for (const one of group) await this.#serve([one], serve);
  }
}

type Serve = (jobs: readonly unknown[]) => Promise<readonly unknown[]>;

function outcomeOf({ outcome }: Waiting): unknown {
  if (outcome === null) throw new Error('nobody has served this');
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}

/**
 * Nobody's work is to blame: repeating them one by one would only load the store more. A Conflict is not among them:
 * what together loses every race may win it alone.
 */
function isOfTheStore(error: unknown): boolean {
  return error instanceof OutcomeUnknown || error instanceof Unavailable || error instanceof Overloaded;
}
