import { COLUMNS, type ColumnKind, sqlName } from '../../src/store/columns.ts';
import { KEYS, type Table } from '../../src/store/schema.ts';

/** Writes to the server's database directly. */
export interface Hand {
  run(sql: string): Promise<void>;
  /** Rows, with each value as an SQL literal. */
  rows(sql: string): Promise<readonly (readonly (string | number)[])[]>;
  close(): Promise<void>;
}

/** Values that a column of each kind accepts and no reader can use. */
export type Garbage = Readonly<Partial<Record<ColumnKind, readonly string[]>>>;

export const FAR = '9000000000000000000';
const BYTES = `x'00ff'`;
/** Text that is no UTF-8, as after a flipped bit on the disk. */
const TORN = `CAST(x'22f2652280' AS TEXT)`;
/** JSON of a wrong shape for the column. */
const SHAPES = [`'null'`, `'5'`, `'{}'`, `'[null]'`];

export const ON_SQLITE: Garbage = {
  int: [FAR, `'xyz'`],
  bool: [`'xyz'`],
  digits: [`'{bad'`, `'x'`, BYTES, TORN],
  json: [`'{bad'`, BYTES, TORN, ...SHAPES],
  text: [`'{bad'`, BYTES, TORN],
  absent_or_text: [BYTES],
};
/** One value for each way in which reading fails: every single one is tried on the store itself. */
export const FEW_ON_SQLITE: Garbage = {
  int: [FAR, `'xyz'`],
  bool: [`'xyz'`],
  digits: [`'x'`, TORN],
  json: [`'{bad'`, TORN, `'[null]'`],
  text: [BYTES, TORN],
  absent_or_text: [BYTES],
};
export const ON_POSTGRES: Garbage = { int: [FAR], digits: [`'NaN'`], json: SHAPES, text: [`'{bad'`] };

export interface Damage {
  readonly table: Table;
  readonly column: string;
  readonly kind: ColumnKind;
  readonly value: string;
  readonly isKey: boolean;
}

export function damages(tables: readonly Table[], garbage: Garbage): Damage[] {
  return tables.flatMap((table) =>
    (Object.entries(COLUMNS[table]) as [string, ColumnKind][]).flatMap(([column, kind]) =>
      (garbage[kind] ?? []).map((value) => {
        const isKey = (KEYS[table] as readonly string[]).includes(column);
        return { table, column, kind, value, isKey };
      }),
    ),
  );
}

/**
 * Damages all matching rows, or one of them where the column is part of the key, and restores afterwards those that
 * nothing has mended.
 */
export async function damaging(
  hand: Hand,
  { table, column, value, isKey }: Pick<Damage, 'table' | 'column' | 'value'> & { isKey?: boolean },
  where: string,
  then: () => Promise<void>,
): Promise<void> {
  const name = sqlName(table);
  const keys = KEYS[table].map(sqlName);
  const list = keys.map((key) => `"${key}"`).join(', ');
  const [first] = await hand.rows(`SELECT ${list} FROM "${name}" ${where} ORDER BY ${list} LIMIT 1`);
  if (first === undefined) return;
  const literal = (v: string | number | undefined) => (typeof v === 'string' ? `'${v}'` : String(v));
  const one = keys.map((key, i) => `"${key}" = ${literal(first[i])}`);
  const which = isKey ? `WHERE ${one.join(' AND ')}` : where;
  const at = sqlName(column);
  const isStill = `CAST("${name}"."${at}" AS text) = CAST(${value} AS text)`;
  const same = keys.filter((key) => key !== at).map((key) => `kept."${key}" = "${name}"."${key}"`);
  await hand.run(`CREATE TEMP TABLE kept AS SELECT * FROM "${name}" ${which}`);
  try {
    await hand.run(`UPDATE "${name}" SET "${at}" = ${value} ${which}`);
    await then();
  } finally {
    const back = `UPDATE "${name}" SET "${at}" = kept."${at}" FROM kept WHERE ${[isStill, ...same].join(' AND ')}`;
    // The server may have written the row again meanwhile under its right key.
    await hand.run(back).catch(() => hand.run(`DELETE FROM "${name}" WHERE ${isStill}`));
    await hand.run('DROP TABLE kept');
  }
}
