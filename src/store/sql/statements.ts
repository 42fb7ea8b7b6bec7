import {
  DummyDriver,
  type ExpressionBuilder,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely';
import { BrokenRow, type Stored } from '../broken-row.ts';
import { COLUMNS, type ColumnKind, sqlName, UNREADABLE } from '../columns.ts';
import type { Compare, Select } from '../port.ts';
import { KEYS, type Rows, type Table } from '../schema.ts';
import { inShape } from '../shapes.ts';
import type { Dialect, Value } from './dialect.ts';
import { isHeldApart, writtenApart } from './found-apart.ts';

interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Any table with any columns: the port's types are checked before a statement is built. */
type Anything = Record<string, Record<string, unknown>>;

/** One expectation of a row. The text depends on `shape` alone; `values` are bound to it. */
interface RowCondition {
  readonly column: string;
  readonly operator: '=' | '<' | '<=' | '>' | '>=' | 'is' | 'is not' | 'is distinct from' | 'in';
  readonly values: readonly Value[];
  readonly literal: null | boolean | number | undefined;
}

// mutant: comparison-bounds
const OPERATORS = { lt: '<', lte: '<=', gt: '>', gte: '>=' } as const;

/**
 * The port's guards as SQL, built by Kysely. A text is built once per shape and cached, because building one
 * costs more than SQLite needs to run it. Values that never vary within a shape (null, true, false, limits)
 * stand in the text itself, so that the planner may use partial indexes. Nothing else from outside does: a text is
 * bound as a value, and names of tables and columns come from COLUMNS (F104).
 */
export class Statements {
  readonly #texts = new Map<string, string>();
  readonly #dialect: Dialect;
  readonly #db: Kysely<Anything>;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
    this.#db = builderFor(dialect.name);
  }

  get(table: Table, key: object, lock: boolean): Statement {
    const where = this.#conditions(table, keyColumns(table, key));
    const text = this.#text(`get|${table}|${lock}`, () => {
      const query = this.#selectFrom(table).where(all(where));
      return (lock && this.#dialect.forUpdate ? query.forUpdate() : query).compile().sql;
    });
    return { sql: text, values: where.flatMap((c) => c.values) };
  }

  /** The kinds are those of the values. */
  select(
    table: Table,
    expect: object,
    options: Select<object>,
  ): Statement & { readonly kinds: readonly ColumnKind[] } {
    const where = this.#conditions(table, expect);
    const { order, descending = false, limit } = options;
    const text = this.#text(`select|${table}|${shapeOf(where)}|${order}|${descending}|${limit}`, () => {
      const { from, named } = this.#foundBy(table, where);
      let query = from.where(all(where.map((one) => ({ ...one, column: named(one.column) }))));
      for (const column of order === undefined ? [] : [order].flat())
        query = query.orderBy(
          named(sqlName(column)),
          /* mutant: order-direction */ descending ? 'desc' : 'asc',
        );
      // mutant: limit
      return (limit === undefined ? query : query.limit(sql.lit(limit))).compile().sql;
    });
    const names = Object.keys(expect);
    const kinds = where.flatMap(({ values }, i) => values.map(() => kindOf(table, names[i] ?? '')));
    return { sql: text, values: where.flatMap((c) => c.values), kinds };
  }

  tally(table: Table, by: readonly string[], expect: object): Statement {
    const where = this.#conditions(table, expect);
    const text = this.#text(`tally|${table}|${by}|${shapeOf(where)}`, () => {
      const columns = by.map(sqlName);
      const count = sql.raw('count(*)').as('count');
      const counted = this.#db
        .selectFrom(sqlName(table))
        .select([...columns, count])
        .where(all(where))
        .groupBy(columns);
      const piece = this.#dialect.rowAsJson?.([...columns, 'count']);
      if (piece === undefined) return counted.compile().sql;
      return this.#db.selectFrom(counted.as('counted')).select(sql.raw(piece).as('row')).compile().sql;
    });
    return { sql: text, values: where.flatMap((c) => c.values) };
  }

  insert(table: Table, row: object): Statement {
    const text = this.#text(`insert|${table}`, () => {
      const built = this.#db
        .insertInto(sqlName(table))
        .values(Object.fromEntries(columnNames(table).map((name) => [name, 0])))
        .onConflict((conflict) => conflict.doNothing())
        .compile();
      const apart = this.#dialect.foundApart.get(sqlName(table));
      return apart === undefined ? built.sql : `${writtenApart(built.sql, apart)} SELECT FROM written`;
    });
    return { sql: text, values: this.encode(table, row) };
  }

  update(table: Table, key: object, expect: object, set: object): Statement {
    // mutant: update-guards
    const where = this.#conditions(table, { ...keyColumns(table, key), ...expect });
    const names = Object.keys(set);
    const text = this.#text(`update|${table}|${names}|${shapeOf(where)}`, () => {
      const built = this.#db
        .updateTable(sqlName(table))
        .set(Object.fromEntries(names.map((name) => [sqlName(name), 0])))
        .where(all(where))
        .compile();
      const apart = this.#dialect.foundApart.get(sqlName(table));
      if (!isHeldApart(apart, names.map(sqlName))) return built.sql;
      return `${writtenApart(built.sql, apart)} SELECT FROM written`;
    });
    const row = set as Record<string, unknown>;
    const values = names.map((name) => this.#dialect.encode(kindOf(table, name), row[name]));
    return { sql: text, values: [...values, ...where.flatMap((c) => c.values)] };
  }

  remove(table: Table, key: object, expect: object): Statement {
    const where = [...this.#conditions(table, keyColumns(table, key)), ...this.#conditions(table, expect)];
    const text = this.#text(
      `remove|${table}|${shapeOf(where)}`,
      () => this.#db.deleteFrom(sqlName(table)).where(all(where)).compile().sql,
    );
    return { sql: text, values: where.flatMap((c) => c.values) };
  }

  /** A row as stored values, in the order of the columns. */
  encode(table: Table, row: object): Value[] {
    const byName = row as Record<string, unknown>;
    const columns: Readonly<Record<string, ColumnKind>> = COLUMNS[table];
    const values: Value[] = [];
    for (const name in columns) values.push(this.#dialect.encode(columns[name] as ColumnKind, byName[name]));
    return values;
  }

  /** Some columns of a row as stored values, in the order of their names. */
  encodeSome(table: Table, names: readonly string[], row: object): Value[] {
    const byName = row as Record<string, unknown>;
    return names.map((name) => this.#dialect.encode(kindOf(table, name), byName[name]));
  }

  decode<T extends Table>(table: T, values: readonly unknown[]): Stored<T> {
    const row: Record<string, unknown> = {};
    let isBroken = false;
    let i = 0;
    const columns: Readonly<Record<string, ColumnKind>> = COLUMNS[table];
    for (const name in columns) {
      const kind = columns[name] as ColumnKind;
      const value = values[i++];
      if (value !== null) {
        row[name] = inShape(table, name, kind, this.#dialect.decode(kind, value));
        isBroken ||= row[name] === UNREADABLE;
      } else if (kind !== 'absent_or_text') row[name] = null;
    }
    return (isBroken ? broken(table, row) : row) as Stored<T>;
  }

  #selectFrom(table: Table) {
    const columns = columnNames(table);
    const piece = this.#dialect.rowAsJson?.(columns);
    const wanted = piece === undefined ? columns : [sql.raw(piece).as('row')];
    return this.#db.selectFrom(sqlName(table)).select(wanted as string[]);
  }

  /** The rows of a table, found by its indexes or by those of the table beside it, and the name of each column there. */
  #foundBy(table: Table, where: readonly RowCondition[]) {
    const apart = this.#dialect.foundApart.get(sqlName(table));
    if (apart === undefined || !where.some(({ column }) => apart.finds.includes(column)))
      return { from: this.#selectFrom(table), named: (column: string) => column };
    const isHeld = (column: string) => apart.key.includes(column) || apart.holds.includes(column);
    const from = this.#db
      .selectFrom(`${apart.table} as f`)
      .innerJoin(`${sqlName(table)} as t`, (join) =>
        apart.key.reduce((on, column) => on.onRef(`f.${column}`, '=', `t.${column}`), join),
      )
      .select(columnNames(table).map((name) => `t.${name}`));
    return { from, named: (column: string) => `${isHeld(column) ? 'f' : 't'}.${column}` };
  }

  #conditions(table: Table, expect: object): RowCondition[] {
    return Object.entries(expect).map(([name, want]) => {
      const kind = kindOf(table, name);
      return conditionOf(sqlName(name), want, (value) => this.#dialect.encode(kind, value));
    });
  }

  #text(shape: string, build: () => string): string {
    const cached = this.#texts.get(shape);
    if (cached !== undefined) return cached;
    const text = build();
    this.#texts.set(shape, text);
    return text;
  }
}

