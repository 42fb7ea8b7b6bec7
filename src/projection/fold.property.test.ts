import fc from 'fast-check';
import { describe, it } from 'vitest';
import { newLab } from '../../test/verbs/driver.ts';
import {
  givesStored,
  interleaved,
  onlyDecays,
  repeated,
  restsOnItsProof,
  type Subject,
  subjects,
} from '../../test/verbs/laws.ts';
import { live, lives } from '../../test/verbs/random-life.ts';

const RUNS = { numRuns: 70, seed: 20_261_114 };
const choices = fc.array(fc.array(fc.nat(1_000), { minLength: 1, maxLength: 30 }), {
  minLength: 5,
  maxLength: 5,
});

/** Runs random lives, and checks a law for every service after every step, or once at the end. */
function holds(law: (subject: Subject, orders: number[][]) => void, when: 'always' | 'in the end') {
  const property = fc.asyncProperty(lives(40), choices, async (steps, orders) => {
    const lab = newLab();
    const check = async () => {
      for (const subject of await subjects(lab)) law(subject, orders);
    };
    await live(lab, steps, when === 'always' ? check : undefined);
    await check();
  });
  return fc.assert(property, RUNS);
}

describe('facts', { timeout: 240_000 }, () => {
  it('rebuilt from the ledger equal the stored ones, byte for byte (S9)', () =>
    holds((subject) => givesStored(subject, subject.rows), 'always'));

  it('are the same under every interleaving that keeps each source’s own order (S9)', () =>
    holds((subject, orders) => {
      for (const order of orders) givesStored(subject, interleaved(subject.rows, order));
    }, 'in the end'));

  it('are the same under every repetition (S9)', () =>
    holds((subject, orders) => {
      for (const order of orders) givesStored(subject, repeated(subject.rows, order));
    }, 'in the end'));
});

describe('a claim', { timeout: 240_000 }, () => {
  it('rests on the evidence that it cites, and on nothing else (S14)', () =>
    holds(restsOnItsProof, 'always'));

  it('never becomes stronger by time alone, and does not change before validUntil', () =>
    holds((subject) => {
      onlyDecays(subject, true);
      onlyDecays(subject, false);
    }, 'in the end'));
});
