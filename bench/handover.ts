import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Context } from './context.ts';
import type { BenchDatabase } from './databases.ts';
import { atMost, type Figure } from './figures.ts';
import { UNHURRIED } from './http-worker.ts';
import { quantile } from './rounds.ts';
import { IMAGE, Served } from './served.ts';

/** The promised time between the answer to a deploy and the offer to a worker that waits. */
const PROMISED_MS = 50;

/**
 * Somebody waits for work by long poll; a service is deployed, at the same server or at another one on the same
 * database. How long from the answer to that request, when it is durable, until the command is offered to who waits.
 */
export async function handover({ databases, quick, say }: Context): Promise<Figure[]> {
  const rounds = quick ? 30 : 200;
  say(`handover: ${rounds} commands, one at a time`);
  const { sqlite, postgres } = databases;
  const figures = await Served.with(sqlite, 'handover', UNHURRIED, async (served) =>
    figuresOf(sqlite, 'one server', await waits(served, served, rounds)),
  );
  if (postgres === null) return figures;
  const files = mkdtempSync(join(tmpdir(), 'evident-handover-'));
  const shared = [...UNHURRIED, '--database', await postgres.create('handover'), '--files', files];
  try {
    // Beside each other on one database that is named by hand: neither makes one of its own.
    await Served.with(sqlite, 'handover_1', shared, async (one) => {
      figures.push(...figuresOf(postgres, 'one server', await waits(one, one, rounds)));
      await Served.with(sqlite, 'handover_2', shared, async (other) => {
        figures.push(...figuresOf(postgres, 'two servers', await waits(one, other, rounds)));
      });
    });
  } finally {
    rmSync(files, { recursive: true, force: true });
  }
  return figures;
}

let made = 0;

async function waits(deploying: Served, waiting: Served, rounds: number): Promise<number[]> {
  const token = await deploying.tokenFor('agent');
  const took: number[] = [];
  for (let n = 0; n < rounds; n++) {
    const [target, name] = [`t${made}`, `agent-${made++}`];
    const body = { kinds: ['apply'], target, worker: name, instance: name, waitMs: 20_000 };
    const offered = waiting.call('POST', '/v1/leases', body, token).then(() => performance.now());
    // Until it certainly waits, and at no fixed place between two looks.
    await wait(60 + Math.random() * 60);
    await deploying.call('POST', `/v1/services/web@${target}/deployments`, { image: IMAGE });
    const durable = performance.now();
    took.push(Math.max(0, (await offered) - durable));
  }
  return took;
}

const figuresOf = ({ name }: BenchDatabase, where: string, took: readonly number[]): Figure[] =>
  ([0.5, 0.99] as const).map((q) => {
    const value = quantile(took, q);
    return {
      ...{ bench: 'handover', what: `to who waits, ${where}, p${q * 100}`, store: name, value, unit: 'ms' },
      ...{ beside: { name: 'promised', value: PROMISED_MS }, ratio: value / PROMISED_MS, goal: atMost(1) },
    };
  });
