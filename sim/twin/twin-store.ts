import type { Rng } from '../../lab/rng.ts';
import type { MemoryStore, MemoryTx } from '../../src/store/memory.ts';
import type { OpenTransaction } from '../../src/store/open-transaction.ts';
import { runWithRetries } from '../../src/store/open-transaction.ts';
import type { ReadTx, Store, Tx } from '../../src/store/port.ts';
import { Crashed } from '../kernel.ts';
import type { Violation } from '../oracle-port.ts';
import { noTwinCounts } from './counters.ts';
import type { RealStore } from './real-store.ts';
import { BothReads, BothWrites } from './statements.ts';

/** The stores answered differently. A difference is a bug of one of them, so nothing goes on from here. */
class Differs extends Error {
  override readonly name = 'Differs';
}

/**
 * Every transaction on two stores: on memory, which the simulator interleaves, kills and cuts as the schedule says,
 * and then, statement by statement, on a real database, which must answer the same. Memory is first in everything:
 * once it has let a statement through, whoever held its row has ended on both, so the database never has to wait.
 *
 * A task that waits for the database keeps its turn, because it has not parked: the schedule is the one that memory
 * alone would have had.
 */
export class TwinStore implements Store {
  readonly counts = noTwinCounts();
  difference: Violation | null = null;
  readonly #memory: MemoryStore;
  readonly #real: RealStore;
  readonly #rng: Rng;
  readonly #open = new Set<OpenTransaction>();
  /** The dropping of dead processes' transactions, one after the other: everyone waits for it. */
  #aftermath: Promise<void> = Promise.resolve();

  constructor(memory: MemoryStore, real: RealStore, rng: Rng) {
    this.#memory = memory;
    this.#real = real;
    this.#rng = rng;
  }

  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return runWithRetries(async () => {
      const memory = this.#memory.begin();
      await memory.turn();
      const real = await this.#begin(memory);
      const tx = new BothWrites(memory, real.tx, this);
      return {
        tx,
        commit: () => this.#commit(memory, real),
        rollback: async () => {
          await memory.rollback();
          // A process that died says nothing more: not even that it gives up.
          this.#abandon(real, tx.died);
        },
      };
    }, work);
  }

  read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    return this.#memory.read(async (memory) => {
      await this.#aftermath;
      return this.#real.read((real) => work(new BothReads(memory, real, this)));
    });
  }

  /** One statement: memory's answer, if the database gives the same. */
  async compare<T>(
    what: () => string,
    expected: T,
    ask: () => Promise<T>,
    same: (a: T, b: T) => boolean,
  ): Promise<T> {
    const got = await this.#attempt(what, ask);
    this.counts['same answers']++;
    if (same(expected, got)) return expected;
    return this.#differs(what, `memory answers ${show(expected)}, it answers ${show(got)}`);
  }

  /** Ends what the schedule left open, and waits for all that is still being done away with. */
  async end(): Promise<void> {
    for (const real of [...this.#open]) this.#abandon(real, false);
    await this.#aftermath;
  }

  async #begin(memory: MemoryTx): Promise<OpenTransaction> {
    try {
      const real = await this.#attempt('begin', () => this.#real.begin());
      this.#open.add(real);
      return real;
    } catch (error) {
      await memory.rollback();
      throw error;
    }
  }

  async #commit(memory: MemoryTx, real: OpenTransaction): Promise<void> {
    try {
      await memory.commit();
    } catch (error) {
      // The seam may have killed or cut it before the commit or after: only memory knows.
      const died = error instanceof Crashed || this.#rng.chance(0.5);
      if (!memory.committed) this.#abandon(real, died);
      else {
        await this.#commitReal(real);
        if (died) this.#dropAfterCommit();
      }
      throw error;
    }
    await this.#commitReal(real);
  }

  async #commitReal(real: OpenTransaction): Promise<void> {
    this.#open.delete(real);
    await this.#attempt('commit', () => real.commit());
    this.counts.committed++;
  }

  #dropAfterCommit(): void {
    this.counts['killed after its commit']++;
    this.#later(() => this.#real.drop(null));
  }

  #abandon(real: OpenTransaction, died: boolean): void {
    this.#open.delete(real);
    this.counts[died ? 'killed in its transaction' : 'rolled back']++;
    this.#later(() => (died ? this.#real.drop(real) : real.rollback()));
  }

  /**
   * Runs `end` without its task waiting for it: a task that died during another's turn must unwind without touching
   * any clock, and memory has already passed its locks on.
   */
  #later(end: () => Promise<void>): void {
    this.#aftermath = this.#aftermath.then(end).catch((error: unknown) => {
      this.difference ??= {
        invariant: 'same answers',
        detail: `${this.#real.name} could not let go: ${error}`,
      };
    });
  }

  async #attempt<T>(what: string | (() => string), ask: () => Promise<T>): Promise<T> {
    await this.#aftermath;
    try {
      return await ask();
    } catch (error) {
      return this.#differs(what, `memory does it, it says ${error}`);
    }
  }

  #differs(what: string | (() => string), how: string): never {
    const detail = `${this.#real.name}, ${typeof what === 'string' ? what : what()}: ${how}`;
    this.difference ??= { invariant: 'same answers', detail };
    throw new Differs(detail);
  }
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}
