/** The names of column types in each database. A migration is written once, with these names in it. */
export interface Types {
  readonly text: string;
  readonly int: string;
  readonly bool: string;
  readonly digits: string;
  readonly json: string;
  /** Ends a `CREATE TABLE` whose rows live in the primary key's own tree. */
  readonly byKey: string;
  readonly isFalse: (column: string) => string;
  readonly isTrue: (column: string) => string;
  readonly no: string;
  /** Leaves room in new pages of a table for other versions of their rows, in percent that are filled at first. */
  readonly filled: (table: string, percent: number) => readonly string[];
  /** Statements that PostgreSQL alone gains by. */
  readonly onPostgres: (statements: readonly string[]) => readonly string[];
  /**
   * Queries of the database's catalogue: for each column its table, type, and whether every row must have a
   * value for it; the columns of keys in their order; the names of indexes; tables that a crash would empty;
   * and rules that replace our writes.
   */
  readonly catalogue: {
    readonly columns: string;
    readonly keys: string;
    readonly indexes: string;
    readonly unlogged: string;
    readonly rules: string;
  };
}

export interface Migration {
  readonly name: string;
  readonly statements: (t: Types) => readonly string[];
}

/** Text sorts by bytes in both, whatever the locale of the machine. Digits in SQLite: their length, then themselves. */
export const SQLITE_TYPES: Types = {
  text: 'TEXT',
  int: 'INTEGER',
  bool: 'INTEGER',
  digits: 'TEXT',
  json: 'TEXT',
  byKey: 'WITHOUT ROWID',
  isFalse: (column) => `${column} = 0`,
  isTrue: (column) => `${column} = 1`,
  no: '0',
  filled: () => [],
  onPostgres: () => [],
  catalogue: {
    columns: `SELECT t.name, c.name, c.type, c."notnull" = 1 AND c.dflt_value IS NULL
      FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
    keys: `SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c
      WHERE t.type = 'table' AND c.pk > 0 ORDER BY t.name, c.pk`,
    indexes: `SELECT name FROM sqlite_schema WHERE type = 'index'`,
    unlogged: `SELECT name FROM sqlite_schema WHERE false`,
    rules: `SELECT tbl_name, name FROM sqlite_schema WHERE false`,
  },
};

const OURS = `c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`;
const TABLES = `c.relkind IN ('r', 'p')`;

export const POSTGRES_TYPES: Types = {
  text: 'text COLLATE "C"',
  int: 'bigint',
  bool: 'boolean',
  digits: 'numeric(30)',
  json: 'json',
  byKey: '',
  isFalse: (column) => `${column} = false`,
  isTrue: (column) => `${column} = true`,
  no: 'false',
  filled: (table, percent) => [`ALTER TABLE ${table} SET (fillfactor = ${percent})`],
  onPostgres: (statements) => statements,
  catalogue: {
    columns: `SELECT c.relname, a.attname,
        replace(format_type(a.atttypid, a.atttypmod), ',0)', ')') || coalesce(' COLLATE "' || l.collname || '"', ''),
        a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid LEFT JOIN pg_collation l ON l.oid = a.attcollation
      WHERE ${OURS} AND ${TABLES} AND a.attnum > 0 AND NOT a.attisdropped`,
    keys: `SELECT c.relname, a.attname
      FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid AND k.contype = 'p'
      CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS n(attnum, place)
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = n.attnum
      WHERE ${OURS} ORDER BY c.relname, n.place`,
    indexes: `SELECT c.relname FROM pg_class c WHERE ${OURS} AND c.relkind IN ('i', 'I')`,
    unlogged: `SELECT c.relname FROM pg_class c WHERE ${OURS} AND ${TABLES} AND c.relpersistence <> 'p'`,
    rules: `SELECT c.relname, r.rulename FROM pg_class c JOIN pg_rewrite r ON r.ev_class = c.oid
      WHERE ${OURS} AND ${TABLES} AND r.is_instead`,
  },
};
