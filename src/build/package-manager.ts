import { join } from 'node:path';
import { findProgram } from '../artifact/runnable.ts';
import { BuildFailure, type RecipeStep } from './recipe.ts';
import { runStep, type StepContext } from './run-step.ts';

/** The folder of a build's home into which package managers are fetched; it is there before the first step. */
export const TOOLS = 'tools';

/** Adds the fetched programs to the search path: the version that a project pins comes before the builder's own. */
export function withFetchedTools(env: Readonly<Record<string, string>>): Record<string, string> {
  return { ...env, PATH: `${join(env.HOME ?? '', TOOLS, 'node_modules', '.bin')}:${env.PATH ?? ''}` };
}

/**
 * Fetches pnpm and yarn with npm, each at most once per build: a builder needs no more than Node. A version that the
 * project pins is fetched though the builder has another, which serves where the registry does not answer. Rejected:
 * corepack, which later versions of Node no longer bring.
 */
export class PackageManagers {
  readonly #around: StepContext;
  readonly #fetched = new Set<string>();

  constructor(around: StepContext) {
    this.#around = around;
  }

  async provideFor({ argv, tool }: RecipeStep): Promise<void> {
    const { dir, env, log } = this.#around;
    const [program = ''] = argv;
    if (tool === undefined || this.#fetched.has(tool.package)) return;
    const isHere = findProgram(program, dir, env.PATH ?? '') === 'found';
    if (isHere && !tool.isPinned) return;
    this.#fetched.add(tool.package);
    const home = join(env.HOME ?? '', TOOLS);
    const fetch: RecipeStep = {
      name: `npm install ${tool.package}`,
      argv: ['npm', 'install', '--prefix', home, '--no-save', '--ignore-scripts', tool.package],
      failure: 'tool_missing',
    };
    log.push(`$ ${fetch.name}   (this project is installed with ${program})`);
    try {
      await runStep(fetch, { ...this.#around, dir: home });
    } catch (error) {
      if (!(error instanceof BuildFailure)) throw error;
      if (!isHere)
        throw new BuildFailure(
          'tool_missing',
          `This builder has no ${program}, and could not get ${tool.package} from the npm registry.`,
          { cause: error },
        );
      log.push(`${tool.package} could not be fetched: the builder’s own ${program} is used.`);
    }
  }
}