function broken<T extends Table>(table: T, row: Readonly<Record<string, unknown>>): BrokenRow<T> {
  const unreadable = Object.keys(row).filter((name) => row[name] === UNREADABLE);
  const readable = Object.entries(row).filter(([name]) => !unreadable.includes(name));
  return new BrokenRow(table, Object.fromEntries(readable) as Partial<Rows[T]>, unreadable);
}

/** Guards compare as `matches` in memory does: null only by equality, `ne` also true of null. */
function conditionOf(column: string, want: unknown, encode: (value: unknown) => Value): RowCondition {
  // mutant: null-comparison
  if (want === null) return { column, operator: 'is', values: [], literal: null };
  if (typeof want === 'boolean')
    return { column, operator: '=', values: [], literal: encode(want) as boolean | number };
  if (typeof want !== 'object' || !('op' in want))
    return { column, operator: '=', values: [encode(want)], literal: undefined };
  const compare = want as Compare<unknown>;
  if (compare.op === 'in')
    return { column, operator: 'in', values: compare.values.map(encode), literal: undefined };
  if (compare.op !== 'ne')
    return {
      column,
      operator: OPERATORS[compare.op],
      values: [encode(compare.value)],
      literal: undefined,
    };
  if (compare.value === null) return { column, operator: 'is not', values: [], literal: null };
  return { column, operator: 'is distinct from', values: [encode(compare.value)], literal: undefined };
}

