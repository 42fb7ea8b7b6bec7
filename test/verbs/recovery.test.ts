import { describe, expect, it } from 'vitest';
import { history, readFrom } from '../../src/evidence/read.ts';
import { NO_VALUES } from '../../src/redact/secret-values.ts';
import { rebuild } from '../../src/repair/rebuild.ts';
import { isIntactEntry } from '../../src/server/reads/history.ts';
import { evidenceItem, evidencePage } from '../../src/server/reads/records.ts';
import { targetsOf } from '../../src/server/reads/targets.ts';
import { isIntact } from '../../src/store/broken-row.ts';
import type { Agent } from './agent.ts';
import { instance } from './agent.ts';
import { DIGEST, image, type Lab, newLab, ORG, SOURCE, T0, WEB } from './driver.ts';
import { givesStored, restsOnItsProof, subjects } from './laws.ts';
import { applying, building, running } from './life.ts';
import { visible } from './visible.ts';

const state = async (lab: Lab, service?: string) => (await lab.claim(service)).state;
const cause = async (lab: Lab, service?: string) => (await lab.claim(service)).cause?.code;

/** The agent after a recovery: the registration of the one before may be lost. */
async function next(lab: Lab, name = 'agent-lab'): Promise<Agent> {
  const n = lab.rows('registrations').length + 1;
  return lab.agent(name, `${name}-${n}`).register();
}

const observedStamp = ({
  revision = 1,
  attempt = 1,
}: {
  revision?: number;
  attempt?: number;
  fence?: string;
}) => ({
  seenRevision: revision,
  seenAttempt: attempt,
});

async function holdsItsLaws(lab: Lab): Promise<void> {
  for (const subject of await subjects(lab)) {
    givesStored(subject, subject.rows);
    restsOnItsProof(subject);
  }
  const differences: unknown[] = [];
  await rebuild(lab.host, { replace: false, onDifference: (found) => differences.push(found) });
  expect(differences).toEqual([]);
}

