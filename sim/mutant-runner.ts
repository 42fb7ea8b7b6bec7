import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Tally } from './batch.ts';
import { bundleWithAll } from './mutants/bundle.ts';
import { type Catch, HUNT_STEPS, PLANTED_VARIABLE } from './mutants/hunt.ts';
import type { Mutant } from './mutants/mutant.ts';
import { MUTANTS } from './mutants.ts';

const ROOT = process.cwd();

/** Starts the bundle, with one mistake made from its first line on where one is named. */
function start(file: string, args: readonly (string | number)[], planted?: string) {
  const env = planted === undefined ? process.env : { ...process.env, [PLANTED_VARIABLE]: planted };
  return spawn(process.execPath, [file, ...args.map(String)], { stdio: ['ignore', 'pipe', 'inherit'], env });
}

/** Every `jobs`th mistake in one process. Those that it does not find come back without a violation. */
async function huntShare(
  file: string,
  job: number,
  jobs: number,
  told: (found: Catch) => void,
): Promise<void> {
  const child = start(file, ['--hunt', `${job}/${jobs}`]);
  const ended = once(child, 'close');
  for await (const line of createInterface({ input: child.stdout })) told(JSON.parse(line) as Catch);
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`a hunt for mistakes ended early, with code ${code}`);
}

/** In a process of its own: first where it was found last, then from the first seed on. */
async function huntAlone(file: string, { name, seed, store }: Mutant, schedules: number): Promise<Catch> {
  const from = async (first: number, count: number): Promise<Tally> => {
    const args = ['--schedules', count, '--steps', HUNT_STEPS, '--seed', first, '--store', store ?? 'memory'];
    const child = start(file, [...args, '--jobs', 1, '--json'], name);
    return JSON.parse(await text(child.stdout)) as Tally;
  };
  const hinted = seed === undefined ? null : await from(seed, 1);
  const tally = hinted !== null && hinted.violation !== null ? hinted : await from(1, schedules);
  const tried = tally === hinted ? 1 : tally.schedules + (hinted?.schedules ?? 0);
  return { name, tried, violation: tally.violation };
}

/** Every mutant, several at once. Exit code 1 if one survives. */
export async function runMutants(jobs: number, schedules: number): Promise<number> {
  const began = performance.now();
  console.log(`mutants     ${MUTANTS.length}, each hunted for up to ${schedules} schedules`);
  const file = await bundleWithAll(MUTANTS, ROOT);
  const waiting: Mutant[] = [];
  const survivors: string[] = [];
  const job = async (_: unknown, index: number) => {
    await huntShare(file, index, jobs, (found) => {
      if (found.violation !== null) printCatch(found);
      else waiting.push(...MUTANTS.filter(({ name }) => name === found.name));
    });
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const found = await huntAlone(file, mutant, schedules);
      printCatch(found);
      if (found.violation === null) survivors.push(mutant.name);
    }
  };
  await Promise.all(Array.from({ length: jobs }, job));
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`killed      ${MUTANTS.length - survivors.length} of ${MUTANTS.length} in ${seconds} s`);
  for (const name of survivors) console.log(`SURVIVOR    ${name}: a hole in the oracle`);
  return survivors.length === 0 ? 0 : 1;
}

function printCatch({ name, tried, violation }: Catch): void {
  const fate =
    violation === null
      ? `SURVIVED ${tried} schedules`
      : `killed by ${violation.invariant} after ${tried} schedules (seed ${violation.seed})`;
  console.log(`  ${name.padEnd(52)} ${fate}`);
}

/** One mutant, with the violation it causes explained as if it were our own mistake. */
export async function runMutant(
  name: string,
  options: {
    readonly schedules: number;
    readonly steps: number;
    readonly seed: number;
    readonly trace: boolean;
  },
): Promise<number> {
  const mutant = MUTANTS.find((m) => m.name === name);
  if (mutant === undefined) {
    console.error(
      `There is no mutant "${name}". There are:\n${MUTANTS.map((m) => `  ${m.name}`).join('\n')}`,
    );
    return 2;
  }
  const { schedules, steps, seed, trace } = options;
  const file = await bundleWithAll(MUTANTS, ROOT);
  const args = [
    '--schedules',
    schedules,
    '--steps',
    steps,
    '--seed',
    seed,
    '--store',
    mutant.store ?? 'memory',
  ];
  const child = start(file, [...args, ...(trace ? ['--trace'] : [])], name);
  for await (const line of createInterface({ input: child.stdout })) console.log(line);
  const [code] = (await once(child, 'close')) as [number | null];
  return code ?? 1;
}
