import assert from 'node:assert/strict';
import type { Claim } from '../../src/contract/claim.ts';
import { readFrom } from '../../src/evidence/read.ts';
import { canonicalJson } from '../../src/store/canonical.ts';
import { KEYS, type Table } from '../../src/store/schema.ts';
import { type Lab, newLab, Platform, Refused } from '../verbs/driver.ts';
import { givesStored, restsOnItsProof, subjects } from '../verbs/laws.ts';
import { ORG } from '../verbs/names.ts';
import { finishDeployment } from './finish-deployment.ts';
import { HookedStore } from './kill-points.ts';
import type { Step } from './steps.ts';

/** The claim and every row of every table at one moment. */
export interface Moment {
  readonly claim: Claim | null;
  readonly rows: string;
}

/** The answers and the rows of a run without a kill. */
export interface Control {
  /** The time of the call. */
  readonly now: number;
  /** The moments before the transaction that is the step, after its commit, and after the answer to the call. */
  readonly begun: Moment;
  readonly stepped: Moment;
  readonly answered: Moment;
  readonly answer: unknown;
  /** The answer to the same call when it is repeated. */
  readonly again: unknown;
  /** The rows at the end of the deployment after one call, and after two. */
  readonly once: string;
  readonly twice: string;
}

/** Runs on the store in memory. Each database must end with the same rows, byte for byte. */
export async function controlOf(step: Step): Promise<Control> {
  const transaction = step.transaction ?? 1;
  const [first, second] = [await prepared(step), await prepared(step)];
  const { now } = first;
  const answer = await answerOf(step, first);
  await answerOf(step, second);
  const answered = await momentOf(first);
  const again = await answerOf(step, second);
  for (const lab of [first, second]) await finishDeployment(lab, step.ends ?? 'running');
  return {
    now,
    begun: await stoppedAt(step, transaction),
    stepped: await stoppedAt(step, transaction + 1),
    answered,
    answer,
    again,
    once: await everything(first),
    twice: await everything(second),
  };
}

async function prepared(step: Step): Promise<Lab> {
  const lab = newLab();
  await step.prepare(lab);
  return lab;
}

/** The moment before the n-th transaction of the call, or after the call if it has fewer. */
async function stoppedAt(step: Step, transaction: number): Promise<Moment> {
  const lab = await prepared(step);
  const stop = () => {
    throw new Stopped();
  };
  const store = new HookedStore(lab.store, transaction, stop);
  try {
    await step.run(new Platform(store, lab.clock));
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
  }
  return momentOf(lab);
}

class Stopped extends Error {}

export async function momentOf(lab: Platform): Promise<Moment> {
  return { claim: await claimOf(lab), rows: await everything(lab) };
}

/** The answer to the step's call; a refusal counts as an answer. */
export async function answerOf(step: Step, lab: Platform): Promise<unknown> {
  try {
    return plain(await step.run(lab));
  } catch (error) {
    if (error instanceof Refused) return { refused: error.code };
    throw error;
  }
}

/** Converts the value as a child's output does. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

async function claimOf(lab: Platform): Promise<Claim | null> {
  try {
    return await lab.claim();
  } catch (error) {
    if (error instanceof Refused && error.code === 'not_found') return null;
    throw error;
  }
}

export function everything(lab: Platform): Promise<string> {
  return lab.store.read(async (tx) => {
    const lines: string[] = [];
    for (const table of Object.keys(KEYS) as Table[]) {
      const rows = (await tx.select(table, {})).map((row) => canonicalJson(row)).toSorted();
      lines.push(...rows.map((row) => `${table} ${row}`));
    }
    return lines.join('\n');
  });
}

/** Checks what must hold of a store whenever it is opened: S9, S10, S14. */
export async function checkLaws(lab: Platform): Promise<void> {
  const { entries, head } = await readFrom(lab.host, ORG, '0', 10_000);
  assert.deepEqual(
    entries.map((e) => e.position),
    Array.from({ length: Number(head) }, (_, n) => String(n + 1)),
    'every position once, none missing',
  );
  for (const subject of await subjects(lab)) {
    givesStored(subject, subject.rows);
    restsOnItsProof(subject);
  }
}
