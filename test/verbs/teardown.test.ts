import { describe, expect, it } from 'vitest';
import type { TokenRole } from '../../src/contract/vocabulary.ts';
import { teardown } from '../../src/intent/teardown.ts';
import type { RowDifference } from '../../src/repair/difference.ts';
import { rebuild } from '../../src/repair/rebuild.ts';
import { instance } from './agent.ts';
import { granted, type Lab, newLab, SOURCE, T0, WEB } from './driver.ts';
import { applying, artifactReady, building, running, starting, waiting } from './life.ts';

const state = async (lab: Lab) => (await lab.claim()).state;

describe('teardown', () => {
  it('of a service that was never applied is proven by the ledger alone, and does not age', async () => {
    const lab = newLab();
    await building(lab);
    expect((await lab.teardown()).claim).toMatchObject({
      state: 'stopped',
      outcome: 'succeeded',
      cause: { code: 'never_applied' },
      freshness: { freshForMs: null, validUntil: null },
    });
    expect((await lab.path()).at(-1)).toBe('stopped by api');
    await lab.tick(60_000);
    expect(await state(lab)).toBe('stopped');
    expect(lab.rows('commands').map((c) => [c.kind, c.state])).toEqual([['build', 'superseded']]);
    expect(await lab.outcomes()).toEqual(['r2.a1 succeeded', 'r1.a1 superseded']);
  });

  it('of a service whose apply was offered waits for its removal, though nobody acknowledged the offer', async () => {
    for (const isExpired of [false, true]) {
      const lab = newLab();
      await artifactReady(lab);
      const agent = await lab.agent().register();
      expect((await agent.offer()).offer.kind).toBe('apply');
      if (isExpired) await lab.tick(6_000);
      expect((await lab.teardown()).claim.state).toBe('stopping');
      await lab.publish();
      const remove = await agent.take();
      expect(remove.offer.kind).toBe('remove');
      await remove.removed();
      await agent.sees([]);
      expect(await state(lab)).toBe('stopped');
    }
  });

  it('needs each of several scopes to report again, each at its own time', async () => {
    const lab = newLab();
    const agent = await starting(lab, { replicas: 2 });
    await agent.sees([instance('u1')], [], { scope: 'east', seq: '1' });
    await agent.sees([instance('u2')], [], { scope: 'west', seq: '1' });
    await lab.teardown();
    await lab.publish();
    const remove = await agent.take();
    for (const scope of ['east', 'west']) await agent.sees([], [], { scope, seq: '2' });
    await lab.tick(1_000);
    await remove.removed();
    const rows = lab.count('ledger');
    for (const seq of ['3', '4', '5']) await agent.sees([], [], { scope: 'east', seq });
    expect([await state(lab), lab.count('ledger')]).toEqual(['stopping', rows + 1]);
    await agent.sees([], [], { scope: 'west', seq: '3' });
    expect(await state(lab)).toBe('stopped');
  });

  it('says so where the target cannot see what left its instances (F117)', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.teardown();
    await lab.publish();
    const remove = await agent.take();
    await lab.tick(1_000);
    await remove.send('runtime.removed', { contained: false });
    await agent.sees([]);
    expect(await lab.claim()).toMatchObject({
      state: 'stopped',
      outcome: 'succeeded',
      cause: { code: 'uncontained' },
      message: { title: 'Stopped, as far as can be seen' },
    });
  });

  it('needs runtime.removed and, after it, a complete snapshot without an instance', async () => {
    const lab = newLab();
    const agent = await running(lab);
    expect((await lab.teardown()).claim).toMatchObject({
      state: 'stopping',
      outcome: 'in_progress',
      expecting: { evidence: 'runtime.removed', from: 'agent', by: new Date(T0 + 303_000).toISOString() },
    });
    await lab.publish();
    const remove = await agent.take();
    expect(remove.offer.kind).toBe('remove');
    await agent.sees([]);
    expect(await state(lab), 'observed before the removal').toBe('stopping');
    await lab.tick(1_000);
    await remove.removed();
    expect(await lab.claim()).toMatchObject({
      state: 'stopping',
      expecting: { evidence: 'runtime.observed', from: 'watcher' },
    });
    await agent.sees([], [], { complete: false });
    expect(await state(lab)).toBe('stopping');
    await agent.sees([], [], { watchAgeMs: 500 });
    expect(await state(lab), 'observed before the removal, sent after it').toBe('stopping');
    await agent.sees([instance('u1')]);
    expect(await state(lab)).toBe('stopping');
    await agent.sees([]);
    expect(await lab.claim()).toMatchObject({
      state: 'stopped',
      outcome: 'succeeded',
      serving: null,
      proof: { reached: ['stopping', 'stopped'], stoppedAt: null },
    });
    expect((await lab.path()).slice(-2)).toEqual(['stopping by api', 'stopped by watcher']);
  });

  it('proven by observation ages: unknown after the freshness window, and stopped again when observed', async () => {
    const { lab, agent } = await stopped();
    await lab.tick(15_000);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      outcome: 'succeeded',
      cause: { code: 'stale_runtime' },
      lastKnown: { state: 'stopped' },
    });
    await agent.heartbeat();
    expect(await state(lab)).toBe('stopped');
  });

  it('is not proven by an absence that was already stale when it was reported', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.teardown();
    await lab.publish();
    await (await agent.take()).removed();
    await lab.tick(20_000);
    await agent.sees([], [], { watchAgeMs: 16_000 });
    expect(await lab.claim()).toMatchObject({ state: 'stopping', outcome: 'in_progress' });
    await agent.sees([instance('u1')]);
    expect(await lab.claim()).toMatchObject({ state: 'stopping', outcome: 'in_progress' });
    await agent.sees([]);
    expect(await lab.claim()).toMatchObject({ state: 'stopped', outcome: 'succeeded' });
  });

  it('is contradicted by an instance observed afterwards: unknown, and remove is queued again', async () => {
    const { lab, agent } = await stopped();
    await agent.sees([instance('stray')]);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'contradictory' },
      outcome: 'succeeded',
      lastKnown: { state: 'stopped' },
    });
    await lab.sweep();
    await lab.publish();
    const again = await agent.take();
    expect(again.offer.command, 'the first at once').toBe('web@lab.r2.a1.remove.2');
    await again.removed();
    await lab.tick(1_000);
    await agent.sees([instance('stray')]);
    await agent.watches(28_000);
    await lab.publish();
    expect(await agent.acquire(), 'and then not in a storm (L5)').toBeNull();
    await agent.watches(2_000);
    await lab.publish();
    const third = await agent.take();
    expect(third.offer.command).toBe('web@lab.r2.a1.remove.3');
    await third.removed();
    await agent.sees([]);
    expect(await state(lab)).toBe('stopped');
    expect(await lab.outcomes()).toEqual(['r2.a1 succeeded', 'r1.a1 succeeded']);
  });

  it('proven by the ledger alone is contradicted by an observed instance: unknown, and remove is queued', async () => {
    const lab = newLab();
    await building(lab);
    await lab.teardown();
    expect(await lab.claim()).toMatchObject({ state: 'stopped', cause: { code: 'never_applied' } });
    const agent = await lab.agent().register();
    await lab.tick(1_000);
    await agent.sees([instance('stray')]);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      cause: { code: 'contradictory' },
      outcome: 'succeeded',
      lastKnown: { state: 'stopped', at: new Date(T0).toISOString() },
    });
    await agent.watches(5_000);
    await lab.publish();
    const remove = await agent.take();
    expect(remove.offer).toMatchObject({ kind: 'remove', revision: 2, attempt: 1 });
    await remove.removed();
    await agent.sees([]);
    expect(await lab.claim()).toMatchObject({ state: 'stopped', outcome: 'succeeded', cause: null });
    expect((await lab.path()).slice(-3)).toEqual([
      'stopped by api',
      'unknown by watcher',
      'stopped by watcher',
    ]);
    await lab.tick(15_000);
    expect(await state(lab), 'once contradicted, absence rests on observation and ages').toBe('unknown');
  });

  it('is stopped by observation when an instance that was never applied ends by itself', async () => {
    const lab = newLab();
    await building(lab);
    await lab.teardown();
    const agent = await lab.agent().register();
    await agent.sees([instance('stray')]);
    await lab.tick(15_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'stale_runtime' } });
    await agent.sees([]);
    expect(await lab.claim()).toMatchObject({ state: 'stopped', cause: null, outcome: 'succeeded' });
    await lab.tick(15_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', lastKnown: { state: 'stopped' } });
    expect(lab.rows('commands').map((c) => c.kind)).toContain('remove');
  });

  it('past its deadline is unknown, absence_unproven, abandoned; proven later it is stopped after all', async () => {
    const lab = newLab();
    const agent = await running(lab, { deadlines: { stopMs: 60_000 } });
    await lab.teardown();
    await agent.watches(59_999);
    expect(await state(lab)).toBe('stopping');
    await agent.watches(1);
    expect(await lab.claim()).toMatchObject({
      state: 'unknown',
      outcome: 'abandoned',
      cause: { code: 'absence_unproven' },
      lastKnown: { state: 'stopping' },
    });
    expect((await lab.path()).at(-1)).toBe('unknown by clock');
    await lab.publish();
    await (await agent.take()).removed();
    await agent.sees([]);
    expect(await lab.claim()).toMatchObject({ state: 'stopped', outcome: 'abandoned' });
  });

  it('is refused while the claim is unknown, unless forced with a reason', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await lab.tick(15_000);
    await expect(lab.teardown()).rejects.toMatchObject({
      code: 'state_unknown',
      params: { cause: 'stale_runtime' },
    });
    expect((await lab.teardown('the target is gone')).claim.state).toBe('stopping');
    expect(lab.rows('services')[0]?.hidden, 'off the default lists').toBe(true);
    const acted = (await lab.evidence()).find((row) => row.kind === 'operator.acted');
    expect(acted).toMatchObject({
      source: { role: 'operator', name: 'olga' },
      body: { reason: 'the target is gone', actor: 'olga' },
    });
    await agent.heartbeat();
    expect(await state(lab), 'its claim stays honest').toBe('stopping');
  });

  it('is forced by operators and admins only, and the refusal records nothing', async () => {
    const lab = newLab();
    await running(lab);
    await lab.tick(15_000);
    const rows = lab.count('ledger');
    const force = (role: TokenRole) =>
      teardown(lab.host, lab.caller('dan', role), WEB, { reason: 'because' }).then(granted);
    for (const role of ['viewer', 'deployer', 'builder', 'agent'] as const)
      await expect(force(role)).rejects.toMatchObject({ code: 'forbidden' });
    expect(lab.count('ledger')).toBe(rows);
    expect((await force('admin')).claim.state).toBe('stopping');
  });

  it('that is repeated is never guarded', async () => {
    const lab = newLab();
    await running(lab, { deadlines: { stopMs: 10_000 } });
    await lab.teardown();
    await lab.tick(20_000);
    expect(await state(lab)).toBe('unknown');
    expect(await lab.teardown()).toMatchObject({ revision: 3, claim: { state: 'stopping' } });
  });

  it('supersedes an applied revision: an instance may run, so it must be removed', async () => {
    const lab = newLab();
    const { apply } = await applying(lab);
    expect((await lab.teardown()).claim.state).toBe('stopping');
    expect(await apply.applied()).toMatchObject({ reason: 'stale_revision' });
  });

  it('can be followed by a deploy', async () => {
    const { lab } = await stopped();
    await waiting(lab);
    expect(await lab.claim()).toMatchObject({ state: 'waiting_for_worker', desired: { revision: 3 } });
  });

  it('that was forced leaves the lists until a deploy, as a rebuild from the ledger gives too', async () => {
    const lab = newLab();
    await running(lab);
    const isHidden = () => lab.rows('services')[0]?.hidden;
    const lies = async (hidden: boolean) => {
      const { services } = lab.store.tables;
      for (const [key, row] of services) services.set(key, { ...row, hidden });
      const found: RowDifference[] = [];
      await rebuild(lab.host, { replace: true, onDifference: (difference) => found.push(difference) });
      return found;
    };
    for (const again of [() => lab.rollback(1), () => lab.deploy(SOURCE)]) {
      await lab.teardown('the target is gone');
      await lab.teardown();
      expect(isHidden(), 'a second teardown brings nothing back').toBe(true);
      expect(await lies(false)).toMatchObject([{ column: 'hidden', stored: false, rebuilt: true }]);
      expect(isHidden()).toBe(true);
      await again();
      expect(isHidden()).toBe(false);
      expect(await lies(true)).toMatchObject([{ column: 'hidden', stored: true, rebuilt: false }]);
      expect(isHidden()).toBe(false);
    }
  });
});

async function stopped() {
  const lab = newLab();
  const agent = await running(lab);
  await lab.teardown();
  await lab.publish();
  await (await agent.take()).removed();
  await agent.sees([]);
  return { lab, agent };
}
