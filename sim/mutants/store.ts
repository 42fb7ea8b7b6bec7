import { type Mutant, sql } from './mutant.ts';

/** Where it is kept. */
export const STORE_MUTANTS: readonly Mutant[] = [
  // The store in SQL
  sql(
    'guard left out of an update',
    'sql/statements.ts',
    '{ ...keyColumns(table, key), ...expect }',
    'keyColumns(table, key)',
  ),
  sql('bound left out of a comparison', 'sql/statements.ts', "lte: '<='", "lte: '<'"),
  sql(
    'null compared by equality',
    'sql/statements.ts',
    "operator: 'is', values: []",
    "operator: '=', values: []",
  ),
  sql('last row taken for the first', 'sql/statements.ts', "descending ? 'desc' : 'asc'", "'asc'"),
  sql('limit forgotten', 'sql/statements.ts', 'limit === undefined ? query', 'true ? query'),
  sql('statement kept under the shape of another', 'sql/statements.ts', 'c.literal ?? c.values.length', "''"),
  sql(
    'appended rows lost at the commit',
    'sql/transaction.ts',
    'await this.#flushAll();\n  }\n\n  /** Those',
    '}\n\n  /** Those',
  ),
  sql(
    'positions compared as text',
    'sqlite/dialect.ts',
    'const digits = String(value);',
    "const digits = String(value); if (digits) return '00' + digits;",
  ),
];
