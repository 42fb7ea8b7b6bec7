/** What is no instant is left out, as in a row that cannot be read. */
const newestOf = (table: string, column: string) =>
  `SELECT max("${column}") AS "newest" FROM ${table} WHERE "${column}" BETWEEN 0 AND 8640000000000000`;

export const NEWEST_BEAT = newestOf('beats', 'at');

/** The newest instant on record: calm takes no head, so that reports and beats may be ahead of all of them. */
export const NEWEST = `SELECT max("newest") FROM (${[newestOf('heads', 'at'), NEWEST_BEAT, newestOf('scopes', 'received_at')].join(' UNION ALL ')}) AS "all"`;
