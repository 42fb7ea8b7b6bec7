import { describe, expect, it } from 'vitest';
import { submit } from '../../src/evidence/submit/submit.ts';
import { DIGEST, type Lab, newLab, OTHER_DIGEST, SOURCE } from './driver.ts';
import { applying, building, running } from './life.ts';
import type { Lease } from './taker.ts';

const claimed = async (lab: Lab) => {
  const { state, outcome, desired, proof } = await lab.claim();
  return { state, outcome, desired, proof };
};

/** Sends rejected evidence: it is kept with its reason, and the claim does not change (S8). */
async function refuses(lab: Lab, reason: string, send: () => Promise<{ verdict: string; reason?: string }>) {
  const [before, kept] = [await claimed(lab), lab.count('ledger')];
  expect(await send()).toMatchObject({ verdict: 'rejected', reason });
  expect(await claimed(lab)).toEqual(before);
  expect(lab.count('ledger')).toBe(kept + 1);
  expect(lab.rows('ledger').at(-1)).toMatchObject({ verdict: 'rejected', reason });
}

const stored = (lease: Lease, changed: object = {}) =>
  lease.send('artifact.stored', { digest: DIGEST, size: 1 }, changed);

describe('protocol 4: admission, in its order', () => {
  it('admits evidence of the current intent, with its position', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.holds(DIGEST);
    const result = await stored(build);
    expect(result).toEqual({
      id: expect.any(String),
      verdict: 'admitted',
      position: expect.stringMatching(/^\d+$/),
    });
    expect(lab.rows('ledger').find((row) => row.id === result.id)).toMatchObject({
      position: result.position,
      source: { role: 'worker', name: 'builder-a' },
    });
  });

  it('invalid: an item that fails its schema; the rest of a batch is judged (F29)', async () => {
    const lab = newLab();
    const build = await building(lab);
    await refuses(lab, 'invalid', () => build.send('artifact.stored', { digest: 'x', size: 1 }));
    await refuses(lab, 'invalid', () => stored(build, { command: null }));
    await refuses(lab, 'invalid', () => stored(build, { fence: null }));
    await refuses(lab, 'invalid', () => stored(build, { kind: 'no.such.kind' }));
    const batch = [
      build.item('build.progress', { step: -1 }),
      7 as unknown as object,
      build.item('build.progress', { step: 2 }),
    ];
    const verdicts = (await build.taker.submit(...batch)).map((r) => r.reason ?? r.verdict);
    expect(verdicts).toEqual(['invalid', 'invalid', 'admitted']);
  });

  it('invalid: a rejected body is kept for inspection, at most one page of it', async () => {
    const lab = newLab();
    const build = await building(lab);
    const long = 'x'.repeat(100_000);
    await build.send('artifact.stored', { digest: 'x', size: 1 });
    await build.taker.submit({ id: 'unreadable', kind: 'artifact.stored', service: 'web@lab', extra: [1] });
    await build.send('artifact.stored', { digest: long, size: 1 });
    const bodies = (await lab.evidence()).filter((r) => r.verdict === 'rejected').map((r) => r.body);
    expect(bodies[0]).toEqual({ digest: 'x', size: 1 });
    expect(bodies[1]).toMatchObject({ id: 'unreadable', extra: [1] });
    expect(bodies[2]).toEqual({ beginning: JSON.stringify({ digest: long, size: 1 }).slice(0, 4096) });
  });

  it('invalid: an unreadable item takes its id, too', async () => {
    const lab = newLab();
    const build = await building(lab);
    const unreadable = { id: 'i1', kind: 'no.such.kind', service: 'web@lab' };
    const [first] = await build.taker.submit(unreadable);
    expect(first).toMatchObject({ id: 'i1', verdict: 'rejected', reason: 'invalid' });
    const rows = lab.count('ledger');
    expect(await build.taker.submit(unreadable)).toEqual([{ ...first, duplicate: true }]);
    expect(lab.count('ledger')).toBe(rows);
    const [other] = await build.taker.submit(build.item('build.progress', { step: 1 }, { id: 'i1' }));
    expect(other).toMatchObject({ reason: 'conflicting_duplicate' });
    const nameless = await build.taker.submit({ kind: 'no.such.kind' }, { kind: 'no.such.kind' });
    expect(nameless.map((r) => r.duplicate)).toEqual([undefined, undefined]);
  });

  it('duplicate: the same id and body again is the original verdict and position, and no new row (F18)', async () => {
    const lab = newLab();
    const build = await building(lab);
    const item = build.item('build.progress', { step: 1 });
    const [first] = await build.taker.submit(item);
    const rows = lab.count('ledger');
    expect(await build.taker.submit(item, item)).toEqual([
      { ...first, duplicate: true },
      { ...first, duplicate: true },
    ]);
    expect(lab.count('ledger')).toBe(rows);
    await build.fails();
    const [late] = await build.taker.submit(item);
    expect(late, 'even after the lease has ended').toEqual({ ...first, duplicate: true });
  });

  it('a rejected item repeated is the same rejection', async () => {
    const lab = newLab();
    const build = await building(lab);
    const item = build.item('artifact.stored', { digest: DIGEST, size: 1 });
    const [first] = await build.taker.submit(item);
    expect(first).toMatchObject({ reason: 'artifact_missing' });
    await lab.holds(DIGEST);
    expect(await build.taker.submit(item)).toEqual([{ ...first, duplicate: true }]);
  });

  it('conflicting_duplicate: another body under the same id, the first kept, and an alarm (F19)', async () => {
    const lab = newLab();
    const build = await building(lab);
    const item = build.item('build.progress', { step: 1 });
    await build.taker.submit(item);
    await refuses(lab, 'conflicting_duplicate', async () => {
      const [result] = await build.taker.submit({ ...item, body: { step: 2 } });
      return result ?? { verdict: '' };
    });
    expect(lab.rows('alarms').map((alarm) => alarm.code)).toEqual(['conflicting_duplicate']);
    expect(await build.taker.submit(item)).toMatchObject([{ verdict: 'admitted', duplicate: true }]);
  });

  it('ids are unique per source: the same id of another source is no duplicate', async () => {
    const lab = newLab();
    const { agent, apply } = await applying(lab);
    const id = 'the-same';
    await lab.builder().submit({ ...apply.item('build.progress', { step: 1 }), id });
    expect(await agent.submit({ ...apply.item('runtime.applied', {}), id })).toMatchObject([
      { verdict: 'admitted' },
    ]);
  });

  it('not_owner: the role, the binding, a foreign service, another’s command or lease (F27)', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.holds(DIGEST);
    await refuses(lab, 'not_owner', () => build.send('runtime.applied', {}));
    await refuses(lab, 'not_owner', () => build.send('command.published', {}));
    await refuses(lab, 'not_owner', () =>
      build.send('stage.timed_out', { stage: 'build', outcome: 'failed', at: 1, cause: 'x' }),
    );
    await refuses(lab, 'not_owner', () => stored(build, { service: 'nothing@lab' }));
    const thief = lab.builder('builder-b');
    await refuses(
      lab,
      'not_owner',
      async () => (await thief.submit(build.item('build.progress', { step: 1 })))[0] ?? fail(),
    );
    const bound = lab.builder('builder-a', { service: 'api@*' });
    await refuses(
      lab,
      'not_owner',
      async () => (await bound.submit(build.item('build.progress', { step: 1 })))[0] ?? fail(),
    );
    await lab.deploy(SOURCE, {}, { service: 'api@lab' });
    await refuses(lab, 'not_owner', () => stored(build, { service: 'api@lab' }));
  });

  it('rejected evidence is kept under the name of its sender', async () => {
    const lab = newLab();
    const build = await building(lab);
    for (const [role, as] of [
      ['viewer', 'api'],
      ['deployer', 'api'],
      ['operator', 'operator'],
    ] as const) {
      const item = build.item('build.progress', { step: 1, message: '' });
      const [verdict] = await submit(lab.host, lab.caller('ann', role), [item]);
      expect(verdict).toMatchObject({ verdict: 'rejected', reason: 'not_owner' });
      const kept = lab.rows('ledger').at(-1);
      expect(kept?.source).toEqual({ role: as, name: 'ann', instance: 'ann-1' });
    }
  });

  it('a person’s evidence is one row per reason, and then a counter (F125)', async () => {
    const lab = newLab();
    const build = await building(lab);
    const viewer = lab.caller('ann', 'viewer');
    const before = lab.rows('ledger').length;
    const positions = new Set<string>();
    for (let n = 0; n < 20; n++) {
      const items = [build.item('build.progress', { step: n, message: '' }), { id: 'unreadable' }, null];
      const verdicts = await submit(lab.host, viewer, items);
      expect(verdicts.map(({ reason }) => reason)).toEqual(['not_owner', 'invalid', 'invalid']);
      for (const { position } of verdicts) positions.add(position);
    }
    expect(lab.rows('ledger').length - before).toBe(2);
    expect(positions.size).toBe(2);
    expect(lab.rows('evidenceIds').filter(({ source }) => source === 'api/ann')).toEqual([]);
    expect(lab.rows('counters')).toMatchObject([
      { source: 'api/ann', reason: 'invalid', count: 40 },
      { source: 'api/ann', reason: 'not_owner', count: 20 },
    ]);
  });

  it('a component’s rejected evidence is kept up to a quota, and again after its window (F125)', async () => {
    const lab = newLab();
    const build = await building(lab);
    const { source, reason } = { source: 'worker/builder-a', reason: 'not_owner' } as const;
    const kept = () => lab.rows('ledger').filter((row) => row.verdict === 'rejected').length;
    const flood = () =>
      build.taker.submit(...Array.from({ length: 600 }, () => build.item('runtime.applied', {})));
    await flood();
    const verdicts = await flood();
    expect(kept()).toBe(1_000);
    expect(verdicts.at(-1)).toMatchObject({ reason, position: lab.rows('ledger').at(-1)?.position });
    expect(lab.rows('counters')).toMatchObject([{ source, reason, count: 1_200, kept: 1_000 }]);
    await lab.tick(600_000);
    await refuses(lab, 'not_owner', () => build.send('runtime.applied', {}));
    expect(kept()).toBe(1_001);
  });

  it('not_owner: evidence about another kind of command', async () => {
    const lab = newLab();
    const { apply } = await applying(lab);
    await refuses(lab, 'not_owner', () => apply.send('runtime.removed', {}));
  });

  it('not_owner: observations enter only through reports', async () => {
    const lab = newLab();
    const { apply } = await applying(lab);
    await refuses(lab, 'not_owner', () =>
      apply.send('runtime.observed', {
        epoch: '1',
        seq: '1',
        scope: '*',
        complete: true,
        asOf: 1,
        changedAsOf: 1,
        silentSince: null,
        instances: [],
        entry: null,
        corrupt: false,
        judged: null,
      }),
    );
  });

  it('unissued: a revision, attempt, fence or command that was never issued, and an alarm (F24, F42)', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.holds(DIGEST);
    await refuses(lab, 'unissued', () => stored(build, { fence: '2' }));
    await refuses(lab, 'unissued', () => stored(build, { revision: 2 }));
    await refuses(lab, 'unissued', () => stored(build, { attempt: 2 }));
    await refuses(lab, 'unissued', () => stored(build, { command: 'web@lab.r9.a1.build.1' }));
    await refuses(lab, 'unissued', () => stored(build, { fence: '90071992547409931234' }));
    expect(lab.rows('alarms').map((alarm) => alarm.code)).toEqual(Array(5).fill('unissued'));
  });

  it('stale_revision before stale_attempt before stale_lease before artifact_missing (F21, F22, F23)', async () => {
    const lab = newLab();
    const first = await building(lab);
    await refuses(lab, 'artifact_missing', () => stored(first));
    await first.release();
    await refuses(lab, 'stale_lease', () => stored(first));
    const second = await lab.builder().take();
    await refuses(lab, 'stale_lease', () => stored(first));
    await second.fails();
    await refuses(lab, 'stale_lease', () => stored(second));
    await lab.retry();
    await refuses(lab, 'stale_attempt', () => stored(second));
    await lab.deploy(SOURCE);
    await refuses(lab, 'stale_revision', () => stored(second));
    expect((await lab.asOperator()).operator?.rejected).toBe(6);
  });

  it('evidence that is a day late is history, and moves no deadline (F26)', async () => {
    const lab = newLab();
    const build = await building(lab);
    await build.fails();
    await lab.tick(1_000);
    lab.sleep(86_400_000);
    await refuses(lab, 'stale_lease', () => stored(build));
  });

  it('out_of_order: a sequence number not above the last under this lease (F20)', async () => {
    const lab = newLab();
    const build = await building(lab);
    expect(await build.send('build.progress', { step: 1 }, { seq: '5' })).toMatchObject({
      verdict: 'admitted',
    });
    await refuses(lab, 'out_of_order', () => build.send('build.progress', { step: 2 }, { seq: '5' }));
    expect(await build.send('build.progress', { step: 2 }, { seq: '10' })).toMatchObject({
      verdict: 'admitted',
    });
  });

  it('completion and failure of one command: the first ends it (S4)', async () => {
    const lab = newLab();
    const build = await building(lab);
    await build.stored();
    await refuses(lab, 'stale_lease', () => build.fails());
    await refuses(lab, 'stale_lease', () => build.stored(OTHER_DIGEST));
    expect((await lab.claim()).desired.artifact).toBe(DIGEST);
  });
});

