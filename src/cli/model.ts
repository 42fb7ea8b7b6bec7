import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assertModel, model, publicModel } from '../evidence/model.ts';
import { verifyModel } from '../evidence/verify-model.ts';
import { modelPage } from './model-page.ts';
import { modelText } from './model-text.ts';

export interface ModelOptions {
  readonly check?: boolean;
  readonly writePage?: boolean;
  readonly output: 'table' | 'json';
}

/** From the bundle in dist/, where the CLI runs, up to the root of the package. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
const PAGE = 'docs/status-model.md';

/** `evident model`: prints the model, checks it, or (`npm run docs`) writes its page. */
export function runModel(options: ModelOptions): void {
  if (options.writePage) writePage();
  else if (options.check) check(options.output);
  else console.log(options.output === 'json' ? JSON.stringify(publicModel(), null, 2) : modelText(model()));
}

/** What is wrong with the model, and with its page under `root`. An installed package carries no docs to compare. */
export function modelProblems(root: string): string[] {
  const problems = verifyModel(model());
  if (!existsSync(join(root, 'docs'))) return problems;
  const path = join(root, PAGE);
  const written = existsSync(path) ? readFileSync(path, 'utf8') : null;
  if (written === null) return [...problems, `${PAGE} is missing: run \`npm run docs\``];
  if (written === modelPage(model())) return problems;
  return [...problems, `${PAGE} is stale: ${firstDifference(written)}; run \`npm run docs\``];
}

function firstDifference(written: string): string {
  const have = written.split('\n');
  const want = modelPage(model()).split('\n');
  const at = want.findIndex((line, i) => line !== have[i]);
  return at < 0 ? 'it says more than the tables do' : `line ${at + 1} differs from the tables`;
}

function check(output: ModelOptions['output']): void {
  const problems = modelProblems(ROOT);
  if (output === 'json') console.log(JSON.stringify({ ok: problems.length === 0, problems }));
  else if (problems.length > 0) console.error(problems.join('\n'));
  else
    console.log(
      'The status model is complete: every state answers its seven questions, and its page is fresh.',
    );
  process.exitCode = problems.length === 0 ? 0 : 1;
}

function writePage(): void {
  assertModel();
  writeFileSync(join(ROOT, PAGE), modelPage(model()));
  console.log(`wrote ${PAGE}`);
}
