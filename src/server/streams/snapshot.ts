import type { Answers, Ask, ReadTx, Store } from '../../store/port.ts';

/**
 * One snapshot of the store, kept. To what it was asked it gives the same answer again, as a snapshot does; only its
 * clock goes on. So what was computed from it can be computed for a later instant, without the store.
 */
export class Snapshot {
  readonly #answers = new Map<string, unknown>();

  /** The store, of which what is read is kept. */
  of(store: Store): Store {
    return { transact: readsOnly, read: (work, lane) => store.read((tx) => work(this.#keeping(tx)), lane) };
  }

  /** What was kept, as a store whose clock shows this instant. */
  at(now: number): Store {
    return { transact: readsOnly, read: (work) => work(this.#again(now)) };
  }

  #keeping(tx: ReadTx): ReadTx {
    const keep = async <T>(question: unknown, asked: Promise<T>): Promise<T> => {
      const answer = await asked;
      this.#answers.set(JSON.stringify(question), answer);
      return answer;
    };
    return {
      now: () => tx.now(),
      get: (...asked) => keep(asked, tx.get(...asked)),
      select: (...asked) => keep(asked, tx.select(...asked)),
      readAll: (asks) => keep(asks, tx.readAll(asks)),
    };
  }

  #again(now: number): ReadTx {
    const kept = async <T>(question: unknown): Promise<T> => {
      const key = JSON.stringify(question);
      if (!this.#answers.has(key)) throw new Error(`this was not read: ${key}`);
      return this.#answers.get(key) as T;
    };
    return {
      now: async () => now,
      get: (...asked) => kept(asked),
      select: (...asked) => kept(asked),
      readAll: async <const A extends readonly Ask[]>(asks: A) => {
        const answers = await kept<readonly unknown[]>(asks);
        return asks.map((ask, i) => (ask === 'now' ? now : answers[i])) as Answers<A>;
      },
    };
  }
}

const readsOnly = () => Promise.reject(new Error('a snapshot is read and not written'));
