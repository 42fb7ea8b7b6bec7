/**
 * The newest instant in a column. Values that are no instant are left out, as in a row that cannot be read.
 */
const newestOf = (table: string, column: string, last = '8640000000000000') =>
  `SELECT max("${column}") AS "newest" FROM ${table} WHERE "${column}" BETWEEN 0 AND ${last}`;

/** The newest beat up to an instant; later ones are left out. */
export const NEWEST_BEAT = newestOf('beats', 'at', '$1');

/**
 * The newest instant of each kind of record, a row for each, in any order. Reports without news and beats
 * take no position, so they may be newer than every other record.
 */
export const NEWEST = [
  newestOf('heads', 'at'),
  newestOf('beats', 'at'),
  newestOf('scopes', 'received_at'),
].join(' UNION ALL ');

/** A kind without records gives no instant. */
export const instantsIn = (rows: readonly (readonly unknown[])[]) =>
  rows.flatMap(([newest]) => (newest === null ? [] : [Number(newest)]));
