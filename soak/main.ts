import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { SERVICES } from './apps.ts';
import { SOAK_FAULTS } from './faults.ts';
import type { SoakStore } from './fleet/fleet.ts';
import { isSoakSound, tableOfResult } from './result.ts';
import { type SoakRequest, soak } from './run.ts';

const HELP = `npm run soak -- [options]

Real servers, an agent, a worker and apps, good and nasty ones, under every fault that this machine allows.
Exit code 1 if a claim was false for longer than it may lag, or if an acknowledged action was lost.

  --minutes N      how long (5)
  --store NAME     sqlite: one server; postgres: two on one database (sqlite)
  --seed N         which faults, in which order (another one each time; it is printed)
  --without A,B    leaves services out, to look past what is known of them
  --only A,B       only faults whose names contain one of these texts
  --fresh-for MS   for how long a report is fresh (5000)
  -o, --output F   table or json (table)
  --help           prints this

examples
  npm run soak -- --minutes 3                       a first look
  npm run soak -- --minutes 30 --store postgres     two servers, and a database that dies
  npm run soak -- --minutes 3 --seed 17             the same faults again
  npm run soak -- --minutes 2 --only 'disk,SIGSTOP of an app'
  npm run -s soak -- --minutes 3 -o json > soak.json

faults:
${SOAK_FAULTS.map(({ name }) => `  ${name}`).join('\n')}

services: ${SERVICES.map(({ name }) => name).join(', ')}

CONTRIBUTING.md says how to read what it prints.`;

const STORES = ['sqlite', 'postgres'] as const satisfies readonly SoakStore[];

interface SoakArguments extends Omit<SoakRequest, 'interrupt' | 'show'> {
  readonly isJson: boolean;
}

/** Null: only help is wanted. */
function argumentsOf(): SoakArguments | null {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '5' },
      store: { type: 'string', default: 'sqlite' },
      seed: { type: 'string', default: String(randomInt(1_000_000)) },
      'fresh-for': { type: 'string', default: '5000' },
      only: { type: 'string', default: '' },
      without: { type: 'string', default: '' },
      output: { type: 'string', short: 'o', default: 'table' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const store = STORES.find((name) => name === values.store);
  if (store === undefined) throw new RangeError(`--store: ${STORES.join(' or ')}, not ${values.store}`);
  if (values.output !== 'table' && values.output !== 'json')
    throw new RangeError(`--output: table or json, not ${values.output}`);
  const listed = (text: string) => text.split(',').filter((name) => name !== '');
  const only = listed(values.only);
  const faults = SOAK_FAULTS.filter(
    ({ name }) => only.length === 0 || only.some((text) => name.includes(text)),
  );
  if (faults.length === 0) throw new RangeError(`--only: no fault is named so: ${values.only}`);
  const without = new Set(listed(values.without));
  for (const name of without)
    if (!SERVICES.some((service) => service.name === name))
      throw new RangeError(`--without: there is no service ${name}`);
  return {
    faults,
    services: SERVICES.filter(({ name }) => !without.has(name)),
    ms: 60_000 * above(0, values.minutes, 'minutes'),
    store,
    seed: above(-1, values.seed, 'seed'),
    freshForMs: above(0, values['fresh-for'], 'fresh-for'),
    isJson: values.output === 'json',
  };
}

function above(least: number, text: string, name: string): number {
  const n = Number(text);
  if (text.trim() === '' || !Number.isFinite(n) || n <= least)
    throw new RangeError(`--${name}: a number above ${least}, not ${text || 'nothing'}`);
  return n;
}

/** On a terminal one line that is written over, else a line for each thing that is done. */
function shower(ms: number): (what: string) => void {
  const beganAt = performance.now();
  const minutes = (time: number) => (time / 60_000).toFixed(1);
  return (what) => {
    const line = `${minutes(performance.now() - beganAt)} of ${minutes(ms)} min: ${what}`;
    process.stderr.write(process.stderr.isTTY ? `\r${line.slice(0, 150)}\x1b[K` : `${line}\n`);
  };
}

async function run({ isJson, ...wanted }: SoakArguments): Promise<number> {
  const stop = new AbortController();
  const show = shower(wanted.ms);
  const interrupt = () => {
    // Asker twice: nothing more is looked at, and what was started is killed.
    if (stop.signal.aborted) process.exit(130);
    stop.abort();
    show('interrupted: ending (again: at once)');
  };
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  show(`seed ${wanted.seed}`);
  const result = await soak({ ...wanted, interrupt: stop.signal, show });
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  console.log(
    isJson ? JSON.stringify({ ...result, sound: isSoakSound(result) }, null, 2) : tableOfResult(result),
  );
  return isSoakSound(result) ? 0 : 1;
}

/** A command line that cannot be read is answered with the reason and the help. */
async function main(): Promise<number> {
  let wanted: SoakArguments | null;
  try {
    wanted = argumentsOf();
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  if (wanted !== null) return run(wanted);
  console.log(HELP);
  return 0;
}

process.exitCode = await main();