describe('a recovered store (F44, F54)', () => {
  it('makes every service unknown at once, records it, and shows the cause', async () => {
    const lab = newLab();
    await running(lab);
    await lab.tick(1_000);
    expect(await lab.recover()).toMatchObject([{ org: ORG, services: 1, leases: 0 }]);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'store_recovered' },
      lastKnown: { state: 'running' },
      serving: null,
    });
    expect((await lab.path()).at(-1)).toBe('unknown by operator');
    const act = lab.rows('ledger').find((row) => row.kind === 'operator.acted');
    expect(act).toMatchObject({ service: null, body: { action: 'store.recovered', actor: 'otto' } });
    expect((await lab.transitions()).at(-1)?.evidence).toBe(act?.id);
    await holdsItsLaws(lab);
  });

  it('does not show an org why it was declared, since that may name another org (F109)', async () => {
    const lab = newLab();
    await running(lab);
    await lab.recover();
    const page = (await evidencePage(lab.host, visible(lab), '0', 200, undefined)).filter(isIntact);
    const item = page.map((row) => evidenceItem(row, NO_VALUES)).find(({ service }) => service === null);
    expect(page.find(({ service }) => service === null)?.body).toMatchObject({
      reason: expect.any(String),
    });
    expect(item).toMatchObject({ kind: 'operator.acted', body: { action: 'store.recovered' } });
    expect(Object.keys(item?.body as object)).toEqual(['action', 'void', 'lost']);
  });

  it('is proven again by a complete report of an agent that registered since', async () => {
    const lab = newLab();
    const before = await running(lab);
    await lab.tick(1_000);
    await lab.recover();
    await lab.tick(1_000);
    await expect(
      before.sees([instance('u1')]),
      'may have been fenced in what was lost',
    ).rejects.toMatchObject({ code: 'stale_epoch' });
    await expect(before.register()).rejects.toMatchObject({
      code: 'instance_fenced',
      params: expect.not.objectContaining({ holder: expect.anything() }),
    });
    const agent = await next(lab);
    expect(Number(agent.epoch)).toBeGreaterThan(1_000_000);
    await agent.sees([instance('u1')], [], { complete: false });
    expect(await cause(lab), 'a partial report proves nothing').toBe('store_recovered');
    await agent.sees([instance('u1')]);
    expect(await state(lab)).toBe('running');
    await agent.watches(20_000);
    expect(await state(lab)).toBe('running');
    await holdsItsLaws(lab);
  });

  it.each([
    ['revision', { revision: 2 }],
    ['attempt', { attempt: 2 }],
    ['fence', { fence: '2' }],
  ])('stays unknown while an instance runs with a %s that the ledger never issued', async (_, stamp) => {
    const lab = newLab();
    await running(lab);
    await lab.tick(1_000);
    await lab.recover();
    await lab.tick(1_000);
    const agent = await next(lab);
    await agent.sees([instance('u1', stamp)]);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'store_recovered' } });
    await agent.watches(30_000);
    expect(await cause(lab)).toBe('store_recovered');
    await holdsItsLaws(lab);
    await agent.sees([instance('u1')]);
    await agent.watches(3_000);
    expect(await state(lab), 'the stranger is gone').toBe('running');
    await holdsItsLaws(lab);
  });

  it.each([
    [{ revision: 2 }, 'r2 was seen, which the records do not know: the newest on record is r1.'],
    [{ attempt: 2 }, 'Attempt 2 of r1 was seen, of which the records know only attempt 1.'],
    [{ fence: '2' }, 'r1 was seen as it was applied once more, of which the records know nothing.'],
  ])('then shows the observed instance (%j), and the user as owner', async (stamp, words) => {
    const lab = newLab();
    await running(lab);
    await lab.tick(1_000);
    await lab.recover();
    await lab.tick(1_000);
    const unproven = { code: 'unknown.store_recovered', body: expect.stringMatching(/has to be seen again/) };
    const waits = {
      cause: { code: 'store_recovered', params: {} },
      message: unproven,
      next: { owner: 'platform', action: null },
      expecting: { evidence: 'runtime.observed', from: 'watcher' },
    };
    expect(await lab.claim()).toMatchObject(waits);
    const agent = await next(lab);
    await agent.sees([instance('u1', stamp)], [], { complete: false });
    expect(await lab.claim(), 'a partial report proves nothing').toMatchObject(waits);
    // Only one of the two instances is unissued, and silence does not change that.
    await agent.sees([instance('u0'), instance('u1', stamp)]);
    for (const silentMs of [0, 60_000]) {
      await lab.tick(silentMs);
      expect(await lab.claim()).toMatchObject({
        state: 'unknown',
        cause: {
          code: 'store_recovered',
          params: { ...observedStamp(stamp), recordedRevision: 1, recordedAttempt: 1 },
        },
        message: { code: 'unknown.not_on_record', body: expect.stringContaining(words) },
        next: { owner: 'user', action: 'redeploy', retrySafe: true },
        expecting: { evidence: 'intent.recorded', from: 'api', by: null },
        serving: null,
        lastKnown: { state: 'running' },
      });
    }
    await lab.restart();
    expect(await cause(lab)).not.toBe('store_recovered');
    await holdsItsLaws(lab);
  });

  it('a service that was torn down in the lost part is observed to be gone', async () => {
    const lab = newLab();
    await running(lab);
    await lab.tick(1_000);
    await lab.recover();
    await lab.tick(1_000);
    await (await next(lab)).sees([]);
    expect(await lab.claim()).toMatchObject({ state: 'degraded', cause: { code: 'instances_gone' } });
  });

  it('a deploy since the recovery is numbered above everything that was lost', async () => {
    const lab = newLab();
    await running(lab);
    await lab.tick(1_000);
    await lab.recover();
    const agent = await next(lab);
    await lab.tick(1_000);
    await agent.sees([instance('u1', { revision: 7 })]);
    const { revision } = await lab.deploy(image(`web@${DIGEST}`));
    expect(revision).toBe(1_000_002);
    expect(await state(lab)).toBe('accepted');
    await lab.publish();
    const lease = await agent.take();
    expect(Number(lease.offer.fence)).toBeGreaterThan(1_000_000);
    await lease.applied();
    await agent.sees([instance('u2', { revision, fence: lease.offer.fence })]);
    await lab.tick(3_000);
    await agent.heartbeat();
    expect(await state(lab)).toBe('running');
    await holdsItsLaws(lab);
  });

  it('a service and a target that were lost begin above the lost numbers', async () => {
    const lab = newLab();
    await running(lab);
    await lab.recover({
      [ORG]: { position: '5000000', floor: 3_000_000 },
      lost: { position: '9', floor: 0 },
    });
    expect((await lab.deploy(SOURCE, {}, { service: 'api@lab' })).revision).toBe(4_000_001);
    expect((await next(lab)).epoch).toBe('4000001');
    expect(lab.rows('commands').find((c) => c.service === 'api@lab')?.fence).toBe('4000000');
    expect(lab.rows('heads').map((h) => [h.org, Number(h.position) > 1_000_000, h.floor])).toEqual([
      [ORG, true, 4_000_000],
      ['lost', true, 1_000_000],
    ]);
  });

  it('positions jump over the issued ones, and the ledger records the range', async () => {
    const lab = newLab();
    await running(lab);
    const head = lab.rows('heads')[0]?.position;
    const [done] = await lab.recover({ [ORG]: { position: '5000000', floor: 0 } });
    expect(done?.void).toEqual({ from: head, to: '6000000' });
    expect(lab.rows('recoveries')).toMatchObject([{ org: ORG, at: T0 + 3_000, ...done?.void }]);
    const after = lab.rows('ledger').filter((row) => row.kind === 'operator.acted');
    expect(after).toMatchObject([{ position: '6000001', body: { void: done?.void } }]);
    const isVoid = async (p: string) => (await readFrom(lab.host, ORG, p, 1)).isVoid;
    expect(await isVoid(head ?? ''), 'the last that is not lost').toBe(false);
    expect([await isVoid('4999999'), await isVoid('6000000'), await isVoid('6000001')]).toEqual([
      true,
      true,
      false,
    ]);
    // Transitions that are settled first are above the void range too.
    const positions = lab.rows('transitions').map((t) => Number(t.position));
    expect(positions.filter((p) => p > Number(head) && p <= 6_000_000)).toEqual([]);
  });
});

