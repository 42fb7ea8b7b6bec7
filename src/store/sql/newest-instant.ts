/** What is no instant is left out, as in a row that cannot be read. */
const newestOf = (table: string, column: string, last = '8640000000000000') =>
  `SELECT max("${column}") AS "newest" FROM ${table} WHERE "${column}" BETWEEN 0 AND ${last}`;

/** Up to an instant: what is later is not asked for. */
export const NEWEST_BEAT = newestOf('beats', 'at', '$1');

/**
 * The newest instant of each kind of record, a row for each, in any order: calm takes no head, so that reports and beats
 * may be ahead of all of them.
 */
export const NEWEST = [
  newestOf('heads', 'at'),
  newestOf('beats', 'at'),
  newestOf('scopes', 'received_at'),
].join(' UNION ALL ');

/** Of a kind that has no record, nothing. */
export const instantsIn = (rows: readonly (readonly unknown[])[]) =>
  rows.flatMap(([newest]) => (newest === null ? [] : [Number(newest)]));
