import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemaText } from '../src/server/graphql/schema.ts';
import { ROOT } from './root.mjs';

/**
 * The schema of GraphQL as a file, for clients that generate code from it. `node --import tsx/esm scripts/graphql-schema.ts
 * --write` writes it; `--check` fails while the file is not current.
 */
const FILE = join(ROOT, 'docs', 'schema.graphql');

if (process.argv.includes('--write')) writeFileSync(FILE, schemaText());
else if (readFileSync(FILE, 'utf8') !== schemaText()) {
  console.error('docs/schema.graphql is not what the schema is: npm run docs');
  process.exitCode = 1;
}
