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
  /** Answers the names of the tables that there are. */
  readonly tables: string;
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
  tables: `SELECT name FROM sqlite_schema WHERE type = 'table'`,
};

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
  tables: 'SELECT tablename FROM pg_tables WHERE schemaname = current_schema()',
};
