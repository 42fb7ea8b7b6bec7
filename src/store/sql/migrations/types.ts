/** What a column kind is called in each database. A migration is written once, with these names in it. */
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
  /** What is there: table, column, and whether every row must give it a value; and the names of indexes. */
  readonly catalogue: { readonly columns: string; readonly indexes: string };
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
  catalogue: {
    columns: `SELECT t.name, c.name, c."notnull" = 1 AND c.dflt_value IS NULL
      FROM sqlite_schema t, pragma_table_info(t.name) c WHERE t.type = 'table'`,
    indexes: `SELECT name FROM sqlite_schema WHERE type = 'index'`,
  },
};

const OURS = `c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema())`;

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
  catalogue: {
    columns: `SELECT c.relname, a.attname, a.attnotnull AND NOT a.atthasdef AND a.attidentity = ''
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      WHERE ${OURS} AND c.relkind IN ('r', 'p') AND a.attnum > 0 AND NOT a.attisdropped`,
    indexes: `SELECT c.relname FROM pg_class c WHERE ${OURS} AND c.relkind IN ('i', 'I')`,
  },
};
