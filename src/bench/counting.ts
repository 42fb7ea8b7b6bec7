import type { Lane, ReadTx, Store, Tx } from '../store/port.ts';
import type { Table } from '../store/schema.ts';

const WRITES: readonly string[] = ['insert', 'append', 'update', 'updateAll', 'remove'];

/**
 * A store that counts the round trips its transactions become. Appended rows count once, when they go out: before
 * their table is read, with other writes, or before the commit.
 */
export class Counting implements Store {
  readonly #inner: Store;
  #counts = new Map<string, number>();

  constructor(inner: Store) {
    this.#inner = inner;
  }

  reset(): void {
    this.#counts = new Map();
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, n) => sum + n, 0);
  }

  /** What was counted, most of it first. */
  lines(): string[] {
    return [...this.#counts].sort((a, b) => b[1] - a[1]).map(([what, n]) => `${n} ${what}`);
  }

  transact<T>(work: (tx: Tx) => Promise<T>, lane?: Lane): Promise<T> {
    return this.#inner.transact((tx) => this.#counted(tx, work), lane);
  }

  read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    return this.#inner.read((tx) => this.#counted(tx as Tx, work));
  }

  async #counted<T>(tx: Tx, work: (tx: Tx) => Promise<T>): Promise<T> {
    let begun = false;
    const appended = new Set<Table>();
    const flush = (table: Table) => {
      if (appended.delete(table)) this.#count(`append ${table}`);
    };
    const result = await work(
      new Proxy(tx, {
        get: (target, name) => {
          const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => {
            // The first read goes out behind the BEGIN; a write waits for it.
            if (!begun && WRITES.includes(String(name))) this.#count('begin');
            begun = true;
            if (name === 'readAll' || name === 'updateAll') {
              // One trip; what was appended goes with the writes.
              if (name === 'updateAll') appended.clear();
              this.#count(`${String(name)} of ${(args[0] as readonly unknown[]).length}`);
              return method.apply(target, args);
            }
            const table = args[0] as Table;
            if (name === 'append') appended.add(table);
            else {
              flush(table);
              this.#count(`${String(name)}${table === undefined ? '' : ` ${table}`}`);
            }
            return method.apply(target, args);
          };
        },
      }),
    );
    if (appended.size > 0) this.#count('append');
    this.#count('commit');
    return result;
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}