describe('a service that a restore has lost', () => {
  const lost = (uid: string, changed: object = {}) => instance(uid, { service: 'lost@lab', ...changed });
  const operator = { ...newLab().caller('otto', 'operator'), target: '*', service: '*' };
  const listed = async (lab: Lab) => (await targetsOf(lab.host, operator))[0]?.notOnRecord;

  it('raises an alarm when it is reported under our numbers, once and not with every report (F24)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.tick(1_000);
    await agent.sees([instance('u1'), lost('u9')]);
    const head = lab.rows('heads')[0]?.position;
    expect(lab.rows('alarms')).toMatchObject([{ code: 'unissued', service: 'lost@lab' }]);
    expect(await listed(lab)).toEqual(['lost@lab']);
    for (let n = 0; n < 3; n++) {
      await lab.tick(1_000);
      await agent.sees([instance('u1'), lost('u9')]);
    }
    expect(lab.rows('heads')[0]?.position, 'calm costs no row').toBe(head);
    await agent.changes({ instances: [lost('u10')] });
    await agent.changes({ instances: [lost('u11', { service: 'other@lab' })] });
    expect(lab.rows('alarms').map(({ service }) => service)).toEqual(['lost@lab', 'other@lab']);
    expect(await listed(lab)).toEqual(['lost@lab', 'other@lab']);
    await agent.sees([instance('u1', { ready: false }), lost('u9')]);
    expect(await listed(lab), 'what is gone is forgotten').toEqual(['lost@lab']);
    await lab.deploy(SOURCE, {}, { service: 'lost@lab' });
    expect(await listed(lab), 'what is deployed again is on record').toEqual([]);
    await holdsItsLaws(lab);
  });

  it('raises none where another tool has deployed it', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([
      instance('u1'),
      lost('u9', { revision: null, attempt: null, fence: null, template: 't' }),
    ]);
    expect(lab.rows('alarms')).toEqual([]);
  });
});

describe('the history of a recovered store', () => {
  it('shows the gap: when it was restored, and since when nothing is recorded (F54)', async () => {
    const lab = newLab();
    await running(lab);
    await lab.tick(1_000);
    const copied = lab.now;
    lab.sleep(60_000);
    await lab.recover({ [ORG]: { position: '900', floor: 5 } });
    const restored = lab.now;
    const gaps = async () =>
      (await lab.history()).map(({ intent, recoveries }) => [intent.revision, ...recoveries]);
    const [row] = lab.rows('recoveries');
    const gap = { ...row, at: restored, lostSince: copied };
    expect(await gaps()).toEqual([[1, gap]]);
    await lab.tick(1_000);
    const { revision } = await lab.restart();
    await lab.tick(1_000);
    expect(await gaps()).toEqual([[revision], [1, gap]]);
    const page = (await history(lab.host, ORG, WEB, 1, revision)).filter(isIntactEntry);
    expect(page.map(({ recoveries }) => recoveries)).toEqual([[gap]]);
    await holdsItsLaws(lab);
  });

  it('shows none where liveness was recorded until the recovery', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.watches(60_000);
    await lab.recover();
    const [entry] = await lab.history();
    expect(entry?.recoveries).toMatchObject([{ at: lab.now, lostSince: lab.now }]);
  });
});

