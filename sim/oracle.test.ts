import { describe, expect, it } from 'vitest';
import type { Claim } from '../src/contract/claim.ts';
import { claimAt, claimNow } from '../src/evidence/read.ts';
import { register } from '../src/evidence/report/register.ts';
import { report } from '../src/evidence/report/report.ts';
import { submit } from '../src/evidence/submit/submit.ts';
import { deploy } from '../src/intent/deploy.ts';
import { acquire } from '../src/ownership/acquire.ts';
import { publish } from '../src/ownership/publish.ts';
import { DEFAULT_SETTINGS } from '../src/projection/facts.ts';
import { MemoryStore } from '../src/store/memory.ts';
import type { AnyLedgerRow, KeyRow, TransitionRow } from '../src/store/schema.ts';
import { createOracle } from './oracle.ts';
import type { Happening, Violation } from './oracle-port.ts';
import { World } from './world.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const START = 1_000_000;

/** A store with the real verbs on it, a world, and an oracle that can be shown false claims. */
function stage() {
  let now = START;
  let lie: (claim: Claim) => Claim = (claim) => claim;
  let seq = 0;
  const store = new MemoryStore(() => now);
  const world = new World();
  const settings = DEFAULT_SETTINGS;
  const host = { store, settings };
  const oracle = createOracle({
    store,
    world,
    settings,
    storeNow: () => now,
    trueNow: () => now,
    claim: async (org, service) => {
      const answer = await claimNow(host, org, service);
      return answer.ok ? lie(answer.claim) : null;
    },
    claimAt: async (org, service, at) => {
      const answer = await claimAt(host, org, service, at);
      return answer.ok ? answer.claim : null;
    },
  });
  const caller = (role: 'deployer' | 'agent', name: string) =>
    ({ org: 'acme', role, name: `acme:${name}`, instance: `${name}-1`, target: '*', service: '*' }) as const;
  const agent = caller('agent', 'agent');

  const deploys = async () => {
    const key = { key: 'k1', fingerprint: 'deploy' };
    const request = {
      service: 'web@lab',
      origin: { kind: 'image', image: `app@${DIGEST}` },
      spec: { port: 8080 },
    } as const;
    const answer = await deploy(host, caller('deployer', 'ann'), request, key);
    if (!answer.ok) throw new Error(answer.detail);
    const { service, revision, attempt, replayed } = answer;
    const answered = { kind: 'answered', org: 'acme', token: 'acme:ann', ...key } as const;
    oracle.happened({ ...answered, service, revision, attempt, replayed });
  };
  const applies = async () => {
    await publish(host, { name: 'publisher', instance: 'p1' }, 'acme');
    await register(host, agent, 'lab', {
      agent: 'agent',
      instance: 'agent-1',
      version: '1',
      identity: 'lab',
    });
    const taken = await acquire(host, agent, {
      kinds: ['apply'],
      target: 'lab',
      worker: 'agent',
      instance: 'agent-1',
    });
    const offer = taken.ok ? taken.offers[0] : undefined;
    if (offer === undefined) throw new Error('nothing to do');
    const applied = {
      revision: 1,
      attempt: 1,
      fence: offer.fence,
      replicas: 1,
      artifact: DIGEST,
      port: true,
    };
    world.apply(now, 'web@lab', applied, []);
    const [instance] = world.now('web@lab').instances;
    world.change(now, 'web@lab', instance?.uid ?? '', { phase: 'running', ready: true });
    const { service, revision, attempt, command, fence } = offer;
    const item = { id: 'x1', kind: 'runtime.applied', service, revision, attempt, command, fence, body: {} };
    await submit(host, agent, [item]);
  };
  const reports = async () => {
    const { instances, route } = world.now('web@lab');
    const services =
      instances.length === 0 ? [] : [{ service: 'web@lab', route: { answers: route !== null, ...route } }];
    const contactAt = new Date(now).toISOString();
    const head = { epoch: '1', seq: String(++seq), heard: contactAt, heardAgoMs: 0 };
    const body = { ...head, complete: true, instances, services };
    await report(host, agent, 'lab', body);
    const sent = {
      org: 'acme',
      target: 'lab',
      epoch: '1',
      seq: String(seq),
      scope: '*',
      seenAt: now,
    } as const;
    oracle.happened({
      kind: 'reported',
      at: now,
      report: { ...sent, kind: 'full', complete: true, hostile: false, body },
      ok: true,
      resync: false,
    });
  };
  return {
    store,
    world,
    oracle,
    deploys,
    applies,
    reports,
    wait: (ms: number) => {
      now += ms;
    },
    lies: (how: (claim: Claim) => Claim) => {
      lie = how;
    },
    /** Deploys until it runs, with true claims: the oracle must find no violation. */
    runs: async () => {
      await deploys();
      await applies();
      expect(await oracle.check()).toBeNull();
      for (let n = 0; n < 3; n++) {
        now += 2_000;
        await reports();
        expect(await oracle.check()).toBeNull();
      }
      expect(oracle.counts['S1.running.truth']).toBeGreaterThan(0);
    },
  };
}
type Stage = ReturnType<typeof stage>;

