import type { Context } from './context.ts';
import { analyze, type BenchDatabase, databasesOf } from './databases.ts';
import type { Figure } from './figures.ts';
import { interleaved, quantile } from './rounds.ts';
import { ScriptedAgent } from './scripted-agent.ts';
import { Served } from './served.ts';

const SERVICES = 5_000;
/** The requests of one side of a round. */
const LOOKS = 40;
const LISTS_AT_ONCE = 8;
/** Long times, so that no agent falls silent on a busy machine. */
const ARGS = ['--fresh-for', '600000', '--report-every', '60000'];

/**
 * Somebody reads the status of a service, while viewers of another org list 5,000 services by a state that none of them
 * has, again and again (F125): the median of one answer, beside the same without those viewers.
 */
export async function fairness({ databases, effort, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(databases)) {
    say(`fairness on ${database.name}`);
    figures.push(
      await Served.with(database, 'fairness', ARGS, async (served) => {
        const large = await served.call('POST', '/v1/tokens', { role: 'admin', org: 'large' });
        const one = await ScriptedAgent.start(served, 'one', 1, 1_000);
        const many = await ScriptedAgent.start(served, 'many', SERVICES, 1_000, large.token);
        if (served.database !== null) await analyze(served.database);
        try {
          return await on(database, served, large.token, effort.rounds);
        } finally {
          await Promise.all([one.stop(), many.stop()]);
        }
      }),
    );
  }
  return figures;
}

async function on(database: BenchDatabase, served: Served, large: string, most: number): Promise<Figure> {
  const look = async () => {
    const waits: number[] = [];
    for (let n = 0; n < LOOKS; n++) {
      const began = performance.now();
      await served.call('GET', '/v1/services/s0@one/status');
      waits.push(performance.now() - began);
    }
    return quantile(waits, 0.5);
  };
  const rounds = await interleaved(
    { rounds: most, budgetMs: 30_000 },
    {
      beside: async () => {
        let isOver = false;
        const lists = Array.from({ length: LISTS_AT_ONCE }, async () => {
          while (!isOver) await served.call('GET', '/v1/services?state=failed', undefined, large);
        });
        const value = await look();
        isOver = true;
        await Promise.all(lists);
        return value;
      },
      calm: look,
    },
  );
  return {
    ...{ bench: 'fairness', store: database.name, value: rounds.median('beside'), unit: 'ms' },
    what: `status of one org, p50, while another lists ${SERVICES} services by state`,
    beside: { name: 'without the lists', value: rounds.median('calm') },
    ...{ ratio: rounds.ratio('beside', 'calm'), goal: null },
  };
}
