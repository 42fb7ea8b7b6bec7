import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tally } from './batch.ts';
import type { Mutant } from './mutants/mutant.ts';
import { markedFiles, mutatedFile, plant } from './mutants/plant.ts';
import { MUTANTS } from './mutants.ts';
import type { StoreName } from './twin/choose.ts';

const ROOT = process.cwd();
const OUT = join(ROOT, 'dist', 'mutants');

interface Hunt {
  readonly schedules: number;
  readonly steps: number;
  readonly seed: number;
  readonly store: StoreName;
}

/** Bundles the simulator with one planted mistake after the other, and reads only the file that differs each time. */
interface Planter {
  plant(mutant: Mutant): Promise<string>;
  end(): Promise<void>;
}

async function openPlanter(): Promise<Planter> {
  const { context } = await import('esbuild');
  const marked = markedFiles(ROOT);
  let growing: { readonly file: string; readonly contents: string; isIn: boolean } | null = null;
  await mkdir(OUT, { recursive: true });
  const building = await context({
    entryPoints: [join(ROOT, 'sim/main.ts')],
    outfile: join(OUT, 'mutant.mjs'),
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'error',
    plugins: [
      {
        name: 'mutant',
        setup(pipeline) {
          pipeline.onLoad({ filter: /\.ts$/ }, ({ path }) => {
            if (path !== growing?.file) return undefined;
            growing.isIn = true;
            return { contents: growing.contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  return {
    async plant(mutant) {
      const target = mutatedFile(mutant, marked);
      growing = { file: target, contents: plant(mutant, marked.get(target) ?? ''), isIn: false };
      const [bundle] = (await building.rebuild()).outputFiles;
      if (bundle === undefined || !growing.isIn)
        throw new Error(`mutant "${mutant.name}": ${target} is not part of the simulator`);
      const file = join(OUT, `${mutant.name.replace(/\W+/g, '-')}.mjs`);
      await writeFile(file, bundle.contents);
      return file;
    },
    end: () => building.dispose(),
  };
}

function hunt(file: string, { schedules, steps, seed, store }: Hunt): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const args = ['--schedules', schedules, '--steps', steps, '--seed', seed, '--store', store];
    const child = spawn(process.execPath, [file, ...args.map(String), '--jobs', '1', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', () => {
      try {
        resolve(JSON.parse(out) as Tally);
      } catch {
        reject(new Error(`the simulator with this mutant gave no tally: ${err.slice(-2_000)}`));
      }
    });
  });
}

/** First where it was found last, then from the first seed on. */
async function track(file: string, mutant: Mutant, schedules: number): Promise<Tally> {
  const { seed } = mutant;
  const store: StoreName = mutant.store ?? 'memory';
  const hinted = seed === undefined ? null : await hunt(file, { schedules: 1, steps: 300, seed, store });
  if (hinted !== null && hinted.violation !== null) return hinted;
  const tally = await hunt(file, { schedules, steps: 300, seed: 1, store });
  return { ...tally, schedules: tally.schedules + (hinted?.schedules ?? 0) };
}

/** Every mutant in turn, several at once. Exit code 1 if one survives. */
export async function runMutants(jobs: number, schedules: number): Promise<number> {
  const began = performance.now();
  const waiting = [...MUTANTS];
  const survivors: string[] = [];
  const one = async () => {
    const planter = await openPlanter();
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const { violation, schedules: tried } = await track(await planter.plant(mutant), mutant, schedules);
      if (violation === null) survivors.push(mutant.name);
      const fate =
        violation === null
          ? `SURVIVED ${tried} schedules`
          : `killed by ${violation.invariant} after ${tried} schedules (seed ${violation.seed})`;
      console.log(`  ${mutant.name.padEnd(52)} ${fate}`);
    }
    await planter.end();
  };
  console.log(`mutants     ${MUTANTS.length}, each hunted for up to ${schedules} schedules`);
  await Promise.all(Array.from({ length: jobs }, one));
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`killed      ${MUTANTS.length - survivors.length} of ${MUTANTS.length} in ${seconds} s`);
  for (const name of survivors) console.log(`SURVIVOR    ${name}: a hole in the oracle`);
  return survivors.length === 0 ? 0 : 1;
}

/** One mutant, with the violation it causes explained as if it were our own mistake. */
export async function runMutant(
  name: string,
  { schedules, steps, seed, trace }: Omit<Hunt, 'store'> & { readonly trace: boolean },
): Promise<number> {
  const mutant = MUTANTS.find((m) => m.name === name);
  if (mutant === undefined) {
    console.error(
      `There is no mutant "${name}". There are:\n${MUTANTS.map((m) => `  ${m.name}`).join('\n')}`,
    );
    return 2;
  }
  const planter = await openPlanter();
  const file = await planter.plant(mutant);
  await planter.end();
  const args = [
    '--schedules',
    schedules,
    '--steps',
    steps,
    '--seed',
    seed,
    '--store',
    mutant.store ?? 'memory',
    '--planted',
    name,
    ...(trace ? ['--trace'] : []),
  ];
  const child = spawn(process.execPath, [file, ...args.map(String)], { stdio: 'inherit' });
  return new Promise((resolve) => child.on('close', (code) => resolve(code ?? 1)));
}