describe('leases of a recovered store', () => {
  it('are void without a lapse: the work waits for another holder', async () => {
    const lab = newLab();
    const lease = await building(lab);
    await lab.recover();
    await expect(lease.heartbeat()).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await lease.stored()).toMatchObject({ verdict: 'rejected', reason: 'stale_lease' });
    expect(lab.rows('leases')).toMatchObject([{ end: 'recovery' }]);
    expect(lab.rows('commands')).toMatchObject([{ state: 'published', lapses: 0 }]);
    const again = await lab.builder('builder-b').take();
    expect(again.offer).toMatchObject({ command: lease.offer.command, fence: '1000002' });
    await holdsItsLaws(lab);
    const agent = await next(lab);
    await lab.tick(1_000);
    await agent.sees([]);
    expect(await state(lab)).toBe('building');
    await again.stored();
    expect(await state(lab)).toBe('artifact_ready');
    await holdsItsLaws(lab);
  });

  it('that were lost belong to nobody: evidence under them is kept, and an alarm raised', async () => {
    const lab = newLab();
    const lease = await building(lab);
    await lab.recover();
    const item = lease.item('artifact.stored', { digest: DIGEST, size: 1 }, { fence: '2' });
    expect(await lease.taker.submit(item)).toMatchObject([{ verdict: 'rejected', reason: 'unissued' }]);
    expect(lab.rows('alarms')).toMatchObject([{ code: 'unissued' }]);
  });

  it('that were only offered are void too', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE);
    await lab.publish();
    const offer = await lab.builder().offer();
    await lab.recover();
    await expect(offer.heartbeat()).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await lab.builder('builder-b').acquire()).not.toBeNull();
  });

  it('under a cancel end it: no holder can exist any more', async () => {
    const lab = newLab();
    await building(lab);
    await lab.cancel();
    await lab.tick(1_000);
    await lab.recover();
    expect(await lab.outcomes()).toEqual(['r1.a1 cancelled']);
    expect(await lab.builder('builder-b').acquire()).toBeNull();
    await holdsItsLaws(lab);
  });

  it('of an apply go to an agent that registered since', async () => {
    const lab = newLab();
    const { agent: before, apply: lease } = await applying(lab);
    await lab.recover();
    await expect(before.acquire()).rejects.toMatchObject({ code: 'stale_epoch' });
    const agent = await next(lab);
    const again = await agent.take();
    expect(again.offer.command).toBe(lease.offer.command);
    await again.applied();
    await lab.tick(1_000);
    await agent.sees([instance('u1', { fence: again.offer.fence })]);
    expect(await state(lab)).toBe('starting');
    await holdsItsLaws(lab);
  });
});

describe('the past of a recovered store', () => {
  it('is exact: before, between two recoveries and after', async () => {
    const lab = newLab();
    await running(lab);
    const observedAt = lab.now;
    await lab.tick(2_000);
    await lab.recover();
    await lab.tick(2_000);
    const agent = await next(lab);
    await agent.sees([instance('u1')]);
    const again = lab.now;
    await lab.tick(2_000);
    await lab.recover();
    await lab.tick(2_000);
    const at = async (t: number) => {
      const { state: was, cause: why } = await lab.claimAt(t);
      return was === 'unknown' ? why?.code : was;
    };
    expect(await at(observedAt)).toBe('running');
    expect(await at(observedAt + 2_500)).toBe('store_recovered');
    expect(await at(again)).toBe('running');
    expect(await at(again + 1_999)).toBe('running');
    expect(await at(again + 2_000)).toBe('store_recovered');
    expect(await cause(lab, WEB)).toBe('store_recovered');
  });

  it('is unknown without a culprit from the last recorded instant until the restore (F54)', async () => {
    const lab = newLab();
    await running(lab);
    await lab.tick(1_000);
    const copied = lab.now;
    lab.sleep(300_000);
    await lab.recover();
    const restored = lab.now;
    await lab.tick(1_000);
    await (await next(lab)).sees([instance('u1')]);
    await lab.tick(60_000);
    expect((await lab.claimAt(copied)).state).toBe('running');
    for (const at of [copied + 1, copied + 20_000, restored - 1])
      expect(await lab.claimAt(at), `${at - copied} ms after the copy`).toMatchObject({
        state: 'unknown',
        since: new Date(copied).toISOString(),
        cause: {
          code: 'store_recovered',
          params: { lostSince: new Date(copied).toISOString(), restoredAt: new Date(restored).toISOString() },
        },
        message: {
          code: 'unknown.lost',
          body: expect.stringMatching(/is lost\. Before that it was running\./),
        },
        lastKnown: { state: 'running' },
        serving: null,
        expecting: null,
        next: { owner: 'none', action: null },
      });
    expect((await lab.claimAt(restored)).message.code).toBe('unknown.store_recovered');
    expect((await lab.claimAt(lab.now - 1)).cause?.code, 'since the last report').toBe('stale_runtime');
    await holdsItsLaws(lab);
  });
});
