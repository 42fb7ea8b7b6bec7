import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/contract/claim.ts';
import { PAGE } from '../../src/evidence/past/ledger-pages.ts';
import { ribbonsOf } from '../../src/evidence/past/ribbons.ts';
import { recordSettings } from '../../src/evidence/past/settings-then.ts';
import { claimAfter, claimAt } from '../../src/evidence/read.ts';
import { DEFAULT_SETTINGS } from '../../src/projection/facts.ts';
import type { ReadTx, Store, Tx } from '../../src/store/port.ts';
import type { Table } from '../../src/store/schema.ts';
import { instance } from './agent.ts';
import { Lab, newLab, ORG, Refused, SOURCE, T0, WEB } from './driver.ts';
import { running, starting } from './life.ts';
import { live, lives } from './random-life.ts';

interface ShownClaim {
  readonly service: string;
  readonly at: number;
  readonly claim: Claim;
}

/** A lab that reads every claim at the end of every millisecond that it lives through. */
class Remembering extends Lab {
  readonly claims: ShownClaim[] = [];

  override sleep = (async (ms: number) => {
    await this.remember();
    this.now += ms;
  }) as unknown as (ms: number) => void;

  override async tick(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= 1000) {
      await this.remember();
      this.now += Math.min(1000, left);
      await this.sweep();
    }
  }

  async remember(): Promise<void> {
    const last = this.claims.findLastIndex((t) => t.at < this.now);
    this.claims.splice(last + 1);
    for (const service of ['web@lab', 'api@lab']) {
      try {
        this.claims.push({ service, at: this.now, claim: await this.claim(service) });
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
  }
}

const LEASE_MS = DEFAULT_SETTINGS.leaseTtlMs;

/** The parts of a claim that depend on the last contact; inside a span they are bounds. */
function agesOf({ freshness, serving, nothingServes, expecting, lastKnown }: Claim) {
  return {
    asOf: freshness.asOf,
    validUntil: freshness.validUntil,
    servingAsOf: serving?.asOf,
    servingUntil: serving?.validUntil,
    nothingAsOf: nothingServes?.asOf,
    nothingUntil: nothingServes?.validUntil,
    by: expecting?.by,
    knownAt: lastKnown?.at,
  };
}

/** The claim without its ages and without `actions`, which exist only for now. */
function withoutAges({
  freshness,
  serving,
  nothingServes,
  expecting,
  lastKnown,
  actions: _,
  ...rest
}: Claim) {
  return {
    ...rest,
    freshForMs: freshness.freshForMs,
    serving: serving && { revision: serving.revision, attempt: serving.attempt },
    isNothingServing: nothingServes !== undefined,
    expecting: expecting && { evidence: expecting.evidence, from: expecting.from },
    lastKnown: lastKnown?.state,
  };
}

/** Checks that a past claim is as young as it was shown then, or younger by less than a heartbeat, never than its instant. */
function agesAgree(then: Claim, later: Claim): void {
  const ages = agesOf(later);
  for (const [name, was] of Object.entries(agesOf(then))) {
    const is = ages[name as keyof typeof ages];
    if (was == null || is == null) assert.equal(is, was, name);
    else {
      const more = Date.parse(is) - Date.parse(was);
      assert.ok(more >= 0 && more < LEASE_MS, `${name} was ${was} and is shown as ${is}`);
    }
  }
  if (later.freshness.asOf !== null) assert.ok(later.freshness.asOf <= later.now);
}

/** A deadline has passed that no beat has confirmed yet: the claim depends on whether the next beat came. */
const isOverdue = ({ claim, at }: ShownClaim) =>
  claim.freshness.validUntil === new Date(at + 1).toISOString() ||
  (claim.expecting?.by != null && Date.parse(claim.expecting.by) <= at);

describe('a past claim, in any random life', () => {
  it('equals the claim that was shown at that instant', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(lives(40), async (steps) => {
        const lab = new Remembering({ checkpointEvery: 5 });
        await live(lab, steps);
        await lab.remember();
        lab.now += 1;
        for (const earlier of lab.claims) {
          if (isOverdue(earlier)) continue;
          compared += 1;
          const later = await lab.claimAt(earlier.at, earlier.service);
          assert.deepEqual(withoutAges(later), withoutAges(earlier.claim));
          agesAgree(earlier.claim, later);
        }
      }),
      { numRuns: Number(process.env.LIVES ?? 60) },
    );
    expect(compared).toBeGreaterThan(500);
  }, 120_000);

  it('is in the state that its ribbon shows at that instant', async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(lives(40), async (steps) => {
        const lab = new Remembering({});
        await live(lab, steps);
        await lab.remember();
        lab.now += 1;
        const window = { from: T0, to: null, ms: 0 };
        for (const { service, stretches } of await ribbonsOf(lab.host, ORG, ['web@lab', 'api@lab'], window))
          for (const shown of lab.claims) {
            if (shown.service !== service || isOverdue(shown)) continue;
            compared += 1;
            const { at } = shown;
            const stretch = stretches.find(({ from, to }) => from <= at && at < to);
            assert.equal(stretch?.state, shown.claim.state, `${service} at ${at - T0}`);
          }
      }),
      { numRuns: Number(process.env.LIVES ?? 60) },
    );
    expect(compared).toBeGreaterThan(500);
  }, 120_000);

  it('through two restores: unknown from each until the first complete report after it', async () => {
    const lab = new Remembering({});
    await running(lab);
    for (const name of ['agent-2', 'agent-3']) {
      await lab.tick(2_000);
      await lab.recover();
      await lab.tick(2_000);
      const agent = await lab.agent('agent-lab', name).register();
      await agent.sees([instance('u1')]);
      await agent.watches(4_000);
    }
    await lab.remember();
    for (const { at, claim } of lab.claims) {
      const later = await lab.claimAt(at);
      expect([later.state, later.cause, later.position]).toEqual([claim.state, claim.cause, claim.position]);
    }
    const codes = lab.claims.map(({ claim }) => claim.cause?.code ?? claim.state);
    expect(codes.filter((code, i) => code !== codes[i - 1])).toEqual([
      'settling',
      'running',
      'store_recovered',
      'running',
      'store_recovered',
      'running',
    ]);
  });

  it('has the cause of its time: a watch that stalled twice, for two reasons', async () => {
    const lab = new Remembering({});
    const agent = await running(lab);
    for (const unavailable of ['forbidden', 'runtime_unreachable'] as const) {
      for (let n = 0; n < 5; n++) {
        await lab.tick(5_000);
        await agent.heartbeat({ unavailable });
      }
    }
    await lab.tick(20_000);
    await agent.heartbeat();
    await lab.tick(1_000);
    const codes = new Set<string | undefined>();
    for (const { at, claim } of lab.claims) {
      codes.add(claim.cause?.code);
      expect((await lab.claimAt(at)).cause, `${at - T0} ms`).toEqual(claim.cause);
    }
    expect(codes).toEqual(
      new Set([undefined, 'settling', 'forbidden', 'runtime_unreachable', 'stale_runtime']),
    );
  });

  it('reads the rows near its instant, and not the history before or after it', async () => {
    const lab = newLab({ checkpointEvery: 20 });
    const agent = await running(lab);
    for (let n = 0; n < 300; n++) {
      await lab.tick(1_000);
      await agent.sees([instance('u1', { ready: n % 2 === 0 })]);
    }
    const reads: number[] = [];
    for (const share of [0.1, 0.5, 0.9]) {
      const counting = new CountingReads(lab.store);
      const at = Math.round(T0 + (lab.now - T0) * share);
      await claimAt({ ...lab.host, store: counting }, ORG, WEB, at);
      reads.push(counting.rows.ledger ?? 0);
      expect(counting.rows.transitions).toBeLessThan(30);
      expect(counting.rows.checkpoints).toBe(1);
    }
    expect(lab.count('ledger')).toBeGreaterThan(300);
    // At most a page of the ledger, and one row for each step of the binary search for the head of that time.
    for (const rows of reads) expect(rows).toBeLessThan(PAGE + 30);
  });
});

