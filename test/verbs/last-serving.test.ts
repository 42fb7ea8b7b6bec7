import { describe, expect, it } from 'vitest';
import type { Claim } from '../../src/contract/claim.ts';
import { fileNow, loadIntent, type ServiceFile } from '../../src/evidence/door/service-file.ts';
import { claim as claimOf } from '../../src/projection/claim.ts';
import { NOTHING_PROVEN } from '../../src/projection/facts.ts';
import { fold } from '../../src/projection/fold.ts';
import { instance, route } from './agent.ts';
import { DIGEST, type Lab, newLab, OBSERVE, ORG, SOURCE, WEB } from './driver.ts';
import { artifactReady, building, running, starting } from './life.ts';

const iso = (at: number) => new Date(at).toISOString();

/** The claim by what the shown one cites, and nothing else (S14). */
async function replayed(lab: Lab, shown: Claim): Promise<Claim> {
  const cited = new Set(shown.proof.evidence);
  const rows = (await lab.evidence()).filter(({ id }) => cited.has(id));
  return lab.store.read(async (tx) => {
    const file = (await fileNow(tx, lab.host.settings, ORG, WEB))?.file as ServiceFile;
    file.proven = (rows as never[]).reduce(fold, NOTHING_PROVEN);
    await loadIntent(tx, file);
    return claimOf(file.intent, { ...file.facts, recorded: null }, lab.now);
  });
}