describe('protocol 4: failure', () => {
  it('a build failure names stage, cause, owner and retry safety', async () => {
    const lab = newLab();
    const build = await building(lab);
    await build.fails('dependencies_failed', { exitCode: 1, retrySafe: false });
    expect(await lab.claim()).toMatchObject({
      state: 'failed',
      outcome: 'failed',
      cause: { code: 'dependencies_failed', params: { stage: 'build' } },
      timeout: null,
      next: { owner: 'user', retrySafe: false },
      proof: { reached: ['accepted', 'waiting_for_worker', 'building'], stoppedAt: 'building' },
    });
    expect((await lab.path()).at(-1)).toBe('failed by worker');
  });

  it('a code outside the catalogue shows build_failed, and its message reaches no user', async () => {
    const lab = newLab();
    const build = await building(lab);
    await build.fails('my own code', { message: 'token=hunter2' });
    const claim = await lab.claim();
    expect(claim.cause?.code).toBe('build_failed');
    expect(JSON.stringify(claim)).not.toMatch(/hunter2|my own code/);
  });

  it('an apply failure fails the attempt at apply', async () => {
    const lab = newLab();
    const { apply } = await applying(lab);
    await apply.applyFails('quota_exceeded', false);
    expect(await lab.claim()).toMatchObject({
      state: 'failed',
      cause: { code: 'quota_exceeded', params: { stage: 'apply' } },
      next: { retrySafe: false },
      proof: { stoppedAt: 'applying_runtime_state' },
    });
    expect((await lab.path()).at(-1)).toBe('failed by agent');
  });

  it('positions grow without a gap in what is visible, and receipt never goes back (S10)', async () => {
    const lab = newLab();
    await running(lab);
    lab.now -= 60_000;
    await lab.deploy(SOURCE);
    const rows = lab.rows('ledger').toSorted((a, b) => Number(a.position) - Number(b.position));
    const times = rows.map((row) => row.receivedAt);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });
});

function fail(): never {
  throw new Error('no verdict');
}