it('a ribbon has its deploys and exits as ticks, leaves out who is not there, and reads no more than its window', async () => {
  const lab = newLab({});
  const agent = await running(lab);
  for (let n = 0; n < 100; n++) {
    await lab.tick(1_000);
    await agent.sees([instance('u1', { ready: n % 2 === 0 })]);
  }
  const counting = new CountingReads(lab.store);
  const host = { ...lab.host, store: counting };
  const names = [WEB, 'none@lab'];
  const [recent, ...others] = await ribbonsOf(host, ORG, names, { from: null, to: null, ms: 5_000 });
  expect(others).toEqual([]);
  expect(recent?.window).toEqual({ from: lab.now - 5_000, to: lab.now });
  expect(recent?.stretches.at(0)?.from).toBe(lab.now - 5_000);
  expect(recent?.stretches.at(-1)?.to).toBe(lab.now);
  expect(recent?.ticks).toEqual([]);
  expect(counting.rows.transitions).toBeLessThan(60);
  const [whole] = await ribbonsOf(lab.host, ORG, [WEB], { from: T0 - 1, to: null, ms: 0 });
  const deployed = { at: T0, revision: 1, attempt: 1, kind: 'deploy' };
  expect(whole?.ticks).toEqual([deployed]);
  await lab.tick(1_000);
  await agent.sees([instance('u1', { restarts: 1 })]);
  const exit = { at: lab.now, revision: 1, attempt: 1, kind: 'exit', instance: 'u1' };
  await lab.tick(1_000);
  const [after] = await ribbonsOf(lab.host, ORG, [WEB], { from: T0 - 1, to: null, ms: 0 });
  expect(after?.ticks).toEqual([deployed, exit]);
  await agent.sees([instance('u1', { restarts: 1, phase: 'exited', ready: false })]);
  const again = { ...exit, at: lab.now };
  await lab.tick(1_000);
  const [down] = await ribbonsOf(lab.host, ORG, [WEB], { from: T0 - 1, to: null, ms: 0 });
  expect(down?.ticks, 'it was not started again yet').toEqual([deployed, exit, again]);
});

