import { describe, expect, it } from 'vitest';
import { DIGEST, type Lab, newLab, SOURCE, T0 } from './driver.ts';
import { applying, artifactReady, building, running, waiting } from './life.ts';

const state = async (lab: Lab) => (await lab.claim()).state;

describe('protocol 6: cancel, in every stage', () => {
  it('accepted: cancelled at once, the command withdrawn', async () => {
    const lab = newLab();
    await lab.deploy(SOURCE);
    expect((await lab.cancel()).claim).toMatchObject({
      state: 'cancelled',
      outcome: 'cancelled',
      cause: { code: 'cancel_requested' },
      proof: { stoppedAt: 'accepted' },
      next: { owner: 'user', action: 'retry' },
    });
    expect(await lab.publish()).toBe(0);
    expect(await lab.path()).toEqual(['accepted by api', 'cancelled by api']);
  });

  it('an operator reads in which stage it was cancelled', async () => {
    const cancelledIn = async (begin: (lab: Lab) => Promise<unknown>) => {
      const lab = newLab();
      await begin(lab);
      await lab.cancel();
      await lab.tick(60_000);
      const { state, operator } = await lab.asOperator();
      return [state, operator?.stage];
    };
    expect(await cancelledIn((lab) => lab.deploy(SOURCE))).toEqual(['cancelled', 'publish']);
    expect(await cancelledIn(waiting)).toEqual(['cancelled', 'queue']);
    expect(await cancelledIn(building)).toEqual(['cancelled', 'build']);
    expect(await cancelledIn(artifactReady)).toEqual(['cancelled', 'apply_queue']);
    const released = async (lab: Lab) => (await building(lab)).release();
    expect(await cancelledIn(released), 'where it waited again').toEqual(['cancelled', 'queue']);
    const leaving = async (lab: Lab) => {
      await running(lab);
      await lab.teardown();
      await lab.publish();
    };
    expect(await cancelledIn(leaving)).toEqual(['cancelled', 'stop']);
  });

  it('a cancelled removal offers a rollback to what still runs, and no retry', async () => {
    const lab = newLab();
    await running(lab);
    await lab.teardown();
    await lab.cancel();
    const claim = await lab.claim();
    expect(claim).toMatchObject({
      state: 'cancelled',
      serving: { revision: 1 },
      message: { code: 'cancelled.removal' },
      next: { owner: 'user', action: 'rollback' },
    });
    expect(claim.message.body).not.toContain('nothing of it goes on');
    await lab.rollback(1);
    expect(await lab.claim()).toMatchObject({ desired: { revision: 3 } });
  });

  it('waiting_for_worker, and offered: cancelled at once, the offer’s fence burned', async () => {
    const lab = newLab();
    await waiting(lab);
    const offer = await lab.builder().offer();
    expect((await lab.cancel()).claim.state).toBe('cancelled');
    await expect(offer.heartbeat()).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await offer.stored()).toMatchObject({ reason: 'stale_lease' });
  });

  it('building: cancelling until the holder acknowledges', async () => {
    const lab = newLab();
    const build = await building(lab);
    expect((await lab.cancel()).claim).toMatchObject({
      state: 'cancelling',
      outcome: 'in_progress',
      expecting: { evidence: 'cancel.acknowledged', from: 'worker', by: new Date(T0 + 30_000).toISOString() },
    });
    await lab.tick(10_000);
    expect(await build.heartbeat(), 'no longer extends it').toMatchObject({
      cancelRequested: true,
      ttlMs: 20_000,
    });
    await build.send('cancel.acknowledged');
    expect(await lab.claim()).toMatchObject({
      state: 'cancelled',
      outcome: 'cancelled',
      proof: { stoppedAt: 'building' },
    });
    expect((await lab.path()).slice(-2)).toEqual(['cancelling by api', 'cancelled by worker']);
  });

  it('building: cancelled at the lease’s end, whatever its heartbeats report', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.cancel();
    await lab.tick(20_000);
    await build.heartbeat();
    await lab.tick(9_999);
    expect(await state(lab)).toBe('cancelling');
    await lab.tick(1);
    expect(await state(lab)).toBe('cancelled');
    expect((await lab.path()).at(-1)).toBe('cancelled by sweeper');
    expect(await build.stored()).toMatchObject({ reason: 'stale_lease' });
  });

  it('a completion that arrives while cancelling is recorded, has no follow-up and counts as acknowledgement', async () => {
    const lab = newLab();
    const build = await building(lab);
    await lab.cancel();
    expect(await build.stored()).toMatchObject({ verdict: 'admitted' });
    expect(await lab.claim()).toMatchObject({
      state: 'cancelled',
      outcome: 'cancelled',
      desired: { artifact: DIGEST },
    });
    expect(lab.rows('commands').map((c) => c.kind)).toEqual(['build']);
  });

  it.each(['build.failed', 'command.released'] as const)(
    '%s while cancelling counts as acknowledgement',
    async (kind) => {
      const lab = newLab();
      const build = await building(lab);
      await lab.cancel();
      await build.send(kind, kind === 'build.failed' ? { code: 'x', message: '' } : { reason: '' });
      expect(await lab.claim()).toMatchObject({ state: 'cancelled', outcome: 'cancelled' });
      expect(await lab.builder().acquire()).toBeNull();
    },
  );

  it('unknown by a silent holder: cancelling, and cancelled when the lapse is recorded', async () => {
    const lab = newLab();
    await building(lab);
    await lab.tick(29_000);
    lab.sleep(1_500);
    expect(await state(lab)).toBe('unknown');
    expect((await lab.cancel()).claim.state).toBe('cancelling');
    await lab.sweep();
    expect(await state(lab)).toBe('cancelled');
  });

  it('artifact_ready: cancelled at once', async () => {
    const lab = newLab();
    await artifactReady(lab);
    expect((await lab.cancel()).claim).toMatchObject({
      state: 'cancelled',
      proof: { stoppedAt: 'artifact_ready' },
    });
  });

  it('once apply is acknowledged it is too late, naming rollback and teardown', async () => {
    const lab = newLab();
    const { apply } = await applying(lab);
    const { code, instead } = { code: 'cancel_not_possible', instead: 'rollback or teardown' } as const;
    const until = new Date(lab.now + 30_000).toISOString();
    const holder = { worker: 'agent-lab' };
    await expect(lab.cancel()).rejects.toMatchObject({ code, params: { holder, until, instead } });
    await apply.applied();
    await expect(lab.cancel()).rejects.toEqual(expect.objectContaining({ code, params: { instead } }));
  });

  it('stays too late after a lapsed apply is requeued', async () => {
    const lab = newLab();
    await applying(lab);
    await lab.tick(30_000);
    expect(await state(lab)).toBe('artifact_ready');
    await expect(lab.cancel()).rejects.toMatchObject({ code: 'cancel_not_possible' });
  });

  it('nothing in progress: nothing_to_cancel; a repeated cancel is the same answer', async () => {
    const lab = newLab();
    await expect(lab.cancel()).rejects.toMatchObject({ code: 'not_found' });
    await building(lab);
    await lab.cancel();
    expect(await lab.cancel()).toMatchObject({ revision: 1, attempt: 1 });
    await lab.tick(30_000);
    await expect(lab.cancel()).rejects.toMatchObject({ code: 'nothing_to_cancel' });
    const other = newLab();
    await running(other);
    await expect(other.cancel()).rejects.toMatchObject({ code: 'nothing_to_cancel' });
    await expect(other.cancel(7)).rejects.toMatchObject({ code: 'not_found', params: { revision: 7 } });
  });

  it('a cancel that names a revision answers for that one, whatever else is in progress', async () => {
    const lab = newLab();
    await running(lab);
    await building(lab);
    await expect(lab.cancel(9)).rejects.toMatchObject({
      code: 'not_found',
      message: 'not_found: No revision 9.',
      params: { revision: 9 },
    });
    await expect(lab.cancel(1)).rejects.toMatchObject({
      code: 'nothing_to_cancel',
      message: 'nothing_to_cancel: Revision 1 is not in progress.',
      params: { revision: 1 },
    });
    expect(await lab.cancel(2)).toMatchObject({ revision: 2 });
  });
});
