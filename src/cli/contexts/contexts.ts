import { ownSurroundings } from '../connection.ts';
import type { CliSurroundings } from '../data-place.ts';
import { inSavedContext, noContext } from '../find-connection.ts';
import { type OutputOptions, print } from '../output.ts';
import { printProblem, UsageError } from '../print-problem.ts';
import { EXIT } from '../proof/exit-code.ts';
import { table, tableStyle } from '../table.ts';
import { readContexts, type SavedContext, withoutSaved, writeContexts } from './saved-contexts.ts';

/** `evident context`: the servers that this user signed in to. */
export function listContexts({ output, color }: OutputOptions & { readonly color?: boolean }): Promise<void> {
  return printing(output, async (surroundings) => {
    const { current, contexts } = readContexts(surroundings);
    const items = Object.entries(contexts).map(([name, context]) => ({
      name,
      current: name === current,
      ...placeOf(context, surroundings),
    }));
    await print(output, items, (wide) =>
      items.length === 0
        ? 'You have signed in to no server. Sign in: evident login URL'
        : table(
            ['', 'NAME', 'SERVER', 'FROM'],
            items.map(({ name, current, server, data, expiresAt }) => [
              current ? '*' : '',
              [name, current ? 'strong' : 'plain'],
              server ?? 'not running',
              data ?? (expiresAt === null ? 'a token' : `a link, until ${expiresAt}`),
            ]),
            tableStyle(process.stdout, color !== false, wide),
          ),
    );
  });
}

/** A data directory whose server does not run now has no address. */
function placeOf(context: SavedContext, surroundings: CliSurroundings) {
  if (!('data' in context))
    return { server: context.server, data: null, expiresAt: context.expiresAt ?? null };
  const { data } = context;
  try {
    return { server: inSavedContext(context, surroundings).server, data, expiresAt: null };
  } catch {
    return { server: null, data, expiresAt: null };
  }
}

export function useContext(name: string, { output }: OutputOptions): Promise<void> {
  return printing(output, async (surroundings) => {
    const saved = readContexts(surroundings);
    mustHave(saved.contexts, name);
    await writeContexts(surroundings, { ...saved, current: name });
    await print(output, { context: name, current: true }, () => `“${name}” is the current context.`);
  });
}

export function removeContext(name: string, { output }: OutputOptions): Promise<void> {
  return printing(output, async (surroundings) => {
    const saved = readContexts(surroundings);
    mustHave(saved.contexts, name);
    await writeContexts(surroundings, withoutSaved(saved, name));
    await print(output, { context: name, removed: true }, () => `“${name}” is removed, with its token.`);
  });
}

function mustHave(contexts: Readonly<Record<string, SavedContext>>, name: string): void {
  if (!Object.hasOwn(contexts, name)) throw new UsageError(noContext(name, Object.keys(contexts)));
}

async function printing(
  output: OutputOptions['output'],
  work: (surroundings: CliSurroundings) => Promise<void>,
): Promise<void> {
  try {
    await work(ownSurroundings());
    process.exitCode = EXIT.cameTrue;
  } catch (error) {
    process.exitCode = printProblem(error, output, null);
  }
}