const shapeOf = (where: readonly RowCondition[]) =>
  where
    .map((c) => `${c.column} ${c.operator} ${/* mutant: statement-shape */ c.literal ?? c.values.length}`)
    .join(',');

function all(where: readonly RowCondition[]) {
  return (eb: ExpressionBuilder<Anything, string>) =>
    eb.and(
      where.map(({ column, operator, literal, values }) => {
        if (literal !== undefined) return eb(column, operator, sql.lit(literal));
        return eb(column, operator, operator === 'in' ? values : values[0]);
      }),
    );
}

function keyColumns(table: Table, key: object): object {
  const values = key as Record<string, unknown>;
  return Object.fromEntries(KEYS[table].map((name) => [name, values[name]]));
}

export const columnNames = (table: Table) => Object.keys(COLUMNS[table]).map(sqlName);

function kindOf(table: Table, name: string): ColumnKind {
  const kind = (COLUMNS[table] as Readonly<Record<string, ColumnKind>>)[name];
  if (kind === undefined) throw new TypeError(`${table} has no column ${name}`);
  return kind;
}

/** Builds texts and never runs one: a session inside a transaction runs them. */
function builderFor(name: Dialect['name']): Kysely<Anything> {
  const createDriver = () => new DummyDriver();
  return new Kysely(
    name === 'sqlite'
      ? {
          dialect: {
            createAdapter: () => new SqliteAdapter(),
            createDriver,
            createIntrospector: (db) => new SqliteIntrospector(db),
            createQueryCompiler: () => new SqliteQueryCompiler(),
          },
        }
      : {
          dialect: {
            createAdapter: () => new PostgresAdapter(),
            createDriver,
            createIntrospector: (db) => new PostgresIntrospector(db),
            createQueryCompiler: () => new PostgresQueryCompiler(),
          },
        },
  );
}
