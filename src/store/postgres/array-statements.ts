import type { ChangeShape, Column } from '../sql/dialect.ts';
import { isHeldApart, updatedApart, writtenApart } from '../sql/found-apart.ts';
import { ELEMENT_TYPES } from './binary-array.ts';
import { FOUND_APART } from './dialect.ts';

/** Texts of statements over one array per column, so that they do not depend on the number of rows. */
const texts = new WeakMap<object, Map<string, string>>();

/** Builds a text once for its columns: building it anew for every call was a tenth of a group's cost. */
function once(columns: object, name: string, build: () => string): string {
  const known = texts.get(columns) ?? new Map<string, string>();
  texts.set(columns, known);
  const text = known.get(name) ?? build();
  known.set(name, text);
  return text;
}

export const insertText = (table: string, columns: readonly Column[]) =>
  once(columns, `insert ${table}`, () => {
    const into = columns.map(({ name }) => `"${name}"`).join(', ');
    const values = columns.map(columnValue).join(', ');
    const insert = `INSERT INTO "${table}" (${into}) SELECT ${values} FROM unnest(${arraysOf(columns)}) AS ${alias(columns)}`;
    const apart = FOUND_APART.get(table);
    return apart === undefined ? insert : `${writtenApart(insert, apart)} SELECT FROM written`;
  });

export const findText = (table: string, wanted: readonly string[], key: readonly Column[], lock: boolean) =>
  once(key, `find ${lock} ${table}`, () => {
    const names = wanted.map((name) => `t."${name}"`).join(', ');
    const on = key.map(({ name }, i) => `t."${name}" = u.c${i}`).join(' AND ');
    const from = `unnest(${arraysOf(key)}) AS ${alias(key)} JOIN "${table}" AS t ON ${on}`;
    return `SELECT ${names} FROM ${from}${lock ? ' FOR UPDATE OF t' : ''}`;
  });

const ORDINAL: Column = { name: 'ordinal', kind: 'int' };

/** The arrays of a change that answers which rows matched: those of its shape, and the place of each row. */
export const placedColumns = (shape: ChangeShape) => [...changedColumns(shape), ORDINAL];

export const changedColumns = ({ key, expect, set }: ChangeShape) => [...key, ...expect, ...set];

export const changeSomeText = (table: string, shape: ChangeShape) =>
  once(shape, `change ${table}`, () => {
    const columns = placedColumns(shape);
    const update = updateText(table, shape, columns);
    const place = `u.c${columns.length - 1}`;
    const apart = FOUND_APART.get(table);
    if (!isHeldApart(apart, namesOf(shape.set))) return `${update} RETURNING ${place}`;
    return `${updatedApart(update, apart, `, ${place} AS place`)} SELECT place FROM written`;
  });

/** Divides by zero unless every row matched. */
export const changeAllText = (table: string, shape: ChangeShape) =>
  once(shape, `all ${table}`, () => {
    const update = updateText(table, shape, changedColumns(shape));
    const apart = FOUND_APART.get(table);
    const written = isHeldApart(apart, namesOf(shape.set))
      ? updatedApart(update, apart)
      : `WITH written AS (${update} RETURNING 1)`;
    return `${written} SELECT 1 / (count(*) = cardinality($1))::int FROM written`;
  });

const lateral = new Map<string, string>();

/** A statement that finds one row, for many lists of values at once; each row answers with its list's place. */
export function rowEachText(sql: string, columns: readonly Column[]): string {
  const text = lateral.get(sql) ?? lateralText(sql, columns);
  lateral.set(sql, text);
  return text;
}

function lateralText(sql: string, columns: readonly Column[]): string {
  const names = [...columns, ORDINAL].map(({ name }) => name).join(', ');
  const of = sql.replace(/\$(\d+)/g, (_, n) => `u.c${Number(n) - 1}`);
  const all = `unnest(${arraysOf(columns)}) WITH ORDINALITY AS u(${names})`;
  return `SELECT u.ordinal, t.* FROM ${all} CROSS JOIN LATERAL (${of}) AS t`;
}

function updateText(table: string, { key, expect, set }: ChangeShape, columns: readonly Column[]): string {
  const where = [...key, ...expect].map(
    ({ name }, i) => `t."${name}" ${i < key.length ? '=' : 'IS NOT DISTINCT FROM'} u.c${i}`,
  );
  const from = key.length + expect.length;
  const sets = set.map((column, i) => `"${column.name}" = ${columnValue(column, from + i)}`);
  return `UPDATE "${table}" AS t SET ${sets.join(', ')} FROM unnest(${arraysOf(columns)}) AS ${alias(columns)} WHERE ${where.join(' AND ')}`;
}

const namesOf = (columns: readonly Column[]) => columns.map(({ name }) => name);

const arraysOf = (columns: readonly Column[]) =>
  columns.map(({ kind }, i) => `$${i + 1}::${ELEMENT_TYPES[kind]}[]`).join(', ');

const alias = (columns: readonly unknown[]) => `u(${columns.map((_, i) => `c${i}`).join(', ')})`;

const columnValue = ({ kind }: Column, i: number) => (kind === 'json' ? `u.c${i}::json` : `u.c${i}`);
