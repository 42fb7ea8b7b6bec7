import assert from 'node:assert/strict';
import type { Claim } from '../../src/contract/claim.ts';
import type { Evidence } from '../../src/contract/evidence.ts';
import type { Intent } from '../../src/contract/intent.ts';
import type { Outcome, State } from '../../src/contract/vocabulary.ts';
import { fileNow } from '../../src/evidence/door/service-file.ts';
import { claim } from '../../src/projection/claim.ts';
import { type Facts, NOTHING_PROVEN, type Proven } from '../../src/projection/facts.ts';
import { fold } from '../../src/projection/fold.ts';
import { isIntact } from '../../src/store/broken-row.ts';
import { canonicalJson } from '../../src/store/canonical.ts';
import type { Platform } from './driver.ts';
import { ORG } from './names.ts';

/** One service with its intent, its stored facts and its admitted rows. */
export interface Subject {
  readonly now: number;
  readonly intent: Intent;
  readonly facts: Facts;
  readonly rows: readonly Evidence[];
}

export function subjects(lab: Platform): Promise<Subject[]> {
  return lab.store.read(async (tx) => {
    const found: Subject[] = [];
    for (const { service } of (await tx.select('services', { org: ORG })).filter(isIntact)) {
      const now = await fileNow(tx, lab.host.settings, ORG, service);
      if (now === null) throw new Error(`${service} is not there`);
      const { intent, facts } = now.file;
      const ledger = await tx.select(
        'ledger',
        { org: ORG, service, verdict: 'admitted' },
        { order: 'position' },
      );
      found.push({ now: lab.now, intent, facts, rows: ledger as Evidence[] });
    }
    return found;
  });
}

const foldAll = (rows: readonly Evidence[]): Proven => rows.reduce(fold, NOTHING_PROVEN);

/** S9: these rows give the stored facts, byte for byte. */
export function givesStored({ facts }: Subject, rows: readonly Evidence[]): void {
  assert.equal(canonicalJson(foldAll(rows)), canonicalJson(facts.proven));
}

/** Another order of the same rows that keeps the order of each source; `choices` drives it. */
export function interleaved(rows: readonly Evidence[], choices: readonly number[]): Evidence[] {
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
export function repeated(rows: readonly Evidence[], choices: readonly number[]): Evidence[] {
  const order = [...rows];
  for (const [n, choice] of choices.entries()) {
    const row = rows[choice % rows.length];
    if (row === undefined) continue;
    const from = order.indexOf(row) + 1;
    order.splice(from + ((choice + n) % (order.length - from + 1)), 0, row);
  }
  return order;
}

/** S14: the evidence that a claim cites exists, and replaying only that gives the same state for the same cause. */
export function restsOnItsProof({ intent, facts, rows, now }: Subject): void {
  const full = claim(intent, facts, now);
  // The registration of another cluster belongs to the target, and is no row of the service.
  const other = full.cause?.code === 'identity_changed' ? facts.liveness.agent?.evidence : undefined;
  const cited = new Set(full.proof.evidence.filter((id) => id !== other));
  const only = rows.filter((row) => cited.has(row.id));
  assert.deepEqual(only.map((row) => row.id).toSorted(), [...cited].toSorted());
  const replayed = claim(intent, { ...facts, proven: foldAll(only), recorded: null }, now);
  assert.deepEqual([replayed.state, replayed.cause?.code], [full.state, full.cause?.code]);
}

/** The states that a state may become by time alone. */
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
const AHEAD = [
  1, 999, 3_000, 5_000, 14_999, 15_000, 15_001, 30_000, 45_000, 60_000, 90_000, 600_000, 86_400_000,
];
const CHANGES_BY_TIME = 20;

/**
 * Time alone never strengthens a claim, and changes nothing before `validUntil`. Either the platform stays awake
 * all the time, or its last beat was the last.
 */
export function onlyDecays({ intent, facts, now: start }: Subject, awake: boolean): void {
  const at = (now: number) => {
    const awakeUntil = awake ? now : facts.liveness.awakeUntil;
    return claim(intent, { ...facts, liveness: { ...facts.liveness, awakeUntil } }, now);
  };
  const instants = new Set(AHEAD.map((ms) => start + ms));
  let before = at(start);
  for (let changes = 0; instants.size > 0; ) {
    const validUntil =
      before.freshness.validUntil === null ? Infinity : Date.parse(before.freshness.validUntil);
    assert.ok(validUntil > Date.parse(before.now), 'validUntil lies ahead');
    const sampled = Math.min(...instants);
    // After its last beat the platform may wake at any moment, so there is no next instant to check.
    const now = awake ? Math.min(sampled, validUntil) : sampled;
    instants.delete(now);
    if (now >= validUntil) {
      changes += 1;
      assert.ok(changes < CHANGES_BY_TIME, `time alone changes a claim a few times: ${validUntil - start}`);
      assert.deepEqual(lasting(at(validUntil - 1)), lasting(before));
    } else assert.deepEqual(lasting(at(now)), lasting(before));
    const after = at(now);
    if (after.state !== before.state) {
      assert.ok(
        BY_TIME[before.state]?.includes(after.state),
        `${before.state} became ${after.state} by time`,
      );
    }
    if (after.outcome !== before.outcome) {
      const allowed = before.outcome === 'in_progress' && OUTCOME_BY_TIME.includes(after.outcome);
      assert.ok(allowed, `${before.outcome} became ${after.outcome} by time`);
    }
    before = after;
  }
}

/** All of a claim that does not count the time. `serving` has a `validUntil` of its own. */
function lasting({
  state,
  since,
  outcome,
  cause,
  proof,
  lastKnown,
  expecting,
  timeout,
  next,
  message,
}: Claim) {
  const last = lastKnown && { state: lastKnown.state, at: lastKnown.at };
  return { state, since, outcome, cause, proof, last, expecting, timeout, next, code: message.code };
}