describe('what was last seen serving (F116)', () => {
  it('a deploy to a silent target does not make it forgotten', async () => {
    const lab = newLab();
    const agent = await running(lab);
    expect(await lab.claim()).toMatchObject({ serving: { revision: 1 }, lastServing: null });
    await agent.watches(10_000);
    const seen = lab.now;
    await lab.tick(20_000);
    const last = { revision: 1, attempt: 1, asOf: iso(seen), ageMs: 20_000 };
    expect(await lab.claim()).toMatchObject({ state: 'unknown', serving: null, lastServing: last });
    await lab.deploy(SOURCE);
    await lab.publish();
    const waiting = await lab.claim();
    expect(waiting).toMatchObject({ state: 'waiting_for_worker', serving: null, lastServing: last });
    expect(await replayed(lab, waiting), 'by what it cites alone (S14)').toMatchObject({
      state: 'waiting_for_worker',
      lastServing: last,
    });
    const then = lab.now;
    await lab.tick(30_000);
    expect((await lab.claimAt(then)).lastServing, 'at a past instant').toEqual(last);
    await lab.agent().register();
    await agent.sees([instance('u1')]);
    expect(await lab.claim()).toMatchObject({ serving: { revision: 1 }, lastServing: null });
  });

  it('what broke served until the last report that showed it serve', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.watches(10_000);
    const seen = lab.now;
    await lab.tick(2_000);
    await agent.sees([instance('u1', { ready: false })]);
    await lab.tick(3_000);
    await agent.heartbeat();
    const broken = await lab.claim();
    const last = { revision: 1, attempt: 1, asOf: iso(seen), ageMs: 5_000 };
    expect(broken).toMatchObject({ state: 'degraded', serving: null, lastServing: last });
    expect(await replayed(lab, broken)).toMatchObject({ state: 'degraded', lastServing: last });
    await lab.tick(20_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', lastServing: { asOf: iso(seen) } });
  });

  it('is gone once a complete report shows nothing of it, and not by an incomplete one', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([], [], { complete: false });
    await lab.tick(20_000);
    expect((await lab.claim()).lastServing).toMatchObject({ revision: 1 });
    await agent.sees([]);
    expect(await lab.claim()).toMatchObject({ state: 'degraded', serving: null, lastServing: null });
  });

  it('an earlier one that is still there is named when the later one is gone', async () => {
    const lab = newLab();
    const agent = await running(lab, { port: 8080 });
    await agent.sees([instance('u1')], [route(1)]);
    const second = { revision: 2, artifact: DIGEST };
    await lab.restart();
    await lab.publish();
    await (await agent.take()).applied();
    await agent.sees([instance('u1'), instance('u2', second)], [route(2)]);
    expect((await lab.claim()).serving).toMatchObject({ revision: 2 });
    await agent.sees([instance('u1')], [{ service: WEB, route: { answers: false } }]);
    expect(await lab.claim()).toMatchObject({ serving: null, lastServing: { revision: 1 } });
  });

  it('of two that are still there, it is the one that served later', async () => {
    const lab = newLab();
    const agent = await running(lab, { port: 8080 });
    await agent.sees([instance('u1')], [route(1)]);
    await lab.restart();
    await lab.publish();
    await (await agent.take()).applied();
    await lab.tick(2_000);
    const both = [instance('u1'), instance('u2', { revision: 2, artifact: DIGEST })];
    await agent.sees(both, [route(2)]);
    await lab.tick(3_000);
    await agent.heartbeat();
    const seen = lab.now;
    await lab.tick(1_000);
    await agent.sees(both, [{ service: WEB, route: { answers: false } }]);
    const neither = await lab.claim();
    const last = { revision: 2, attempt: 1, asOf: iso(seen), ageMs: 1_000 };
    expect(neither).toMatchObject({ serving: null, lastServing: last });
    expect(await replayed(lab, neither), 'by what it cites alone (S14)').toMatchObject({ lastServing: last });
  });

  it('a later revision makes nothing serve that did not before (F24, S14)', async () => {
    const lab = newLab();
    const agent = await running(lab, { port: 8080 });
    await agent.sees([instance('u9', { attempt: 1001 })], [route(1, 1001)]);
    expect(await lab.claim()).toMatchObject({ serving: null, lastServing: null });
    await lab.restart();
    await lab.publish();
    expect(await lab.claim()).toMatchObject({ serving: null, lastServing: null });
    await lab.tick(20_000);
    const silent = await lab.claim();
    expect(silent).toMatchObject({ serving: null, lastServing: null });
    expect((await replayed(lab, silent)).lastServing).toBeNull();
  });

  it('an earlier one cites when its target took it: it was not seen to serve before that (S14)', async () => {
    const lab = newLab();
    await artifactReady(lab, { port: 8080, deadlines: { applyMs: 10_000 } });
    const agent = await lab.agent().register();
    await agent.sees([instance('u1')], [route(1)]);
    await lab.tick(4_000);
    await agent.take();
    const taken = lab.now;
    await lab.deploy(SOURCE, { concurrency: 'queue' });
    await lab.tick(40_000);
    const later = await lab.claim();
    const last = { revision: 1, attempt: 1, asOf: iso(taken) };
    expect(later).toMatchObject({ desired: { revision: 2 }, serving: null, lastServing: last });
    expect((await replayed(lab, later)).lastServing).toMatchObject(last);
  });

  it('in observe mode it is found by its template', async () => {
    const lab = newLab();
    await lab.sweep();
    const agent = await lab.agent().register();
    await lab.deploy(OBSERVE);
    const entry = { service: WEB, template: 't1', replicas: 1 };
    const one = instance('u1', { revision: null, attempt: null, fence: null, template: 't1' });
    await agent.sees([one], [entry]);
    await lab.tick(4_000);
    await agent.heartbeat();
    expect((await lab.claim()).serving).toMatchObject({ revision: 2 });
    await lab.tick(20_000);
    expect((await lab.claim()).lastServing).toMatchObject({ revision: 2, ageMs: 20_000 });
    await agent.sees([], [entry]);
    expect((await lab.claim()).lastServing).toBeNull();
  });

  it('what never served, and what is torn down, is not named', async () => {
    const lab = newLab();
    const agent = await starting(lab, { port: 8080 });
    await agent.sees([instance('u1')], [{ service: WEB, route: { answers: false } }]);
    expect(await lab.claim()).toMatchObject({ serving: null, lastServing: null });
    const other = newLab();
    const runs = await running(other);
    await other.teardown();
    await other.publish();
    expect((await other.claim()).serving).toMatchObject({ revision: 1 });
    await (await runs.take()).removed();
    await other.tick(1_000);
    await runs.sees([]);
    expect(await other.claim()).toMatchObject({ state: 'stopped', serving: null, lastServing: null });
  });
});

