import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Lab, newLab, ORG } from '../../test/verbs/driver.ts';
import { type Step, live, lives } from '../../test/verbs/random-life.ts';
import type { Claim } from '../contract/claim.ts';
import type { Evidence } from '../contract/evidence.ts';
import type { Intent } from '../contract/intent.ts';
import type { Outcome, State } from '../contract/vocabulary.ts';
import { openFile } from '../evidence/service-file.ts';
import { canonicalJson } from '../store/canonical.ts';
import { claim } from './claim.ts';
import { type Facts, NOTHING_PROVEN, type Proven } from './facts.ts';
import { fold } from './fold.ts';

const RUNS = 150;
const LENGTH = 40;

interface Subject {
  readonly service: string;
  readonly intent: Intent;
  readonly facts: Facts;
  readonly rows: readonly Evidence[];
}

/** Every service of the lab with its intent, its stored facts and its admitted rows. */
function subjects(lab: Lab): Promise<Subject[]> {
  return lab.store.read(async (tx) => {
    const found: Subject[] = [];
    for (const stored of await tx.select('services', { org: ORG })) {
      const { service } = stored;
      const { intent, facts } = await openFile(tx, lab.host.settings, ORG, service, lab.now, stored);
      const ledger = await tx.select('ledger', { org: ORG, service, verdict: 'admitted' }, { order: 'position' });
      found.push({ service, intent, facts, rows: ledger as Evidence[] });
    }
    return found;
  });
}

const foldAll = (rows: readonly Evidence[]): Proven => rows.reduce(fold, NOTHING_PROVEN);

/** Another order of the same rows in which each source still speaks in its own; `choices` drives it. */
function interleaved(rows: readonly Evidence[], choices: readonly number[]): Evidence[] {
  const bySource = new Map<string, Evidence[]>();
  for (const row of rows) {
    const key = `${row.source.role}/${row.source.name}`;
    bySource.set(key, [...(bySource.get(key) ?? []), row]);
  }
  const queues = [...bySource.values()];
  const order: Evidence[] = [];
  for (let n = 0; order.length < rows.length; n++) {
    const open = queues.filter((queue) => queue.length > 0);
    const next = open[(choices[n % choices.length] ?? 0) % open.length]?.shift();
    if (next !== undefined) order.push(next);
  }
  return order;
}

/** The same rows with some of them delivered again, at any later time. */
function repeated(rows: readonly Evidence[], choices: readonly number[]): Evidence[] {
  const order = [...rows];
  for (const [n, choice] of choices.entries()) {
    const row = rows[choice % rows.length];
    const from = row === undefined ? 0 : order.indexOf(row) + 1;
    if (row !== undefined) order.splice(from + ((choice + n) % (order.length - from + 1)), 0, row);
  }
  return order;
}

const choices = fc.array(fc.nat(1_000), { minLength: 1, maxLength: 30 });

async function everyService(steps: readonly Step[], check: (lab: Lab, s: Subject) => void): Promise<void> {
  const lab = newLab();
  await live(lab, steps);
  for (const subject of await subjects(lab)) check(lab, subject);
}

