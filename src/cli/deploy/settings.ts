import { type Spec, specSchema } from '../../contract/intent.ts';
import { UsageError } from '../print-problem.ts';
import { readEnvFile } from './env-file.ts';

export interface SettingOptions {
  readonly env?: readonly string[];
  readonly secret?: readonly string[];
  readonly replicas?: number;
  readonly command?: string;
  readonly envFile?: readonly string[];
}

/**
 * The spec of the file, overridden by the command line. A secret may be named without a value: the value then
 * comes from the environment, and stands neither in the shell's history nor in the process list.
 */
export function specWith(
  spec: Spec,
  { replicas, command, envFile = [], ...named }: SettingOptions,
  environment: Environment = process.env,
): Spec {
  const ofFiles: Readonly<Record<string, string>> = Object.assign({}, ...envFile.map(readEnvFile));
  const variables = { ...spec.env, ...ofFiles, ...variablesOf(named, environment) };
  return {
    ...spec,
    ...(command === undefined ? {} : { command: commandIn(command) }),
    ...(Object.keys(variables).length === 0 ? {} : { env: variables }),
    ...(replicas === undefined ? {} : { replicas }),
  };
}

function commandIn(line: string): string {
  const read = specSchema.shape.command.safeParse(line);
  if (!read.success) throw new UsageError(`--command ${read.error.issues[0]?.message}.`);
  return line;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables as they are written on the command line: `K=V`, and for a secret also `K`. */
export function variablesOf(
  { env = [], secret = [] }: Pick<SettingOptions, 'env' | 'secret'>,
  environment: Environment = process.env,
): NonNullable<Spec['env']> {
  const variables: NonNullable<Spec['env']> = {};
  for (const pair of env) {
    const [name, value] = split(pair);
    if (value === null) throw new UsageError(`${name} has no value. Write ${name}=VALUE.`);
    variables[name] = value;
  }
  for (const pair of secret) {
    const [name, value] = split(pair);
    const secretValue = value ?? environment[name];
    if (secretValue === undefined)
      throw new UsageError(`${name} is not set in the environment. Set it there, or write ${name}=VALUE.`);
    variables[name] = { secret: secretValue };
  }
  return variables;
}

function split(pair: string): [name: string, value: string | null] {
  const at = pair.indexOf('=');
  const name = at < 0 ? pair : pair.slice(0, at);
  if (!/^[A-Za-z_]\w{0,254}$/.test(name))
    throw new UsageError(`${JSON.stringify(name)} is not a valid variable name.`);
  return [name, at < 0 ? null : pair.slice(at + 1)];
}