describe('that nothing serves', () => {
  it('is proven while fresh reports show that no copy is ready, and by nothing less (S1, S2)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    expect(await lab.claim()).not.toHaveProperty('nothingServes');
    await lab.tick(1_000);
    await agent.sees([instance('u1', { ready: false })]);
    const seen = lab.now;
    await lab.tick(2_000);
    const broken = await lab.claim();
    const nothing = { asOf: iso(seen), validUntil: iso(seen + 15_000) };
    expect(broken).toMatchObject({ state: 'degraded', serving: null, nothingServes: nothing });
    expect(await replayed(lab, broken), 'by what it cites alone (S14)').toMatchObject({
      nothingServes: nothing,
    });
    await agent.sees([instance('u1', { ready: false, restarts: 1 })], [], { complete: false });
    expect(await lab.claim(), 'a part of what there is').not.toHaveProperty('nothingServes');
    await agent.sees([instance('u1', { phase: 'exited', ready: false, restarts: 1 })]);
    expect(await lab.claim()).toHaveProperty('nothingServes');
    await lab.tick(15_000);
    expect(await lab.claim(), 'silence').not.toHaveProperty('nothingServes');
    await agent.sees([instance('u1', { phase: 'unknown', ready: false, restarts: 1 })]);
    expect(await lab.claim(), 'a machine that nobody hears').not.toHaveProperty('nothingServes');
  });

  it('is not said while a route answers, whichever revision that is', async () => {
    const lab = newLab();
    const agent = await starting(lab, { port: 8080 });
    await agent.sees([instance('u1', { ready: false })], [{ service: WEB, route: { answers: true } }]);
    expect(await lab.claim()).not.toHaveProperty('nothingServes');
    await agent.sees([instance('u1', { ready: false })], [{ service: WEB, route: { answers: false } }]);
    expect(await lab.claim()).toHaveProperty('nothingServes');
  });

  it('is proven by the ledger alone while no apply was ever leased, and does not age', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE);
    await lab.publish();
    await lab.tick(60_000);
    expect((await lab.claim()).nothingServes).toMatchObject({ validUntil: null });
  });
});

describe('the age of what serves', () => {
  it('is never before the revision existed, however slow the report is', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.watches(5_000);
    await lab.tick(2_000);
    await lab.restart();
    await lab.publish();
    const asked = lab.now;
    await (await agent.take()).applied();
    await lab.tick(1_000);
    await agent.sees([instance('u2', { revision: 2 })], [], { watchAgeMs: 4_000 });
    const { serving } = await lab.claim();
    expect(serving).toMatchObject({ revision: 2 });
    expect(Date.parse(serving?.asOf ?? '')).toBeGreaterThanOrEqual(asked);
  });
});

describe('a contradiction that is over', () => {
  it('is not cited for what is stopped, when another place has the name: its copy would seem left behind (S14)', async () => {
    const lab = newLab();
    await building(lab);
    const agent = await lab.agent().register('one');
    await lab.teardown('not needed');
    await lab.tick(1_000);
    await agent.sees([]);
    await lab.tick(20_000);
    await agent.sees([instance('u1')], [route(1)]);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'contradictory' } });
    await lab.tick(1_000);
    await lab.publish();
    await (await agent.take()).removed();
    await agent.changes({}, { instances: ['u1'] });
    const next = await lab.agent('agent-two', 'agent-two-1').register('two');
    await next.sees([]);
    const claim = await lab.claim();
    expect([claim.state, claim.nothingServes !== undefined]).toEqual(['stopped', true]);
    expect(await replayed(lab, claim)).toMatchObject({
      state: 'stopped',
      nothingServes: claim.nothingServes,
    });
  });
});
