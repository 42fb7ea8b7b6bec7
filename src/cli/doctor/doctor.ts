import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '../../client/client.ts';
import { People } from '../../client/people.ts';
import { mayColour, painter } from '../colours.ts';
import { ownSurroundings } from '../connection.ts';
import type { ContextOptions } from '../context.ts';
import { findDataPlace } from '../data-place.ts';
import { findConnection } from '../find-connection.ts';
import { print } from '../output.ts';
import { NoStoreFound, UsageError } from '../print-problem.ts';
import type { StyledLine, Tone } from '../proof/line.ts';
import { type Check, fail } from './check.ts';
import { checkDataDirectory, configuration, diskSpace, isolation, nodeVersion, tools } from './machine.ts';
import { agents, checkUnknownServices, router, server, token, workers } from './remote.ts';

interface DoctorOptions extends ContextOptions {
  readonly data?: string;
}

/**
 * `evident doctor`: checks everything that could be wrong, and says how to mend it. Exits 1 if something is
 * wrong; changes nothing.
 */
export async function runDoctor(options: DoctorOptions): Promise<void> {
  if (options.data !== undefined) process.env.EVIDENT_DATA = options.data;
  const checks = [...(await localChecks()), ...(await serverChecks(options))];
  await print(options.output, checks, () =>
    checks.flatMap((check) => linesOf(check, options.color)).join('\n'),
  );
  process.exitCode = checks.some(({ verdict }) => verdict === 'fail') ? 1 : 0;
}

async function localChecks(): Promise<Check[]> {
  const { dir: found } = findDataPlace(ownSurroundings());
  const dir = resolve(process.env.EVIDENT_DATA || (found ?? join(homedir(), '.evident')));
  return [
    nodeVersion(),
    checkDataDirectory(dir),
    configuration(dir),
    await diskSpace(dir),
    isolation(dir),
    ...(await tools()),
  ];
}

async function serverChecks(options: DoctorOptions): Promise<Check[]> {
  let found: ReturnType<typeof findConnection>;
  try {
    found = findConnection(options, ownSurroundings(), options.context ?? null);
  } catch (error) {
    return [notFound('server', error)];
  }
  const address = found.server;
  const checks = await server(address);
  if (checks.some(({ verdict }) => verdict === 'fail')) return checks;
  if (found.token === null) return [...checks, notFound('token', new UsageError(found.missing))];
  const people = new People(new Client(address, found.token));
  const { check, isOperator } = await token(people);
  checks.push(check);
  if (check.verdict !== 'ok') return checks;
  const targets = await people.targets();
  if (isOperator) checks.push(workers(await people.workers()));
  checks.push(...agents(targets, isOperator ? await people.agents() : []));
  checks.push(...checkUnknownServices(targets));
  const local = targets.find(({ target }) => target === 'local');
  const urls = (await people.services({ target: 'local' })).flatMap((service) => service.urls);
  checks.push(await router(address, local?.agent?.state === 'alive', urls));
  return checks;
}

/** The error's own message already names the fix. */
function notFound(name: string, error: unknown): Check {
  if (!(error instanceof NoStoreFound) && !(error instanceof UsageError)) throw error;
  const [found = '', ...fix] = error.message.split(/(?<=\.) /);
  return fail(name, found, fix.join(' '));
}

const MARKS: Readonly<Record<Check['verdict'], readonly [string, Tone]>> = {
  ok: ['✓', 'good'],
  warn: ['!', 'doubt'],
  fail: ['✗', 'bad'],
};

function linesOf({ name, verdict, found, fix }: Check, color: boolean): string[] {
  const paint = painter(mayColour(process.stdout, color));
  const lines: StyledLine[] = [[MARKS[verdict], [` ${name}: `, 'strong'], [found]]];
  if (fix !== null) lines.push([[`    ${fix}`, 'quiet']]);
  return lines.map(paint);
}
