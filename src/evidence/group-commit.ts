import type { ItemResult } from '../contract/evidence.ts';
import { Conflict, OutcomeUnknown, Overloaded, Unavailable } from '../store/port.ts';
import type { Caller } from './caller.ts';
import { throughDoor } from './door.ts';
import type { Host } from './host.ts';
import { needsOf, read, type Submission, submitThrough } from './submit.ts';

/** A submission whose sender waits for its verdicts. */
interface Waiting extends Submission {
  readonly answer: (verdicts: ItemResult[]) => void;
  readonly fail: (error: unknown) => void;
}

export interface GroupLimits {
  /** Items that one commit takes at most, so that nobody waits behind a giant. */
  readonly together: number;
  /** Items that may wait per org; whoever comes then is told to come again later. */
  readonly waiting: number;
}

const LIMITS: GroupLimits = { together: 1_000, waiting: 20_000 };

/**
 * Group commit: what is submitted while a commit of the same org is in flight shares the next one. One flush to
 * the disk then serves them all, and who submits alone waits for nobody. The verdicts are per item, as always.
 */
export class GroupCommit {
  readonly #host: Host;
  readonly #limits: GroupLimits;
  readonly #orgs = new Map<string, { readonly queue: Waiting[]; items: number }>();

  constructor(host: Host, limits: GroupLimits = LIMITS) {
    this.#host = host;
    this.#limits = limits;
  }

  async submit(caller: Caller, items: readonly unknown[]): Promise<ItemResult[]> {
    const { org } = caller;
    const line = this.#orgs.get(org) ?? { queue: [], items: 0 };
    if (line.items > 0 && line.items + items.length > this.#limits.waiting)
      throw new Overloaded(`${line.items} pieces of evidence of this org wait already`);
    const submission = read(caller, items);
    return new Promise((answer, fail) => {
      line.items += items.length;
      line.queue.push({ ...submission, answer, fail });
      if (this.#orgs.has(org)) return;
      this.#orgs.set(org, line);
      void this.#drain(org, line);
    });
  }

  async #drain(org: string, line: { readonly queue: Waiting[]; items: number }): Promise<void> {
    while (line.queue.length > 0) {
      const group = this.#take(line.queue);
      await this.#commit(org, group);
      for (const { items } of group) line.items -= items.length;
    }
    this.#orgs.delete(org);
  }

  #take(queue: Waiting[]): Waiting[] {
    let items = 0;
    let count = 0;
    for (const waiting of queue) {
      if (count > 0 && items + waiting.items.length > this.#limits.together) break;
      items += waiting.items.length;
      count += 1;
    }
    return queue.splice(0, count);
  }

  async #commit(org: string, group: readonly Waiting[]): Promise<void> {
    try {
      const verdicts = await throughDoor(
        this.#host,
        org,
        async (door) => {
          const all: ItemResult[][] = [];
          for (const one of group) all.push(await submitThrough(door, one));
          return all;
        },
        group.flatMap(needsOf),
      );
      for (const [i, { answer }] of group.entries()) answer(verdicts[i] ?? []);
    } catch (error) {
      const alone = group.length === 1 || isOfTheStore(error);
      if (alone) for (const { fail } of group) fail(error);
      // Something in the group cannot be done at all: its neighbours must not suffer for it.
      else for (const waiting of group) await this.#commit(org, [waiting]);
    }
  }
}

/** Nobody's submission is to blame: repeating them one by one would only load the store more. */
function isOfTheStore(error: unknown): boolean {
  return (
    error instanceof OutcomeUnknown ||
    error instanceof Unavailable ||
    error instanceof Overloaded ||
    error instanceof Conflict
  );
}
