import type { Lane, Read, ReadTx, Store, Tx, Update } from '../src/store/port.ts';
import type { Table } from '../src/store/schema.ts';

/** Writes that wait until their table is read, or go with other writes or with the commit. */
const WAITS: readonly string[] = ['append', 'updateOrFail'];

/** A store that counts the round trips its transactions become; BEGIN goes with the first of them. */
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

  /** The counts, largest first. */
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
    const waiting = new Set<Table>();
    const result = await work(
      new Proxy(tx, {
        get: (target, name) => {
          const method = Reflect.get(target, name) as (...args: unknown[]) => unknown;
          if (typeof method !== 'function') return method;
          return (...args: unknown[]) => {
            this.#note(String(name), args, waiting);
            return method.apply(target, args);
          };
        },
      }),
    );
    this.#count('commit');
    return result;
  }

  #note(name: string, [first]: readonly unknown[], waiting: Set<Table>): void {
    if (WAITS.includes(name)) {
      const tables = name === 'append' ? [first as Table] : (first as readonly Update[]).map((u) => u.table);
      for (const table of tables) waiting.add(table);
      return;
    }
    if (name === 'updateAll') waiting.clear();
    const reads = Array.isArray(first) ? (first as readonly Read[]) : null;
    const read = reads?.flatMap((ask) => (ask === 'now' ? [] : [ask.table])) ?? [first as Table];
    if (read.filter((table) => waiting.delete(table)).length > 0) this.#count('what waits');
    if (reads !== null) this.#count(`${name} of ${reads.length}`);
    else this.#count(`${name}${first === undefined ? '' : ` ${first}`}`);
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }
}