async function caught(at: Stage, invariant: string, words: RegExp): Promise<void> {
  const violation: Violation | null = await at.oracle.check();
  expect(violation).toMatchObject({ invariant, detail: expect.stringMatching(words) });
}

describe('the oracle and an honest platform', () => {
  it('finds no violation, and counts its checks', async () => {
    const at = stage();
    await at.runs();
    expect(await at.oracle.finish()).toBeNull();
    const { counts } = at.oracle;
    for (const name of [
      'S3',
      'S4',
      'S5',
      'S6',
      'S7',
      'S9',
      'S10',
      'S13',
      'S14',
      'S1.running',
      'S2.running',
    ] as const)
      expect(counts[name], name).toBeGreaterThan(0);
    expect(counts['S1.building']).toBe(0);
  });
});

describe('the oracle and a platform with false claims', () => {
  it('finds running before any observation (S1)', async () => {
    const at = stage();
    at.lies((claim) => ({ ...claim, state: 'running' }));
    await at.deploys();
    await caught(at, 'S2', /newest accepted observation is not there/);
  });

  it('finds running after one lucky sample (S1)', async () => {
    const at = stage();
    await at.deploys();
    await at.applies();
    expect(await at.oracle.check()).toBeNull();
    at.lies((claim) => ({ ...claim, state: 'running' }));
    await at.reports();
    await caught(at, 'S1', /shown for 0 ms of the 3000/);
  });

  it('finds running after the agent fell silent (S2)', async () => {
    const at = stage();
    await at.runs();
    at.lies((claim) => ({ ...claim, state: 'running' }));
    at.wait(20_000);
    await caught(at, 'S2', /20000 ms old, fresh for 15000 ms/);
  });

  it('finds unknown while it is observed (S2)', async () => {
    const at = stage();
    await at.runs();
    at.lies((claim) => ({ ...claim, state: 'unknown', cause: { code: 'stale_runtime', params: {} } }));
    at.world.kill(START + 6_000, 'web@lab', 'u1');
    await at.reports();
    await caught(at, 'S2', /says stale_runtime, but a report is as of/);
  });

  it('finds failed while the contract is observed to hold (S1)', async () => {
    const at = stage();
    await at.runs();
    at.lies((claim) => ({ ...claim, state: 'failed' }));
    at.wait(16_000);
    await at.reports();
    await caught(at, 'S1', /show the contract held, stable/);
  });

  it('finds building without a builder (S1)', async () => {
    const at = stage();
    at.lies((claim) => ({ ...claim, state: 'building' }));
    await at.deploys();
    await caught(at, 'S1', /no acknowledged build lease/);
  });

  it('finds stopped while an instance runs (S1)', async () => {
    const at = stage();
    await at.runs();
    at.lies((claim) => ({ ...claim, state: 'stopped' }));
    at.wait(16_000);
    await at.reports();
    await caught(at, 'S1', /u1 was seen/);
  });

  it('finds serving of a revision that does not answer (S1)', async () => {
    const at = stage();
    await at.runs();
    at.lies((claim) => ({ ...claim, serving: claim.serving && { ...claim.serving, revision: 7 } }));
    at.wait(16_000);
    await at.reports();
    await caught(at, 'S1', /said to serve r7 a1, but at the instant that was seen there was u1/);
  });

  it('finds that nothing serves while something does (S1)', async () => {
    const at = stage();
    await at.runs();
    at.lies((claim) => {
      if (claim.serving === null) return claim;
      const { revision, attempt, asOf, validUntil } = claim.serving;
      const ageMs = Date.parse(claim.now) - Date.parse(asOf);
      const lastServing = { revision, attempt, asOf, ageMs };
      return { ...claim, serving: null, lastServing, nothingServes: { asOf, validUntil } };
    });
    at.wait(16_000);
    await at.reports();
    await caught(at, 'S1', /said to serve nothing, but at the instant that was seen there was u1/);
  });

  it('finds an outcome that was shown and changes (S11)', async () => {
    const at = stage();
    await at.runs();
    at.lies((claim) => ({ ...claim, outcome: 'in_progress' }));
    at.wait(16_000);
    await caught(at, 'S11', /has outcome in_progress, but it was succeeded/);
  });

  it('finds cited evidence that nobody sent (S14)', async () => {
    const at = stage();
    at.lies((claim) => ({ ...claim, proof: { ...claim.proof, evidence: ['made-up'] } }));
    await at.deploys();
    await caught(at, 'S14', /cites made-up, which is not in its ledger/);
  });

  it('finds cited evidence that proves less than the claim (S14)', async () => {
    const at = stage();
    await at.runs();
    at.lies((claim) => ({ ...claim, proof: { ...claim.proof, evidence: claim.proof.evidence.slice(0, 1) } }));
    expect(await at.oracle.finish()).toMatchObject({ invariant: 'S14' });
  });
});

