import type { Stored } from '../../src/store/broken-row.ts';
import type { Answers, Expect, Read, ReadTx, Select, Tx, Update } from '../../src/store/port.ts';
import type { RowCount } from '../../src/store/row-count.ts';
import type { Key, Rows, Table } from '../../src/store/schema.ts';
import { Crashed } from '../kernel.ts';
import { sameRows, sameValue } from './same.ts';

/** Compares the answers of the two stores. */
interface AnswerComparer {
  compare<T>(
    what: () => string,
    expected: T,
    ask: () => Promise<T>,
    same: (a: T, b: T) => boolean,
  ): Promise<T>;
}

/** The reading half of the port, on both stores: memory first. */
export class BothReads<Side extends ReadTx = ReadTx> implements ReadTx {
  /** Its process was killed in one of its statements. */
  died = false;
  readonly #memory: Side;
  readonly #real: Side;
  readonly #judge: AnswerComparer;

  constructor(memory: Side, real: Side, judge: AnswerComparer) {
    this.#memory = memory;
    this.#real = real;
    this.#judge = judge;
  }

  now(): Promise<number> {
    return this.both(['now'], (tx) => tx.now());
  }

  get<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined> {
    return this.both(['get', table, key], (tx) => tx.get(table, key));
  }

  select<T extends Table>(
    table: T,
    where: Expect<Rows[T]>,
    options: Select<Rows[T]> = {},
  ): Promise<Stored<T>[]> {
    return this.both(
      ['select', table, where, options],
      (tx) => tx.select(table, where, options),
      (a, b) => sameRows<unknown>(a, b, options as Select<unknown>),
    );
  }

  tally<T extends Table>(
    table: T,
    by: readonly (keyof Rows[T] & string)[],
    where: Expect<Rows[T]>,
  ): Promise<readonly RowCount[]> {
    return this.both(['tally', table, by, where], (tx) => tx.tally(table, by, where));
  }

  /** One by one: of what is read without a lock, memory's answer is old as soon as it lets others go first. */
  async readAll<const A extends readonly Read[]>(reads: A): Promise<Answers<A>> {
    const answers: unknown[] = [];
    for (const ask of reads) {
      const options = ask !== 'now' && 'where' in ask ? (ask.options as Select<unknown>) : undefined;
      const same = (a: unknown, b: unknown) =>
        Array.isArray(a) && Array.isArray(b) ? sameRows(a, b, options) : sameValue(a, b);
      answers.push(
        await this.both<unknown>(['readAll', ask], async (tx) => (await tx.readAll([ask]))[0], same),
      );
    }
    return answers as Answers<A>;
  }

  protected async both<T>(
    what: readonly unknown[],
    statement: (tx: Side) => Promise<T>,
    same: (a: T, b: T) => boolean = sameValue,
  ): Promise<T> {
    let expected: T;
    try {
      expected = await statement(this.#memory);
    } catch (error) {
      this.died ||= error instanceof Crashed;
      throw error;
    }
    const words = () =>
      what.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ');
    return this.#judge.compare(words, expected, () => statement(this.#real), same);
  }
}

export class BothWrites extends BothReads<Tx> implements Tx {
  lock<T extends Table>(table: T, key: Key<T>): Promise<Stored<T> | undefined> {
    return this.both(['lock', table, key], (tx) => tx.lock(table, key));
  }

  insert<T extends Table>(table: T, row: Rows[T]): Promise<boolean> {
    return this.both(['insert', table, row], (tx) => tx.insert(table, row));
  }

  append<T extends Table>(table: T, row: Rows[T]): Promise<void> {
    return this.both(['append', table, row], (tx) => tx.append(table, row));
  }

  update<T extends Table>(
    table: T,
    key: Key<T>,
    expect: Expect<Rows[T]>,
    set: Partial<Rows[T]>,
  ): Promise<number> {
    return this.both(['update', table, key, expect, set], (tx) => tx.update(table, key, expect, set));
  }

  /** All at once: memory keeps the rows locked that it was asked about, matched or not. */
  updateAll(updates: readonly Update[]): Promise<number[]> {
    return this.both(['updateAll', updates], (tx) => tx.updateAll(updates));
  }

  updateOrFail(updates: readonly Update[]): Promise<void> {
    return this.both(['updateOrFail', updates], (tx) => tx.updateOrFail(updates));
  }

  remove<T extends Table>(table: T, key: Key<T>, expect: Expect<Rows[T]>): Promise<number> {
    return this.both(['remove', table, key, expect], (tx) => tx.remove(table, key, expect));
  }
}
