import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from './context.ts';
import { type BenchDatabase, databasesOf } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { quantile } from './rounds.ts';
import { Served } from './served.ts';
import { BenchTarget } from './target.ts';
import { clock, is } from './viewer.ts';

const STABILITY_MS = 500;
const POLL_MS = 5_000;
const PROMISED_MS = 300;

/** The instant of something that happened to the app, and how long after it, beyond any window, a viewer was shown it. */
interface ShownChange {
  readonly at: number;
  readonly shownAfterMs: number;
}

interface ShownChanges {
  readonly dies: ShownChange[];
  readonly recovers: ShownChange[];
  readonly changes: ShownChange[];
}

/** Measures how long after the death, return and replacement of an app a viewer is shown it, beside a poll of the app. */
export async function truth({ databases, quick, say }: Context): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const database of databasesOf(databases)) {
    say(`truth on ${database.name}`);
    figures.push(...(await on(database, quick ? 10 : 40)));
  }
  return figures;
}

function on(database: BenchDatabase, count: number): Promise<Figure[]> {
  return Served.with(database, 'truth', [], (served) =>
    BenchTarget.with(served, STABILITY_MS, async (target) => {
      const poll = new Poll(target);
      const rounds: ShownChanges = { dies: [], recovers: [], changes: [] };
      for (let n = 0; n < count; n++) {
        // At no fixed place between two looks of the poll.
        await wait(Math.random() * 1_000);
        await killed(target, rounds);
        await replaced(target, rounds);
      }
      await poll.end();
      return [
        ...figuresOf(database, poll, 'app dies', rounds.dies),
        ...figuresOf(database, poll, 'recovers, over the window', rounds.recovers),
        ...figuresOf(database, poll, 'changes revision, over the window', rounds.changes),
      ];
    }),
  );
}

async function killed(target: BenchTarget, rounds: ShownChanges): Promise<void> {
  const { pid, revision } = await target.app();
  const at = clock();
  process.kill(pid, 'SIGKILL');
  const down = await target.viewer.when(({ state }) => state !== 'running', at);
  const up = await target.viewer.when(is('running', revision), down.at);
  const { listenedAt } = await target.app();
  rounds.dies.push({ at, shownAfterMs: down.at - at });
  rounds.recovers.push({ at: listenedAt, shownAfterMs: up.at - listenedAt - STABILITY_MS });
}

async function replaced(target: BenchTarget, rounds: ShownChanges): Promise<void> {
  const artifact = await target.artifact();
  const requestedAt = clock();
  const revision = await target.deploy(artifact);
  const running = await target.viewer.when(is('running', revision), requestedAt);
  const { listenedAt } = await target.app();
  rounds.changes.push({ at: listenedAt, shownAfterMs: running.at - listenedAt - STABILITY_MS });
}

/**
 * A status page without any evidence: looks at the same app every 5 s, and believes each look. Whatever
 * happened before a look counts as seen by it, also what was over by then and what a window would have kept back.
 */
class Poll {
  readonly #looks: number[] = [];
  readonly #target: BenchTarget;
  readonly #timer: NodeJS.Timeout;
  #looked: () => void = () => {};

  constructor(target: BenchTarget) {
    this.#target = target;
    this.#timer = setInterval(() => void this.#look(), POLL_MS);
  }

  /** After one more look. */
  async end(): Promise<void> {
    await new Promise<void>((done) => {
      this.#looked = done;
    });
    clearInterval(this.#timer);
  }

  sawAfter({ at }: ShownChange): number {
    return (this.#looks.find((look) => look >= at) ?? Number.NaN) - at;
  }

  async #look(): Promise<void> {
    // No answer is an answer: it is down.
    await this.#target.app().catch(() => null);
    this.#looks.push(clock());
    this.#looked();
  }
}

function figuresOf(database: BenchDatabase, poll: Poll, what: string, all: readonly ShownChange[]): Figure[] {
  const delays = all.map(({ shownAfterMs }) => shownAfterMs);
  const seen = all.map((happened) => poll.sawAfter(happened));
  const row = (name: string, value: number, besideName: string, beside: number): Figure => ({
    bench: 'truth',
    ...{ what: `${what}, ${name}`, store: database.name, value, unit: 'ms' },
    ...{ beside: { name: besideName, value: beside }, ratio: value / beside, goal: null },
  });
  return [
    row('p50', quantile(delays, 0.5), '5 s poll, p50', quantile(seen, 0.5)),
    row('p99', quantile(delays, 0.99), '5 s poll, p99', quantile(seen, 0.99)),
    { ...row('p99', quantile(delays, 0.99), 'promised', PROMISED_MS), goal: atMost(1) },
  ];
}
