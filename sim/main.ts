import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { assertModel, BrokenModel } from '../src/model/verify-model.ts';
import { inRow, runBatch, type ScheduleBatch, type Tally, workInThread } from './batch.ts';
import { FAULTS } from './faults.ts';
import { huntHere, PLANTED_VARIABLE } from './mutants/hunt.ts';
import { unreached } from './oracle/counters.ts';
import { showProgress } from './progress.ts';
import { SEEDS } from './seeds.ts';
import { shrink, traceOf } from './trace.ts';
import { violationLine } from './trace-lines.ts';
import { STORES, type StoreName, withStore } from './twin/choose.ts';
import { TWIN_COUNTERS } from './twin/counters.ts';
import { openReal } from './twin/open-real.ts';
import type { StoreChoice } from './twin/real-store.ts';

/**
 * Optimises code later than usual, in all threads: a schedule runs broad code, little of it often, and of the first 32
 * schedules optimising took half of the processor time.
 */
setFlagsFromString('--interrupt-budget=400000');

const HELP = `npm run sim -- [options]

  --schedules N   how many schedules, one per seed (2000)
  --steps N       steps of a schedule before its faults stop (300)
  --seed N        the first seed (1)
  --jobs N        threads; the tally is the same whatever their number (all cores)
  --store NAME    memory alone, or sqlite or postgres beside memory and compared with it (memory)
  --trace         prints the one schedule of --seed, step by step, and why it ends as it does
  --mutant NAME   runs with one planted mistake, and explains the violation that finds it
  --hunt K/N      set by --mutants itself: hunts every Nth mistake from the Kth on
  --mutants       plants every mistake in turn: each must be found
  --ci            what npm test runs: kept seeds, schedules on every store, all mutants
  --json          prints the tally as one JSON object
  --help          prints this

examples
  npm run sim -- --schedules 200                            a first look; exit code 1 on a violation
  npm run sim -- --seed 5000 --schedules 1000 --jobs 2      other seeds, on two threads
  npm run sim -- --trace --seed 17                          one seed
  npm run sim -- --trace --seed 17 | grep web1@lab          one service of it
  npm run sim -- --trace --seed 17 --steps 800              the same beginning, and more of it
  npm run sim -- --store sqlite --schedules 50              a real database
  npm run sim -- --mutants --jobs 2                         all planted mistakes, in a minute
  npm run sim -- --mutant "fence does not grow"             one of them
  npm run sim -- --mutant "fence does not grow" --trace     one of them, step by step
  npm run sim -- --ci                                       everything, as npm test does
  npm run -s sim -- --schedules 300 --json > tally.json     for a program

docs/simulator.md says how to read what it prints.`;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      schedules: { type: 'string', default: '2000' },
      steps: { type: 'string', default: '300' },
      seed: { type: 'string', default: '1' },
      store: { type: 'string', default: 'memory' },
      jobs: { type: 'string', default: String(availableParallelism()) },
      trace: { type: 'boolean', default: false },
      mutant: { type: 'string' },
      hunt: { type: 'string' },
      mutants: { type: 'boolean', default: false },
      ci: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return say(HELP);
  assertModel();
  if (values.hunt !== undefined) return hunt(values.hunt);
  const steps = whole(values.steps, 'steps', 1);
  const seed = whole(values.seed, 'seed', 0);
  const jobs = whole(values.jobs, 'jobs', 1);
  const schedules = whole(values.schedules, 'schedules', 1);
  const store = storeNamed(values.store);
  if (values.mutants || values.mutant !== undefined || values.ci) {
    const mutants = await import('./mutant-runner.ts');
    if (values.mutant !== undefined) {
      const { trace } = values;
      return mutants.runMutant(values.mutant, { schedules, steps, seed, trace });
    }
    if (values.mutants) return mutants.runMutants(jobs, schedules);
    return (await runEverywhere(steps, jobs)) || mutants.runMutants(jobs, CI_HUNT);
  }
  const work = (choice: StoreChoice) =>
    values.trace
      ? trace(seed, steps, choice)
      : run({ chosen: inRow(seed, schedules, steps), store: choice }, jobs, values);
  return withStore(store, work, (why) => {
    console.error(why);
    return 1;
  });
}

/** A database is slower than memory by far, and every statement of every schedule is held against memory's. */
const CI_SCHEDULES: Readonly<Record<StoreName, number>> = { memory: 1_000, sqlite: 120, postgres: 24 };
/** Most mutants fall within a few schedules; the shy ones get many. */
const CI_HUNT = 1_500;

/** Kept seeds and many schedules in memory, then some of them on every database that is here. */
async function runEverywhere(steps: number, jobs: number): Promise<number> {
  for (const name of STORES) {
    const usual = inRow(1, CI_SCHEDULES[name], steps);
    // Seeds that once found something are run for ever: those that the usual ones do not hold come first.
    const kept =
      name === 'memory' ? SEEDS.filter((one) => one.seed > usual.length || one.steps !== steps) : [];
    const work = (store: StoreChoice) =>
      run({ chosen: [...kept, ...usual], store }, jobs, { reachesAll: true });
    const code = await withStore(name, work, (why) => say(`store       postgres SKIPPED: ${why}`));
    if (code !== 0) return code;
  }
  return 0;
}

