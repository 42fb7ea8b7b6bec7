import { ProblemAnswer } from '../../client/client.ts';
import type { ServiceView } from '../../contract/answers/views.ts';
import type { Spec } from '../../contract/intent.ts';
import { looksSecret, MASKED, secretAdvice } from '../../contract/presentation/looks-secret.ts';
import { NO_SERVICE } from '../../contract/problem.ts';
import { type CliContext, type ContextOptions, inContext } from '../context.ts';
import { readEnvFile } from '../deploy/env-file.ts';
import { variablesOf } from '../deploy/settings.ts';
import { meantService } from '../meant-service.ts';
import { UsageError } from '../print-problem.ts';
import { EXIT } from '../proof/exit-code.ts';
import { printAccepted, type WaitOptions, waitFor } from '../proof/wait.ts';
import { table } from '../table.ts';
import { effectLines, printDryRun } from './show-effect.ts';
import { serviceIn } from './variable-words.ts';

/** `env` shows and sets values that everybody may read, `secrets` those that nobody reads again. */
type Variables = 'env' | 'secrets';

interface VariableOptions extends ContextOptions, WaitOptions {
  readonly detach?: boolean;
  readonly dryRun?: boolean;
}

type VariableChange = Pick<Spec, 'env'> & { readonly unset?: string[] };

/** `evident env [set K=V… | unset K… | import FILE] SERVICE`, and `evident secrets` alike. */
export function runVariables(
  which: Variables,
  words: readonly string[],
  options: VariableOptions,
): Promise<void> {
  const { ref, rest } = serviceIn(words);
  return inContext(options, ref, async (context) => {
    if (words.length === 0) throw new UsageError(`Name the service: evident ${which} SERVICE`);
    if (words.length === 1) return list(context, which, await context.people.service(ref));
    const { unset, ...spec } = changeOf(which, rest);
    const change = { spec, ...(unset === undefined ? {} : { unset }) };
    const acted = await context.people
      .configure(ref, change, options.dryRun === true)
      .catch(explainUndeployed(context, which, ref, Object.keys(spec.env ?? {})));
    if (options.dryRun)
      return printDryRun(context, acted, `This would make r${acted.revision} of ${acted.service}.`);
    for (const line of effectLines(acted)) context.note(line);
    const advice = secretAdvice(spec.env ?? {});
    if (advice !== null) context.note(advice);
    return options.detach ? printAccepted(context, acted) : waitFor(context, acted, options);
  });
}

/** A service that was never deployed has no configuration to change: it gets its first with its first deploy. */
const explainUndeployed =
  (context: CliContext, which: Variables, ref: string, names: readonly string[]) =>
  async (error: unknown): Promise<never> => {
    const isMissing = error instanceof ProblemAnswer && error.problem.detail === NO_SERVICE;
    if (!isMissing || names.length === 0 || (await meantService(context.people, error, ref)) !== null)
      throw error;
    const named = names.map((name) => (which === 'env' ? `--env ${name}=…` : `--secret ${name}`)).join(' ');
    throw new UsageError(
      `Nothing was deployed as ${ref} yet. Name ${names.length === 1 ? 'it' : 'them'} in the first deploy, and every later one keeps ${names.length === 1 ? 'it' : 'them'}: evident deploy --service ${ref} ${named}`,
    );
  };

function changeOf(which: Variables, [verb, ...operands]: readonly string[]): VariableChange {
  const usage = `Write: evident ${which} [set K=V… | unset K… | import FILE] SERVICE`;
  if (operands.length === 0) throw new UsageError(usage);
  switch (verb) {
    case 'set':
      return { env: variablesOf(which === 'env' ? { env: operands } : { secret: operands }) };
    case 'unset':
      return { unset: operands.map((name) => `env.${name}`) };
    case 'import':
      return { env: Object.assign({}, ...operands.map((file) => imported(which, file))) };
    default:
      throw new UsageError(usage);
  }
}

function imported(which: Variables, file: string): NonNullable<Spec['env']> {
  return Object.fromEntries(
    Object.entries(readEnvFile(file)).map(([name, value]) => [
      name,
      which === 'env' ? value : { secret: value },
    ]),
  );
}

async function list(context: CliContext, which: Variables, { spec }: ServiceView): Promise<number> {
  const all = Object.entries(spec.env ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const plain = all.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const secrets = all.flatMap(([name, value]) => (typeof value === 'string' ? [] : [name]));
  const shown = plain.map(([name, value]): [string, string] => [
    name,
    looksSecret(name, value) ? MASKED : value,
  ]);
  if (which === 'secrets')
    await context.print(secrets, () => (secrets.length === 0 ? 'It has no secrets.' : secrets.join('\n')));
  else
    await context.print(Object.fromEntries(plain), (wide) =>
      plain.length === 0 ? 'It has no variables.' : table(['NAME', 'VALUE'], shown, context.list(wide)),
    );
  return EXIT.cameTrue;
}