describe('facts', () => {
  it('rebuilt from the ledger equal the stored ones, byte for byte (S9)', async () => {
    await fc.assert(
      fc.asyncProperty(lives(LENGTH), async (steps) => {
        await everyService(steps, (_lab, { facts, rows }) => {
          expect(canonicalJson(foldAll(rows))).toBe(canonicalJson(facts.proven));
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('are the same under every interleaving that keeps each source’s own order (S9)', async () => {
    await fc.assert(
      fc.asyncProperty(lives(LENGTH), fc.array(choices, { minLength: 6, maxLength: 6 }), async (steps, orders) => {
        await everyService(steps, (_lab, { facts, rows }) => {
          for (const order of orders)
            expect(canonicalJson(foldAll(interleaved(rows, order)))).toBe(canonicalJson(facts.proven));
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('are the same under every repetition (S9)', async () => {
    await fc.assert(
      fc.asyncProperty(lives(LENGTH), fc.array(choices, { minLength: 6, maxLength: 6 }), async (steps, orders) => {
        await everyService(steps, (_lab, { facts, rows }) => {
          for (const order of orders)
            expect(canonicalJson(foldAll(repeated(rows, order)))).toBe(canonicalJson(facts.proven));
        });
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a claim', () => {
  it('cites evidence that exists, and replaying only that gives the same state (S14)', async () => {
    await fc.assert(
      fc.asyncProperty(lives(LENGTH), async (steps) => {
        const lab = newLab();
        await live(lab, steps, async () => {
          for (const { intent, facts, rows } of await subjects(lab)) {
            const told = claim(intent, facts, lab.now);
            const cited = new Set(told.proof.evidence);
            const only = rows.filter((row) => cited.has(row.id));
            expect(only.map((row) => row.id).toSorted()).toEqual([...cited].toSorted());
            const replayed = claim(intent, { ...facts, proven: foldAll(only), recorded: null }, lab.now);
            expect([replayed.state, replayed.cause?.code]).toEqual([told.state, told.cause?.code]);
          }
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('is never made stronger by time alone, and not changed at all before validUntil', async () => {
    await fc.assert(
      fc.asyncProperty(lives(LENGTH), async (steps) => {
        await everyService(steps, (lab, { intent, facts }) => {
          for (const awake of [true, false]) decays(lab, intent, facts, awake);
        });
      }),
      { numRuns: RUNS },
    );
  });
});

/** What a state may become when nothing happens but time. */
const BY_TIME: Readonly<Partial<Record<State, readonly State[]>>> = {
  building: ['unknown'],
  applying_runtime_state: ['unknown'],
  starting: ['failed', 'unknown'],
  running: ['unknown'],
  degraded: ['failed', 'unknown'],
  failed: ['unknown'],
  stopping: ['unknown'],
  stopped: ['unknown'],
};
const OUTCOME_BY_TIME: readonly Outcome[] = ['failed', 'abandoned'];
const AHEAD = [1, 999, 3_000, 5_000, 14_999, 15_000, 15_001, 30_000, 45_000, 60_000, 90_000, 600_000, 86_400_000];

function decays(lab: Lab, intent: Intent, facts: Facts, awake: boolean): void {
  const at = (now: number) => {
    const awakeUntil = awake ? now : facts.vitals.awakeUntil;
    return claim(intent, { ...facts, vitals: { ...facts.vitals, awakeUntil } }, now);
  };
  const instants = AHEAD.map((ms) => lab.now + ms);
  let before = at(lab.now);
  for (let i = 0; i < instants.length; i++) {
    const validUntil = before.freshness.validUntil === null ? null : Date.parse(before.freshness.validUntil);
    const now = instants[i] as number;
    if (validUntil !== null && validUntil <= now) {
      expect(validUntil).toBeGreaterThan(Date.parse(before.now));
      expect(lasting(at(validUntil - 1))).toEqual(lasting(before));
      if (!instants.includes(validUntil)) instants.splice(i, 0, validUntil);
    } else expect(lasting(at(now))).toEqual(lasting(before));
    const after = at(instants[i] as number);
    if (after.state !== before.state) expect(BY_TIME[before.state] ?? []).toContain(after.state);
    if (after.outcome !== before.outcome) {
      expect(before.outcome).toBe('in_progress');
      expect(OUTCOME_BY_TIME).toContain(after.outcome);
    }
    before = after;
  }
}

/** All of a claim that does not count the time. `serving` has a `validUntil` of its own. */
function lasting({ state, since, outcome, cause, proof, lastKnown, expecting, timeout, next, message }: Claim) {
  const known = lastKnown && { state: lastKnown.state, at: lastKnown.at };
  return { state, since, outcome, cause, proof, known, expecting, timeout, next, code: message.code };
}
