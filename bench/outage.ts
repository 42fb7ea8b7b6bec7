import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from './context.ts';
import { analyze, type BenchDatabase, databasesOf } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { quantile } from './rounds.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { Served } from './served.ts';
import { clock } from './viewer.ts';

const SERVICES = 5_000;
/** Longer than a report of all these services takes a busy server: otherwise they fall silent while it works on one. */
const FRESH_MS = 8_000;
const REPORT_MS = 500;
/** The promised time: from the instant at which the claim is `unknown` until a viewer of the org has it (S2). */
const PROMISED_MS = 1_000;
const PATIENCE_MS = 120_000;
/** So many reports without news of each agent are answered, and no claim changes meanwhile: the server is calm. */
const BEATS_OF_CALM = 3;

/** A change of claim as the stream of an org sends it. */
interface SentTransition {
  readonly service: string;
  readonly to: string;
  readonly at: string;
}

/**
 * Thousands of services of one agent that falls silent: how long from the instant at which the claims are `unknown` until
 * the viewer of the org has received the last of them, beside the silence of an agent with one service.
 */
export async function outage({ databases, quick, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(databases)) {
    say(`outage of ${SERVICES} services on ${database.name}`);
    const args = ['--fresh-for', String(FRESH_MS), '--report-every', String(REPORT_MS)];
    figures.push(
      ...(await Served.with(database, 'outage', args, (served) => on(database, served, quick ? 2 : 5, say))),
    );
  }
  return figures;
}

async function on(
  database: BenchDatabase,
  served: Served,
  rounds: number,
  say: Context['say'],
): Promise<Figure[]> {
  const received: { readonly late: number; readonly of: SentTransition }[] = [];
  const stop = await served.watch('/v1/events', (event, data) => {
    if (event !== 'transition') return;
    const of = JSON.parse(data) as SentTransition;
    received.push({ late: clock() - Date.parse(of.at), of });
  });
  const last = { one: [] as number[], many: [] as number[] };
  const all = async (agent: ScriptedAgent, to: string): Promise<number> => {
    const isMeant = ({ of }: { readonly of: SentTransition }) =>
      of.to === to && of.service.endsWith(`@${agent.target}`);
    for (const until = clock() + PATIENCE_MS; received.filter(isMeant).length < agent.services; )
      if (clock() > until) throw new Error(`${agent.target}: not all of them were sent as ${to}`);
      else await wait(10);
    return Math.max(...received.filter(isMeant).map(({ late }) => late));
  };
  const one = await ScriptedAgent.start(served, 'one', 1, REPORT_MS);
  const many = await ScriptedAgent.start(served, 'many', SERVICES, REPORT_MS);
  // The first reports of so many new services keep the server busy, and whoever falls silent meanwhile waits behind them.
  // A silence is measured from a calm server.
  const untilCalm = async () => {
    for (const until = clock() + PATIENCE_MS; ; ) {
      received.length = 0;
      await Promise.all([one.heard(BEATS_OF_CALM), many.heard(BEATS_OF_CALM)]);
      if (received.length === 0) return;
      if (clock() > until) throw new Error('this machine is too busy to keep so many services fresh');
    }
  };
  try {
    await all(many, 'running');
    if (served.database !== null) await analyze(served.database);
    for (let round = 0; round < rounds; round++)
      for (const [name, agent] of Object.entries({ one, many }) as ['one' | 'many', ScriptedAgent][]) {
        await untilCalm();
        agent.pause();
        const late = await all(agent, 'unknown');
        last[name].push(late);
        say(`  round ${round + 1}, ${agent.services} silent: the last is sent after ${Math.round(late)} ms`);
        received.length = 0;
        await agent.resume();
        await all(agent, 'running');
      }
  } finally {
    stop();
    await Promise.all([one.stop(), many.stop()]);
  }
  const value = quantile(last.many, 0.5);
  const alone = quantile(last.one, 0.5);
  const figure = { bench: 'outage', store: database.name, value, unit: 'ms' };
  const what = `the last of ${SERVICES} services is sent as unknown, p50`;
  return [
    {
      ...{ ...figure, what, beside: { name: 'promised', value: PROMISED_MS } },
      ...{ ratio: value / PROMISED_MS, goal: atMost(1) },
    },
    {
      ...{ ...figure, what, beside: { name: 'one service', value: alone } },
      ...{ ratio: value / alone, goal: null },
    },
  ];
}
