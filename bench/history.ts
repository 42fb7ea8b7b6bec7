import type { Host } from '../src/evidence/door/host.ts';
import { claimAt, claimNow, history as historyOf } from '../src/evidence/read.ts';
import type { Context } from './context.ts';
import { type BenchDatabase, databasesOf, openPlatform } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { fillHistory, HISTORY_SERVICE, ORG } from './history-fill.ts';
import { deploySource, unwrapAnswer } from './life.ts';
import { costOf, interleaved } from './rounds.ts';

const SHORT = 1_000;
/** A side that takes longer is measured once: its ratio needs no second round. */
const SLOW_MS = 1_000;

const OPERATIONS: Readonly<Record<string, (host: Host, middle: number) => Promise<unknown>>> = {
  'status read': async (host) => unwrapAnswer(await claimNow(host, ORG, HISTORY_SERVICE)),
  'history page of 20': (host) => historyOf(host, ORG, HISTORY_SERVICE, 20),
  deploy: (host) => deploySource(host, ORG, HISTORY_SERVICE),
  'claim at an instant in the middle': async (host, middle) =>
    unwrapAnswer(await claimAt(host, ORG, HISTORY_SERVICE, middle)),
};

/** Compares verbs on a service with a long history and on one with a short one: they must cost the same. */
export async function measureHistory(context: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(context.databases))
    figures.push(...(await historyOn(context, database)));
  return figures;
}

async function historyOn({ effort, quick, say }: Context, database: BenchDatabase): Promise<Figure[]> {
  const long = quick ? 100_000 : 1_000_000;
  const began = performance.now();
  const [small, large] = [
    await fillHistory(database, 'short', SHORT),
    await fillHistory(database, 'long', long),
  ];
  say(
    `history: ${long} revisions on ${database.name} filled in ${Math.round((performance.now() - began) / 1000)} s`,
  );
  const [few, many] = [await openPlatform(database, small.where), await openPlatform(database, large.where)];
  const figures: Figure[] = [];
  try {
    for (const [what, operation] of Object.entries(OPERATIONS)) {
      const first = await costOf(0, () => operation(many, large.middle));
      const slow = first > SLOW_MS;
      const forMs = slow ? 0 : quick ? 40 : 80;
      const result = slow
        ? null
        : await interleaved(effort, {
            few: () => costOf(forMs, () => operation(few, small.middle)),
            many: () => costOf(forMs, () => operation(many, large.middle)),
          });
      const fewMs = result?.median('few') ?? (await costOf(200, () => operation(few, small.middle)));
      figures.push({
        bench: 'history',
        what: `${what}, ${words(long)} revisions`,
        store: database.name,
        value: result?.median('many') ?? first,
        unit: slow ? 'ms (one call)' : 'ms',
        beside: { name: `${words(SHORT)} revisions`, value: fewMs },
        ratio: result?.ratio('many', 'few') ?? first / fewMs,
        goal: atMost(1.3),
      });
    }
  } finally {
    await few.close();
    await many.close();
  }
  return figures;
}

const words = (n: number) => (n >= 1_000_000 ? `${n / 1_000_000} million` : `${n / 1_000} thousand`);
