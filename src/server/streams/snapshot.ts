import type { Answers, Read, ReadTx, Store } from '../../store/port.ts';

/**
 * Keeps the answers of one snapshot of the store and repeats them; only its clock goes on. A claim that was
 * computed from it can be computed again for a later instant, without the store.
 */
export class RepeatableSnapshot {
  readonly #answers = new Map<string, unknown>();

  /** A store that reads from `store` and keeps the answers. */
  of(store: Store): Store {
    return { transact: readsOnly, read: (work, lane) => store.read((tx) => work(this.#keeping(tx)), lane) };
  }

  /** A store that repeats the answers, with this instant as its clock. */
  at(now: number): Store {
    return { transact: readsOnly, read: (work) => work(this.#again(now)) };
  }

  #keeping(tx: ReadTx): ReadTx {
    const keep = async <T>(question: unknown, read: Promise<T>): Promise<T> => {
      const answer = await read;
      this.#answers.set(JSON.stringify(question), answer);
      return answer;
    };
    return {
      now: () => tx.now(),
      get: (...question) => keep(question, tx.get(...question)),
      select: (...question) => keep(question, tx.select(...question)),
      tally: (...question) => keep(['tally', ...question], tx.tally(...question)),
      readAll: (asks) => keep(asks, tx.readAll(asks)),
    };
  }

  #again(now: number): ReadTx {
    const answered = async <T>(question: unknown): Promise<T> => {
      const key = JSON.stringify(question);
      if (!this.#answers.has(key)) throw new Error(`this was not read: ${key}`);
      return this.#answers.get(key) as T;
    };
    return {
      now: async () => now,
      get: (...question) => answered(question),
      select: (...question) => answered(question),
      tally: (...question) => answered(['tally', ...question]),
      readAll: async <const A extends readonly Read[]>(asks: A) => {
        const answers = await answered<readonly unknown[]>(asks);
        return asks.map((ask, i) => (ask === 'now' ? now : answers[i])) as Answers<A>;
      },
    };
  }
}

const readsOnly = () => Promise.reject(new Error('a snapshot is read and not written'));
