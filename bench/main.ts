import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Context } from './context.ts';
import { openDatabases } from './databases.ts';
import { type Figure, tableOf } from './figures.ts';
import { SERVE_SNAPSHOTS } from './snapshots.ts';

type Bench = (context: Context) => Promise<readonly Figure[]>;

interface BenchEntry {
  readonly measures: string;
  readonly load: () => Promise<Bench>;
}

const BENCHES: Readonly<Record<string, BenchEntry>> = {
  ingest: {
    measures: 'durable evidence per second, beside the bare database driver',
    load: async () => (await import('./ingest.ts')).ingest,
  },
  commands: {
    measures: 'commands acquired and completed per second, beside job queues',
    load: async () => (await import('./commands.ts')).commands,
  },
  history: {
    measures: 'verbs on a service of 1 million revisions, beside one of 1 thousand',
    load: async () => (await import('./history.ts')).measureHistory,
  },
  ribbons: {
    measures: 'the states of 50 services over a day, beside services that began with it',
    load: async () => (await import('./ribbons.ts')).measureRibbons,
  },
  growth: {
    measures: 'the cost of one unit of work when there is 10 and 100 times as much of it',
    load: async () => (await import('./growth.ts')).growth,
  },
  trips: {
    measures: 'round trips per verb; no time, so the same on every machine',
    load: async () => (await import('./trips.ts')).trips,
  },
  statements: {
    measures: 'hand-written SQL, beside the obvious statement',
    load: async () => (await import('./statements.ts')).statements,
  },
  viewers: {
    measures: 'from a request to 1,000 streams that show it',
    load: async () => (await import('./viewers.ts')).viewers,
  },
  report: {
    measures: 'how long a report of 10,000 instances blocks the server',
    load: async () => (await import('./report.ts')).measureReport,
  },
  handover: {
    measures: 'from the answer to a deploy until the command is offered',
    load: async () => (await import('./handover.ts')).handover,
  },
  silence: {
    measures: 'from a frozen agent until everybody is shown unknown, and back',
    load: async () => (await import('./silence.ts')).silence,
  },
  outage: {
    measures: 'from the silence of 5,000 services until a viewer has the last, beside that of one',
    load: async () => (await import('./outage.ts')).outage,
  },
  fleet: {
    measures: 'first and calm reports of 500 agents with 100 services each, beside plain snapshots in rows',
    load: async () => (await import('./fleet.ts')).fleet,
  },
  return: {
    measures: 'processor time of the first reports after everything was away, in one process',
    load: async () => (await import('./return.ts')).measureReturn,
  },
  fairness: {
    measures: 'the status of one org while another lists 5,000 services by state, beside a calm server',
    load: async () => (await import('./fairness.ts')).fairness,
  },
  truth: {
    measures: 'from the death, return or replacement of an app until a viewer is shown it',
    load: async () => (await import('./truth.ts')).truth,
  },
  orphan: {
    measures: 'from a killed worker until another holds its command',
    load: async () => (await import('./orphan.ts')).orphan,
  },
  inspect: {
    measures: 'verdicts on 10,000 objects of Kubernetes, from the start of the process to its end',
    load: async () => (await import('./inspect.ts')).measureInspect,
  },
  cluster: {
    measures: 'from the status of 3,000 pods to a viewer, and the cost of the agent; needs a lab',
    load: async () => (await import('./cluster.ts')).measureCluster,
  },
  overhead: {
    measures: 'what Evident adds to the start of an app until it is shown running',
    load: async () => (await import('./overhead.ts')).overhead,
  },
};

const HELP = `npm run bench -- [names] [options]

names (without any, all of them; docs/performance.md says what each stands beside)
${Object.entries(BENCHES)
  .map(([name, { measures }]) => `  ${name.padEnd(16)}${measures}`)
  .join('\n')}

options
  --rounds N      caps the measured rounds of each side, A B A B (9; with --quick 5)
  --quick         less work: some seconds each
  --json          prints the figures as one JSON object
  --help          prints this

examples
  npm run bench                                  everything; takes long
  npm run bench -- ingest commands               two of them
  npm run bench -- ingest --rounds 3             fewer rounds
  npm run bench -- ingest --quick                a first impression
  npm run -s bench -- trips --json > trips.json  for a program`;

interface BenchRequest {
  readonly names: readonly string[];
  readonly rounds: number;
  readonly quick: boolean;
  readonly json: boolean;
}

/** Reads the command line. Null: only help is wanted. */
function requestOf(): BenchRequest | null {
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

/** A command line that cannot be read is answered with the reason and the help. */
async function main(): Promise<number> {
  const [, , name, ...args] = process.argv;
  if (name === SERVE_SNAPSHOTS) return (await import('./snapshot-server.ts')).serveSnapshots(args);
  try {
    const request = requestOf();
    if (request !== null) return run(request);
    console.log(HELP);
    return 0;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
}

async function run({ names, rounds, quick, json }: BenchRequest): Promise<number> {
  const began = performance.now();
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const effort = { rounds, budgetMs: quick ? 2_500 : 12_000 };
  const databases = await openDatabases();
  if (databases.postgres === null) say(`nothing is measured on PostgreSQL: ${databases.why}`);
  try {
    const figures: Figure[] = [];
    for (const name of names) {
      const bench = await BENCHES[name]?.load();
      if (bench) figures.push(...(await bench({ databases, effort, quick, say })));
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
    await databases.close();
  }
  return 0;
}

function whole(text: string, name: string): number {
  const n = Number(text);
  if (!Number.isInteger(n) || n < 1) throw new RangeError(`--${name}: a whole number from 1 on, not ${text}`);
  return n;
}

process.exitCode = await main();
