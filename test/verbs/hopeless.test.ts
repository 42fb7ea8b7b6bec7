import { describe, expect, it } from 'vitest';
import { instance } from './agent.ts';
import { newLab } from './driver.ts';
import { running, starting } from './life.ts';
import { settle, stageOf } from './settle.ts';

const elsewhere = (uid: string, ...listens: readonly number[]) =>
  instance(uid, { ready: false, reason: 'wrong_port', details: { port: 3000, listens } });
const answering = (status: number) =>
  instance('u1', { ready: false, reason: 'health_error', details: { status } });

describe('a start that time does not mend', () => {
  it('names the port at once, fails within seconds, and is taken back when the app listens there', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([elsewhere('u1', 3999)]);
    expect(await lab.claim()).toMatchObject({
      state: 'starting',
      cause: { code: 'wrong_port', params: { port: 3000, listens: '3999' } },
      message: { body: expect.stringContaining('It listens on 3999, not on 3000 (PORT).') },
      next: { owner: 'user', action: 'deploy', retrySafe: true },
    });
    await agent.watches(7_900, 1_000);
    expect((await lab.claim()).state).toBe('starting');
    await agent.watches(100);
    expect(await lab.claim()).toMatchObject({
      state: 'failed',
      cause: { code: 'wrong_port' },
      timeout: { stage: 'readiness', owner: 'user', retrySafe: true },
      message: { title: 'The app listens on the wrong port' },
      next: { owner: 'user', action: 'deploy' },
    });
    expect(await stageOf(lab)).toBe('readiness');
    await lab.sweep();
    expect((await lab.claim()).outcome).toBe('failed');
    expect(await settle(lab, agent, [instance('u1')])).toEqual(['running', undefined]);
    expect((await lab.claim()).outcome, 'an outcome never changes again (S11)').toBe('failed');
  });

  it('is watched anew while the app opens one port after the other', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([elsewhere('u1', 9229)]);
    await agent.watches(7_000, 1_000);
    await agent.sees([elsewhere('u1', 3999, 9229)]);
    await agent.watches(7_000, 1_000);
    expect((await lab.claim()).state).toBe('starting');
    await agent.watches(1_000);
    expect((await lab.claim()).message.body).toContain('It listens on 3999, 9229, not on 3000 (PORT).');
    expect((await lab.claim()).state).toBe('failed');
  });

  it('has the whole deadline while another copy may become ready', async () => {
    const lab = newLab();
    const agent = await starting(lab, { replicas: 2 });
    await agent.sees([elsewhere('u1', 3999), instance('u2', { ready: false, reason: 'not_listening' })]);
    await agent.watches(60_000);
    expect((await lab.claim()).state).toBe('starting');
  });

  it('does not count silence: nobody saw the app then', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([answering(500)]);
    await lab.tick(60_000);
    await agent.sees([answering(500)]);
    // The report before counted for as long as it was fresh, which is 15 s.
    expect((await lab.claim()).state).toBe('starting');
    await agent.watches(4_000, 1_000);
    expect((await lab.claim()).state).toBe('starting');
    await agent.watches(1_000);
    expect((await lab.claim()).state).toBe('failed');
  });

  it('gives a health check that answers with an error longer', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([answering(500)]);
    await agent.watches(19_000, 1_000);
    expect(await lab.claim()).toMatchObject({
      state: 'starting',
      message: { body: expect.stringContaining('Its health check answers 500.') },
      next: { owner: 'user' },
    });
    await agent.watches(1_000);
    expect(await lab.claim()).toMatchObject({ state: 'failed', cause: { code: 'health_error' } });
  });

  it('names the path that was requested, without its query', async () => {
    const lab = newLab();
    const agent = await starting(lab, { health: { path: '/healthz?key=hush' } });
    await agent.sees([answering(500)]);
    expect(await lab.claim()).toMatchObject({
      cause: { params: { path: '/healthz', status: 500 } },
      message: { body: expect.stringContaining('GET /healthz answered 500.') },
    });
  });

  it('is none of an app that ran: that has its own deadline', async () => {
    const lab = newLab();
    const agent = await running(lab);
    await agent.sees([elsewhere('u1', 3999)]);
    await agent.watches(60_000);
    expect(await lab.claim()).toMatchObject({ state: 'degraded', cause: { code: 'wrong_port' } });
  });

  it('takes details that are not understood for none', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([
      instance('u1', { ready: false, reason: 'wrong_port', details: { port: 'rm -rf', listens: [] } }),
    ]);
    expect((await lab.claim()).message.body).toContain('listens on another port than');
  });
});

it('an app that ran and whose checks fail since is to be restarted first: nothing says that it has to change', async () => {
  const lab = newLab();
  const agent = await running(lab);
  await agent.sees([answering(503)]);
  expect(await lab.claim()).toMatchObject({
    state: 'degraded',
    cause: { code: 'health_error' },
    next: { owner: 'user', action: 'restart', retrySafe: true },
  });
});
