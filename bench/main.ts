import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Context } from './context.ts';
import { type Figure, tableOf } from './figures.ts';
import { openPlaces } from './places.ts';

const HELP = `npm run bench -- [names] [options]
  names           ingest commands history growth trips statements viewers report handover silence truth orphan
                  overhead (all of them)
  --rounds N      measured rounds of each side at most, A B A B (9; with --quick 5)
  --quick         less work: some seconds each
  --json          the figures as one JSON object`;

type Bench = (context: Context) => Promise<readonly Figure[]>;

const BENCHES: Readonly<Record<string, () => Promise<Bench>>> = {
  ingest: async () => (await import('./ingest.ts')).ingest,
  commands: async () => (await import('./commands.ts')).commands,
  history: async () => (await import('./history.ts')).history,
  growth: async () => (await import('./growth.ts')).growth,
  trips: async () => (await import('./trips.ts')).trips,
  statements: async () => (await import('./statements.ts')).statements,
  viewers: async () => (await import('./viewers.ts')).viewers,
  report: async () => (await import('./report.ts')).report,
  handover: async () => (await import('./handover.ts')).handover,
  silence: async () => (await import('./silence.ts')).silence,
  truth: async () => (await import('./truth.ts')).truth,
  orphan: async () => (await import('./orphan.ts')).orphan,
  overhead: async () => (await import('./overhead.ts')).overhead,
};

interface Asked {
  readonly names: readonly string[];
  readonly rounds: number;
  readonly quick: boolean;
  readonly json: boolean;
}

/** Null: only help was asked for. */
function asked(): Asked | null {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return null;
  const names = positionals.length === 0 ? Object.keys(BENCHES) : positionals;
  const unknown = names.find((name) => !(name in BENCHES));
  if (unknown !== undefined) throw new RangeError(`there is no benchmark ${unknown}`);
  const rounds = whole(values.rounds ?? (values.quick ? '5' : '9'), 'rounds');
  return { names, rounds, quick: values.quick, json: values.json };
}

/** What was asked for could not be understood: said in a line, with how to ask. */
function main(): Promise<number> | number {
  try {
    const wanted = asked();
    if (wanted !== null) return run(wanted);
    console.log(HELP);
    return 0;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
}

async function run({ names, rounds, quick, json }: Asked): Promise<number> {
  const began = performance.now();
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const effort = { rounds, budgetMs: quick ? 2_500 : 12_000 };
  const places = await openPlaces();
  if (places.postgres === null) say(`nothing is measured on PostgreSQL: ${places.why}`);
  try {
    const figures: Figure[] = [];
    for (const name of names) {
      const bench = await BENCHES[name]?.();
      if (bench) figures.push(...(await bench({ places, effort, quick, say })));
    }
    const seconds = Math.round((performance.now() - began) / 1000);
    const run = { rounds, quick, seconds, node: process.version, cores: availableParallelism() };
    if (json) console.log(JSON.stringify({ ...run, figures }, null, 2));
    else {
      console.log(tableOf(figures));
      console.log(
        `\nup to ${rounds} rounds${quick ? ', quick' : ''}, ${seconds} s, Node ${run.node}, ${run.cores} cores`,
      );
    }
  } finally {
    await places.close();
  }
  return 0;
}

function whole(text: string, name: string): number {
  const n = Number(text);
  if (!Number.isInteger(n) || n < 1) throw new RangeError(`--${name}: a whole number from 1 on, not ${text}`);
  return n;
}

process.exitCode = await main();
