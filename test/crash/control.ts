import assert from 'node:assert/strict';
import type { Claim } from '../../src/contract/claim.ts';
import { readFrom } from '../../src/evidence/read.ts';
import { canonicalJson } from '../../src/store/canonical.ts';
import { KEYS, type Table } from '../../src/store/schema.ts';
import { type Lab, newLab, Platform, Refused } from '../verbs/driver.ts';
import { givesStored, restsOnItsProof, subjects } from '../verbs/laws.ts';
import { ORG } from '../verbs/names.ts';
import { Doomed } from './doom.ts';
import { goOn } from './go-on.ts';
import type { Step } from './steps.ts';

/** What everybody may read at one moment, and every row of every table. */
export interface Moment {
  readonly claim: Claim | null;
  readonly rows: string;
}

/** What a run in which nobody dies says at each moment, and leaves behind. */
export interface Control {
  /** When the call is made. */
  readonly now: number;
  /** The transaction that is the step begins; it has been committed; the whole call has been answered. */
  readonly begun: Moment;
  readonly stepped: Moment;
  readonly answered: Moment;
  readonly answer: unknown;
  /** The answer to the same call once more. */
  readonly again: unknown;
  /** The rows at the end of the story, if the call was made once, and if it was made twice. */
  readonly once: string;
  readonly twice: string;
}

/** In memory: what the databases leave behind must be the same bytes. */
export async function controlOf(step: Step): Promise<Control> {
  const transaction = step.transaction ?? 1;
  const [first, second] = [await prepared(step), await prepared(step)];
  const { now } = first;
  const answer = await answerOf(step, first);
  await answerOf(step, second);
  const answered = await momentOf(first);
  const again = await answerOf(step, second);
  for (const lab of [first, second]) await goOn(lab, step.ends ?? 'running');
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

/** As things stand when the n-th transaction of the call is about to begin, or at its end if there is none. */
async function stoppedAt(step: Step, transaction: number): Promise<Moment> {
  const lab = await prepared(step);
  const stop = () => {
    throw new Stopped();
  };
  const store = new Doomed(lab.store, transaction, stop);
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

/** A refusal is an answer too. */
export async function answerOf(step: Step, lab: Platform): Promise<unknown> {
  try {
    return plain(await step.run(lab));
  } catch (error) {
    if (error instanceof Refused) return { refused: error.code };
    throw error;
  }
}

/** As it arrives in another process. */
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

/** What must be true of a store whenever anybody opens it: S9, S10, S14. */
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
