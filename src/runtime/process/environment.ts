import { delimiter, join } from 'node:path';
import { appFolder, INSTALLED_PROGRAMS, machinePath } from '../../artifact/launcher.ts';
import { findProgram } from '../../artifact/runnable.ts';
import { BadCommandLine, commandWords, variablesIn } from '../../contract/command-line.ts';
import type { FencedStamp } from '../stamp.ts';
import { ApplyRefused } from '../supervise/apply-refused.ts';
import type { Launch } from '../supervise/record.ts';

/** Names the instance in the environment of its processes, so that they are found by it. */
export const INSTANCE_VARIABLE = 'EVIDENT_INSTANCE';
export const RUNTIME_VARIABLE = 'EVIDENT_RUNTIME';
export const SERVICE_VARIABLE = 'EVIDENT_SERVICE';

interface InstanceEnvironment {
  readonly runtime: string;
  readonly service: string;
  readonly uid: string;
  readonly stamp: FencedStamp;
  readonly port: number | null;
  readonly home: string;
}

/**
 * Hands on only the search path of Evident's own environment: the rest holds tokens and addresses that are not the
 * app's. The spec's variables come last and win, except over the marks by which processes are found again.
 */
export function environmentOf({ env }: Launch, place: InstanceEnvironment): Record<string, string> {
  const variables = Object.entries(env).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : value.secret,
  ]);
  return {
    PATH: machinePath(process.env.PATH),
    HOME: place.home,
    LANG: 'C.UTF-8',
    ...(place.port === null ? {} : { PORT: String(place.port) }),
    ...Object.fromEntries(variables),
    [SERVICE_VARIABLE]: place.service,
    EVIDENT_REVISION: String(place.stamp.revision),
    EVIDENT_ATTEMPT: String(place.stamp.attempt),
    EVIDENT_FENCE: place.stamp.fence,
    [INSTANCE_VARIABLE]: place.uid,
    [RUNTIME_VARIABLE]: place.runtime,
  };
}

export function argumentsOf({ command }: Launch, environment: Record<string, string>): string[] {
  return typeof command === 'string'
    ? commandWords(command, (name) => environment[name] ?? '')
    : [...command];
}

/** Throws `ApplyRefused` for what would keep it from starting, before anything is started. */
export function checkLaunch(launch: Launch, dir: string, environment: Record<string, string>): void {
  const { command, env } = launch;
  const secrets = new Set(Object.keys(env).filter((name) => typeof env[name] !== 'string'));
  let words: string[];
  try {
    const named = typeof command === 'string' ? variablesIn(command) : [];
    const secret = named.find((name) => secrets.has(name));
    if (secret !== undefined)
      throw new ApplyRefused(
        'secret_in_arguments',
        `The command names $${secret}, which is secret: everybody on the machine can read arguments. Let the app read it from its environment.`,
        true,
      );
    words = argumentsOf(launch, environment);
  } catch (error) {
    if (error instanceof BadCommandLine)
      throw new ApplyRefused(
        'command_invalid',
        `The command cannot be split into words. ${error.message}`,
        true,
      );
    throw error;
  }
  const [program] = words;
  if (program === undefined || program === '')
    throw new ApplyRefused('no_command', 'There is no command to start. Set `command` in the spec.', true);
  if (findProgram(program, appFolder(dir), pathIn(dir, environment.PATH ?? '')) !== 'found')
    throw new ApplyRefused(
      'command_not_found',
      `"${program}" is neither in the artifact nor on the search path of this machine, or may not be executed.`,
      true,
    );
}

/** The search path with what the launcher of an artifact adds to it. */
const pathIn = (dir: string, path: string) =>
  [...[appFolder(dir), dir].flatMap((at) => INSTALLED_PROGRAMS.map((found) => join(at, found))), path].join(
    delimiter,
  );