describe('the oracle and a store that was tampered with', () => {
  const ledger = (at: Stage) => at.store.tables.ledger as Map<string, AnyLedgerRow>;

  it('finds a row of the ledger that was changed or deleted (S10)', async () => {
    const at = stage();
    await at.runs();
    const row = ledger(at).get('acme|1');
    ledger(at).set('acme|1', { ...row } as AnyLedgerRow);
    await caught(at, 'S10', /row 1 of acme was written again/);
    const other = stage();
    await other.runs();
    ledger(other).delete('acme|1');
    await other.deploys();
    await caught(other, 'S10', /ledger acme\|1 disappeared/);
  });

  it('finds a position that was left out (S10)', async () => {
    const at = stage();
    await at.runs();
    const row = ledger(at).get('acme|1');
    ledger(at).set('acme|99', { ...row, position: '99' } as AnyLedgerRow);
    await caught(at, 'S10', /position 99 of acme follows/);
  });

  it('finds an admitted late writer, and a second completion (S3, S4)', async () => {
    const at = stage();
    await at.runs();
    const applied = [...ledger(at).values()].find((row) => row.kind === 'runtime.applied');
    const next = at.store.tables.heads.get('acme');
    const position = String(Number(next?.position) + 1);
    const receivedAt = START + 90_000;
    ledger(at).set(`acme|${position}`, { ...applied, position, receivedAt, id: 'x2' } as AnyLedgerRow);
    await caught(at, 'S3', /which runtime.applied had ended/);
  });

  it('finds a claim that became stronger by the clock (S1)', async () => {
    const at = stage();
    await at.deploys();
    expect(await at.oracle.check()).toBeNull();
    const last = [...at.store.tables.transitions.values()].at(-1) as TransitionRow;
    const position = String(Number(last.position) + 1);
    const stronger = { ...last, position, from: last.to, to: 'starting', owner: 'clock' } as TransitionRow;
    at.store.tables.transitions.set(`acme|${position}`, stronger);
    await caught(at, 'S1', /a clock alone never makes anything stronger/);
  });

  it('finds facts that the ledger does not give (S9)', async () => {
    const at = stage();
    await at.runs();
    const row = at.store.tables.services.get('acme|web@lab');
    if (row === undefined) throw new Error('no service');
    at.store.tables.services.set('acme|web@lab', { ...row, proven: { ...(row.proven as object), from: 7 } });
    expect(await at.oracle.finish()).toMatchObject({ invariant: 'S9' });
  });

  it('finds a key with two intents (S7), and evidence of another org (S13)', async () => {
    const at = stage();
    await at.deploys();
    await at.oracle.check();
    const key = at.store.tables.keys.get('acme|acme:ann|k1') as KeyRow;
    at.store.tables.keys.set('acme|acme:ann|k1', { ...key, revision: 2 });
    await caught(at, 'S7', /written twice/);
    const other = stage();
    await other.deploys();
    const row = ledger(other).get('acme|1') as AnyLedgerRow;
    const source = { ...row.source, name: 'evil:mallory' };
    ledger(other).set('acme|3', { ...row, position: '3', source } as AnyLedgerRow);
    await caught(other, 'S13', /came from evil:mallory/);
  });
});

describe('the oracle and the answers to clients', () => {
  const answered: Extract<Happening, { kind: 'answered' }> = {
    kind: 'answered',
    org: 'acme',
    token: 'acme:ann',
    key: 'k1',
    fingerprint: 'deploy',
    service: 'web@lab',
    revision: 1,
    attempt: 1,
    replayed: true,
  };

  it('finds a key answered for another request, or with another result (S7)', async () => {
    for (const [change, words] of [
      [{ fingerprint: 'scale' }, /another request/],
      [{ revision: 2 }, /not recorded/],
      [{ replayed: false }, /carried out twice/],
    ] as const) {
      const at = stage();
      await at.deploys();
      at.oracle.happened({ ...answered, ...change });
      await caught(at, 'S7', words);
    }
  });

  it('finds a reader that misses a transition, or receives one twice (S12)', async () => {
    for (const positions of [['4'], ['2', '2']]) {
      const at = stage();
      await at.runs();
      at.oracle.happened({ kind: 'streamed', org: 'acme', reader: 'r', positions });
      await caught(at, 'S12', /r got transition/);
    }
  });

  it('finds nothing wrong with a reader that receives all of them (S12)', async () => {
    const at = stage();
    await at.runs();
    const positions = [...at.store.tables.transitions.values()].map((row) => row.position);
    at.oracle.happened({ kind: 'streamed', org: 'acme', reader: 'r', positions: positions.slice(0, 2) });
    at.oracle.happened({ kind: 'streamed', org: 'acme', reader: 'r', positions: positions.slice(2) });
    expect(await at.oracle.check()).toBeNull();
    expect(at.oracle.counts.S12).toBe(positions.length);
  });
});