/** In a process of `--mutants`: hunts its share, and tells each catch as a line. */
async function hunt(share: string): Promise<number> {
  const [from, of] = share.split('/').map(Number);
  if (from === undefined || of === undefined) throw new RangeError(`--hunt: two numbers, not ${share}`);
  const { MUTANTS } = await import('./mutants.ts');
  for await (const found of huntHere(MUTANTS, from, of)) console.log(JSON.stringify(found));
  return 0;
}

async function trace(seed: number, steps: number, store: StoreChoice): Promise<number> {
  const real = await openReal(store, 0);
  for (const line of await traceOf(seed, steps, { real })) console.log(line);
  await real?.close();
  return 0;
}

interface Manner {
  readonly json?: boolean;
  /** The batch is large enough that every expected counter must be reached. */
  readonly reachesAll?: boolean;
}

async function run(
  batch: ScheduleBatch,
  jobs: number,
  { json = false, reachesAll = false }: Manner,
): Promise<number> {
  const began = performance.now();
  const schedules = batch.chosen.length;
  const progress = showProgress(schedules);
  const tally = await runBatch(batch, Math.min(jobs, schedules), progress.show);
  progress.clear();
  const seconds = (performance.now() - began) / 1000;
  if (json) console.log(JSON.stringify({ ...tally, seconds }));
  else print(tally, seconds, jobs, batch.store.kind);
  if (tally.violation === null) return reachesAll ? everythingReached(tally, batch.store.kind) : 0;
  return json ? 1 : explain(tally, batch.store);
}

function print(tally: Tally, seconds: number, jobs: number, store: StoreName): void {
  const perCore = Math.round((tally.steps / tally.ms) * 1000);
  console.log(`store       ${store === 'memory' ? 'memory' : `${store}, held against memory`}`);
  console.log(`schedules   ${tally.schedules}`);
  console.log(`steps       ${tally.steps}`);
  console.log(`steps/s     ${perCore} on one core, ${Math.round(tally.steps / seconds)} on ${jobs}`);
  list('faults', tally.faults);
  list('checked', tally.counts);
  if (store !== 'memory') list('held', tally.held);
  console.log(`violations  ${tally.violation === null ? 0 : 1}`);
}

function list(title: string, counts: Readonly<Record<string, number>>): void {
  const entries = Object.entries(counts);
  const reached = entries.filter(([, n]) => n > 0).length;
  console.log(`${title.padEnd(12)}${reached} of ${entries.length} kinds reached`);
  for (const [name, n] of entries)
    console.log(`  ${String(n).padStart(10)}  ${name}${n === 0 ? '   NEVER REACHED' : ''}`);
}

/** A counter at zero was not checked, and a fault that never strikes proves nothing: both fail a build. */
function everythingReached({ counts, faults, held }: Tally, store: StoreName): number {
  const missed =
    store === 'memory'
      ? [...unreached(counts), ...FAULTS.filter((fault) => faults[fault] === 0)]
      : TWIN_COUNTERS.filter((name) => held[name] === 0);
  for (const name of missed) console.log(`NEVER REACHED  ${name}: nothing is proven about it`);
  return missed.length === 0 ? 0 : 1;
}

/** The violation, the faults it needs, and the end of the shrunk schedule. */
async function explain({ violation }: Tally, store: StoreChoice): Promise<number> {
  if (violation === null) return 0;
  const { seed, steps } = violation;
  const real = await openReal(store, 0);
  console.log(violationLine(seed, violation));
  const without = await shrink(seed, steps, violation.invariant, real);
  console.log(`faults that it does not need: ${without.join(', ') || 'none could be left out'}`);
  const lines = await traceOf(seed, steps, { without, real });
  await real?.close();
  for (const line of lines.slice(-120)) console.log(line);
  const on = store.kind === 'memory' ? '' : ` --store ${store.kind}`;
  const planted = process.env[PLANTED_VARIABLE];
  const mutant = planted === undefined ? '' : ` --mutant "${planted}"`;
  console.log(`all of it: npm run sim -- --trace --seed ${seed} --steps ${steps}${on}${mutant}`);
  return 1;
}

/** Parses a whole number of at least `least`: a run without schedules would check nothing and succeed. */
function whole(text: string, name: string, least: number): number {
  const n = Number(text);
  if (text.trim() === '' || !Number.isInteger(n) || n < least)
    throw new RangeError(`--${name}: a whole number from ${least} on, not ${text || 'nothing'}`);
  return n;
}

function storeNamed(text: string): StoreName {
  const name = STORES.find((store) => store === text);
  if (name === undefined) throw new RangeError(`--store: ${STORES.join(', ')}, not ${text}`);
  return name;
}

function say(text: string): number {
  console.log(text);
  return 0;
}

/** Prints in words, without a stack, that the command line cannot be read or that the model is broken. */
function usage(error: unknown): number {
  if (error instanceof BrokenModel) {
    console.error(error.message);
    return 1;
  }
  const code = (error as { code?: unknown } | null)?.code;
  const misread =
    error instanceof RangeError || (typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS'));
  if (!misread) throw error;
  console.error(`${(error as Error).message}\n\n${HELP}`);
  return 2;
}

if (!(await workInThread())) process.exitCode = await main().catch(usage);