describe('the exits of a ribbon (an app that exits at its start, and is started again after half a minute)', () => {
  const exits = async (lab: Lab) => {
    const [ribbon] = await ribbonsOf(lab.host, ORG, [WEB], { from: T0 - 1, to: null, ms: 0 });
    return ribbon?.ticks.filter(({ kind }) => kind === 'exit') ?? [];
  };
  const down = (restarts: number, reason: string) =>
    instance('u1', { restarts, phase: 'exited', ready: false, reason });

  it('keep their instants, whatever is seen later, and stand nowhere else', async () => {
    const lab = newLab({});
    const agent = await starting(lab);
    const seen: number[] = [];
    for (let restarts = 0; restarts < 5; restarts++) {
      // Restarted and down again between two reports: the end of the life before was seen already.
      await agent.sees([down(restarts, 'exited')]);
      seen.push(lab.now);
      await agent.watches(10_000, 1_000);
      expect((await exits(lab)).map(({ at }) => at)).toEqual(seen);
      // The same end under another reason.
      await agent.sees([down(restarts, 'crash_loop')]);
      await agent.watches(20_000, 1_000);
      expect((await exits(lab)).map(({ at }) => at)).toEqual(seen);
    }
    expect((await lab.claim()).cause?.params).toMatchObject({ exits: 5 });
  });

  it('stay when there are many, are drawn together then, and are all counted as the claim counts them', async () => {
    const lab = newLab({});
    const agent = await starting(lab);
    for (let restarts = 0; restarts < 150; restarts++) {
      await agent.sees([instance('u1', { restarts })]);
      await agent.watches(restarts % 3 === 0 ? 2_000 : 1_000, 1_000);
      await agent.sees([down(restarts, 'exited')]);
      await agent.watches(6_000, 1_000);
    }
    const ticks = await exits(lab);
    expect(ticks.length).toBe(100);
    expect(ticks[0]?.at).toBeLessThan(T0 + 60_000);
    expect(ticks.reduce((sum, tick) => sum + ('count' in tick ? (tick.count ?? 1) : 1), 0)).toBe(150);
    const { params } = (await lab.claim()).cause ?? {};
    expect(params).toMatchObject({ exits: 150, firstExit: new Date(ticks[0]?.at ?? 0).toISOString() });
  });
});

