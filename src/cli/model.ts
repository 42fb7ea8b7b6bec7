import { model, publicModel } from '../model/model.ts';
import { assertModel, verifyModel } from '../model/verify-model.ts';
import { pageProblem, ROOT, writePage } from './generated-page.ts';
import { modelPage } from './model-page.ts';
import { modelText } from './model-text.ts';
import { type Format, print } from './output.ts';

export interface ModelOptions {
  readonly check?: boolean;
  readonly writePage?: boolean;
  readonly output: Format;
}

const PAGE = 'docs/status-model.md';

/** `evident model`: prints the model, checks it, or (`npm run docs`) writes its page. */
export async function runModel(options: ModelOptions): Promise<void> {
  if (options.writePage) {
    assertModel();
    writePage(PAGE, modelPage(model()));
  } else if (options.check) await check(options.output);
  else await print(options.output, publicModel(), () => modelText(model()));
}

/** Problems of the model, and of its page under `root`. */
export function modelProblems(root: string): string[] {
  return [...verifyModel(model()), ...pageProblem(root, PAGE, modelPage(model()))];
}

async function check(output: Format): Promise<void> {
  const problems = modelProblems(ROOT);
  const isFine = problems.length === 0;
  const words = () =>
    isFine
      ? 'The status model is complete: every state answers its seven questions, and its page is fresh.'
      : '';
  await print(output, { ok: isFine, problems }, words);
  if (!isFine && (output === 'table' || output === 'wide')) console.error(problems.join('\n'));
  process.exitCode = isFine ? 0 : 1;
}
