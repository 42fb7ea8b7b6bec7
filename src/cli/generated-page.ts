import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the package, seen from the bundle in dist/ where the CLI runs. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Problems of a generated page: missing or not fresh. An installed package carries no docs to compare. */
export function pageProblem(root: string, page: string, wanted: string): string[] {
  if (!existsSync(join(root, 'docs'))) return [];
  const path = join(root, page);
  const written = existsSync(path) ? readFileSync(path, 'utf8') : null;
  if (written === null) return [`${page} is missing: run \`npm run docs\``];
  if (written === wanted) return [];
  return [`${page} is stale: ${firstDifference(written, wanted)}; run \`npm run docs\``];
}

function firstDifference(written: string, wanted: string): string {
  const have = written.split('\n');
  const at = wanted.split('\n').findIndex((line, i) => line !== have[i]);
  return at < 0 ? 'it says more than the tables do' : `line ${at + 1} differs from the tables`;
}

export function writePage(page: string, text: string): void {
  writeFileSync(join(ROOT, page), text);
  console.log(`wrote ${page}`);
}