/** A store that counts the rows that it returns. */
class CountingReads implements Store {
  readonly rows: Partial<Record<Table, number>> = {};
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  transact<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#store.transact(work);
  }

  read<T>(work: (tx: ReadTx) => Promise<T>): Promise<T> {
    const count = (table: Table, found: readonly unknown[]) => {
      this.rows[table] = (this.rows[table] ?? 0) + found.length;
    };
    return this.#store.read((tx) =>
      work({
        now: () => tx.now(),
        get: (table, key) => tx.get(table, key),
        select: async (table, where, options) => {
          const found = await tx.select(table, where, options);
          count(table, found);
          return found;
        },
        tally: (table, by, where) => tx.tally(table, by, where),
        readAll: async (reads) => {
          const answers = await tx.readAll(reads);
          for (const [i, read] of reads.entries())
            if (read !== 'now') count(read.table, answers[i] as readonly unknown[]);
          return answers;
        },
      }),
    );
  }
}

it('a past claim is judged by the freshness setting of its time, whatever it is now', async () => {
  const lab = newLab({ freshForMs: 2_000 });
  await recordSettings(lab.host);
  await running(lab);
  await lab.tick(5_000);
  const silent = lab.now;
  const patient = { ...lab.host, settings: DEFAULT_SETTINGS };
  await recordSettings(patient);
  await recordSettings(patient);
  expect(lab.rows('settings')).toHaveLength(2);
  const stateAt = async (at: number) => {
    const answer = await claimAt(patient, ORG, WEB, at);
    return answer.ok ? answer.claim.state : null;
  };
  expect([await stateAt(silent - 1), await stateAt(silent)]).toEqual(['unknown', 'running']);
});

describe('the claim after a transition', { timeout: 30_000 }, () => {
  const expectClaimsAfterTransitions = async (lab: Lab) => {
    for (const service of ['web@lab', 'api@lab'])
      for (const row of await lab.transitions(service)) {
        const after = await claimAfter(lab.host, ORG, row);
        const { state, desired, position } = after ?? {};
        assert.deepEqual(
          { state, revision: desired?.revision, attempt: desired?.attempt, position },
          { state: row.to, revision: row.revision, attempt: row.attempt, position: row.position },
          `${service} ${row.position}: ${row.from} to ${row.to} by ${row.owner}`,
        );
      }
  };

  it('has the state of the transition, also where one commit holds several', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(SOURCE);
    await lab.publish();
    await lab.builder().take();
    await lab.tick(60_000);
    const rows = await lab.transitions(WEB);
    const [lapsed, requeued] = rows.slice(-2);
    expect([lapsed?.to, requeued?.to, lapsed?.recordedAt]).toEqual([
      'unknown',
      'waiting_for_worker',
      requeued?.recordedAt,
    ]);
    await expectClaimsAfterTransitions(lab);
  });

  // Spans have no positions: two commits of one millisecond are both judged with the liveness after the later one.
  it('has the state of the transition in every random life in which no two commits share a millisecond', () =>
    fc.assert(
      fc.asyncProperty(lives(40), async (steps) => {
        const lab = newLab();
        await live(lab, steps, async () => {
          lab.now += 1;
        });
        await expectClaimsAfterTransitions(lab);
      }),
      { numRuns: 60, seed: 20_261_116 },
    ));
});
