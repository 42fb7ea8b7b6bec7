import { describe, expect, it } from 'vitest';
import { type Agent, instance } from '../../test/verbs/agent.ts';
import { type Lab, newLab, SOURCE, T0 } from '../../test/verbs/driver.ts';
import { subjects } from '../../test/verbs/laws.ts';
import { applying, artifactReady, building, running, starting } from '../../test/verbs/life.ts';
import { claim } from './claim.ts';
import { decide } from './decide.ts';

const iso = (ms: number) => new Date(ms).toISOString();
const by = async (lab: Lab) => (await lab.claim()).expecting?.by;

/** The state one millisecond before the instant, at it, and one after; the platform is awake throughout. */
async function around(lab: Lab, at: number, agent: Agent | null = null): Promise<string[]> {
  const states: string[] = [];
  for (const instant of [at - 1, at, at + 1]) {
    for (let left = instant - lab.now; left > 0; left -= 5_000) {
      await lab.tick(Math.min(left, 5_000));
      await agent?.heartbeat();
    }
    const { state, outcome, cause } = await lab.claim();
    states.push([state, outcome, cause?.code].filter(Boolean).join(' '));
  }
  return states;
}

describe('a deadline on a command: withdrawn or revoked first, then failed', () => {
  it('publishMs: after 30 s the command is published again, after 5 min the attempt ends', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(SOURCE);
    expect(await by(lab)).toBe(iso(T0 + 30_000));
    await lab.tick(29_999);
    expect(await by(lab)).toBe(iso(T0 + 30_000));
    await lab.tick(1);
    expect(await by(lab)).toBe(iso(T0 + 300_000));
    expect(await around(lab, T0 + 300_000)).toEqual([
      'accepted in_progress',
      'failed failed publish_timed_out',
      'failed failed publish_timed_out',
    ]);
    expect(await lab.claim()).toMatchObject({
      timeout: { stage: 'publish', expected: 'command.published', retrySafe: true, owner: 'platform' },
      proof: { stoppedAt: 'accepted' },
    });
    expect((await lab.transitions()).at(-1)).toMatchObject({ owner: 'sweeper', at: T0 + 300_000 });
    expect(await lab.publish(), 'withdrawn').toBe(0);
  });

  it('publishMs below the soft deadline ends the attempt', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(SOURCE, { deadlines: { publishMs: 20_000 } });
    expect(await by(lab)).toBe(iso(T0 + 20_000));
    expect((await around(lab, T0 + 20_000))[1]).toMatch(/^failed/);
  });

  it('queueMs counts from publication, and ends an open offer too', async () => {
    const lab = newLab();
    await lab.sweep();
    await lab.deploy(SOURCE, { deadlines: { queueMs: 60_000 } });
    await lab.tick(7_000);
    await lab.publish();
    await lab.tick(58_000);
    const offer = await lab.builder().offer();
    expect(await around(lab, T0 + 67_000)).toEqual([
      'waiting_for_worker in_progress offered',
      'failed failed queue_timed_out',
      'failed failed queue_timed_out',
    ]);
    await expect(offer.heartbeat()).rejects.toMatchObject({ code: 'lease_lost' });
    expect((await lab.claim()).timeout).toMatchObject({ stage: 'queue', owner: 'platform' });
  });

  it('buildMs counts all leases together, and revokes the fence', async () => {
    const lab = newLab();
    const first = await building(lab, { deadlines: { buildMs: 50_000 } });
    await lab.tick(20_000);
    await first.release();
    await lab.tick(40_000);
    const second = await lab.builder().take();
    expect(await by(lab), 'waiting does not count').toBe(iso(lab.now + 30_000));
    await lab.tick(15_000);
    await second.heartbeat();
    expect(await around(lab, T0 + 90_000)).toEqual([
      'building in_progress holder_silent',
      'failed failed build_timed_out',
      'failed failed build_timed_out',
    ]);
    expect(await second.stored()).toMatchObject({ reason: 'stale_lease' });
    expect((await lab.claim()).timeout).toEqual({
      stage: 'build',
      expected: 'artifact.stored',
      retrySafe: true,
      owner: 'user',
    });
  });

  it('applyQueueMs: after 2 min the claim shows whether an agent is alive, after 10 min the attempt ends', async () => {
    const lab = newLab();
    await artifactReady(lab);
    expect(await by(lab)).toBe(iso(T0 + 120_000));
    await lab.tick(119_999);
    const soft = { by: iso(T0 + 120_000), endsAt: iso(T0 + 600_000) };
    expect((await lab.claim()).expecting).toMatchObject(soft);
    await lab.tick(1);
    expect(await lab.claim()).toMatchObject({
      state: 'artifact_ready',
      cause: { code: 'no_worker_online' },
      expecting: { by: iso(T0 + 600_000) },
    });
    expect((await lab.claim()).expecting).not.toHaveProperty('endsAt');
    expect(await around(lab, T0 + 600_000)).toEqual([
      'artifact_ready in_progress no_worker_online',
      'failed failed apply_queue_timed_out',
      'failed failed apply_queue_timed_out',
    ]);
  });

  it('applyMs revokes the fence', async () => {
    const lab = newLab();
    const { apply } = await applying(lab, { deadlines: { applyMs: 25_000 } });
    expect(await around(lab, T0 + 25_000)).toEqual([
      'applying_runtime_state in_progress holder_silent',
      'failed failed apply_timed_out',
      'failed failed apply_timed_out',
    ]);
    expect(await apply.applied()).toMatchObject({ reason: 'stale_lease' });
  });
});

describe('a deadline on an observation: only over fresh observation', () => {
  const unready = instance('u1', { phase: 'starting', ready: false });

  it('startMs counts from runtime.applied, and names the observed stage', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 60_000 } });
    await agent.sees([unready]);
    expect(await around(lab, T0 + 60_000, agent)).toEqual([
      'starting in_progress not_started',
      'failed failed not_started',
      'failed failed not_started',
    ]);
    expect((await lab.claim()).timeout).toMatchObject({
      stage: 'start',
      expected: 'runtime.observed',
      owner: 'user',
    });
    expect((await lab.transitions()).at(-1)).toMatchObject({ owner: 'clock', at: T0 + 60_000 });
  });

  it('startMs begins again at every progress: more ready, or a later phase; a restart is none', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 60_000 }, replicas: 2 });
    await agent.sees([instance('u1', { phase: 'pending', ready: false })]);
    await agent.watches(50_000);
    await agent.sees([unready]);
    expect(await by(lab), 'a phase further on').toBe(iso(T0 + 110_000));
    await agent.watches(50_000);
    await agent.sees([instance('u1', { phase: 'starting', ready: false, restarts: 1 })]);
    expect(await by(lab), 'a restart').toBe(iso(T0 + 110_000));
    await agent.sees([instance('u1', { restarts: 1 })]);
    expect(await by(lab), 'one more ready').toBe(iso(T0 + 160_000));
    expect(await around(lab, T0 + 160_000, agent)).toEqual([
      'starting in_progress not_scheduled',
      'failed failed not_scheduled',
      'failed failed not_scheduled',
    ]);
  });

  it('startMs does not count silence', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 60_000 } });
    await agent.sees([unready]);
    await lab.tick(35_000);
    await agent.heartbeat();
    expect(await by(lab), '15 s were fresh, 20 s were not').toBe(iso(T0 + 80_000));
    expect((await around(lab, T0 + 80_000, agent)).map((s) => s.split(' ')[0])).toEqual([
      'starting',
      'failed',
      'failed',
    ]);
  });

  it('startMs in silence shows unknown, and abandoned when all of its time is over', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 60_000 } });
    await agent.sees([unready]);
    expect(await around(lab, T0 + 60_000)).toEqual([
      'unknown in_progress stale_runtime',
      'unknown abandoned stale_runtime',
      'unknown abandoned stale_runtime',
    ]);
  });

  it('startMs without any observation since the apply fails nothing: unknown', async () => {
    const lab = newLab();
    await starting(lab, { deadlines: { startMs: 4_000 } });
    expect(await around(lab, T0 + 4_000)).toEqual([
      'starting in_progress not_seen_yet',
      'unknown abandoned never_observed',
      'unknown abandoned never_observed',
    ]);
    expect((await lab.claim()).since).toBe(iso(T0 + 4_000));
    expect(await around(lab, T0 + 15_000), 'nor when the word of the apply is too old').toEqual(
      Array(3).fill('unknown abandoned never_observed'),
    );
    expect((await lab.claim()).since).toBe(iso(T0 + 4_000));
    expect(await lab.transitions()).toMatchObject([
      ...Array((await lab.transitions()).length - 1).fill({}),
      { from: 'starting', to: 'unknown', owner: 'clock', at: T0 + 4_000 },
    ]);
  });

  it('startMs with a report of an instant before the apply fails nothing', async () => {
    const lab = newLab();
    const agent = await starting(lab, { deadlines: { startMs: 4_000 } });
    await agent.sees([], [], { watchAgeMs: 1_000 });
    expect(await around(lab, T0 + 4_000)).toEqual([
      'starting in_progress not_seen_yet',
      'unknown abandoned watch_stalled',
      'unknown abandoned watch_stalled',
    ]);
    await agent.sees([]);
    const { state, outcome, cause } = await lab.claim();
    expect([state, outcome, cause?.code]).toEqual(['failed', 'abandoned', 'not_scheduled']);
  });

  it('a crash loop observed an hour ago fails nothing', async () => {
    const lab = newLab();
    const agent = await starting(lab);
    await agent.sees([instance('u1', { ready: false, reason: 'crash_loop' })], [], { watchAgeMs: 3_600_000 });
    const { state, cause, outcome, since } = await lab.claim();
    expect([state, cause?.code, outcome, since]).toEqual([
      'unknown',
      'watch_stalled',
      'in_progress',
      iso(T0),
    ]);
    await agent.heartbeat();
    expect((await lab.claim()).state).toBe('failed');
  });

  it('degradedMs counts from the report that showed it broken', async () => {
    const lab = newLab();
    const agent = await running(lab, { deadlines: { degradedMs: 60_000 } });
    await lab.tick(2_000);
    await agent.sees([instance('u1', { ready: false })]);
    expect(await around(lab, T0 + 65_000, agent)).toEqual([
      'degraded succeeded not_ready',
      'failed succeeded not_ready',
      'failed succeeded not_ready',
    ]);
  });

  it('stopMs ends as unknown: absence is not proven', async () => {
    const lab = newLab();
    const agent = await running(lab, { deadlines: { stopMs: 60_000 } });
    await lab.teardown();
    expect(await around(lab, T0 + 63_000, agent)).toEqual([
      'stopping in_progress',
      'unknown abandoned absence_unproven',
      'unknown abandoned absence_unproven',
    ]);
  });
});

describe('deadlines are judged only up to the last beat', () => {
  it('neither the claim nor a decision counts time in which the server may have slept', async () => {
    const lab = newLab();
    await starting(lab, { deadlines: { startMs: 20_000 } });
    lab.sleep(60_000);
    expect(await lab.claim()).toMatchObject({ state: 'unknown', outcome: 'in_progress' });
    await lab.sweep();
    expect(await lab.claim()).toMatchObject({ state: 'unknown', outcome: 'in_progress' });
    await lab.tick(19_999);
    expect((await lab.claim()).outcome).toBe('in_progress');
    await lab.tick(1);
    expect((await lab.claim()).outcome).toBe('abandoned');
  });

  it('decide returns nothing a millisecond before, and the due step at the instant', async () => {
    const lab = newLab();
    await building(lab, { deadlines: { buildMs: 20_000 } });
    const { intent, facts } = await fileOf(lab);
    const due = (at: number, awakeUntil = at) =>
      decide(intent, { ...facts, liveness: { ...facts.liveness, awakeUntil } }, at).map((d) => d.do);
    expect(due(T0 + 19_999)).toEqual([]);
    expect(due(T0 + 20_000)).toEqual(['revoke']);
    expect(due(T0 + 29_999)).toEqual(['revoke']);
    expect(due(T0 + 30_000)).toEqual(expect.arrayContaining(['lapse']));
    expect(due(T0 + 60_000, T0 + 19_999), 'asleep since').toEqual([]);
    const at = claim(intent, facts, T0 + 29_999);
    expect(at.state).toBe('building');
  });
});

async function fileOf(lab: Lab) {
  const [subject] = await subjects(lab);
  if (subject === undefined) throw new Error('no service');
  return subject;
}
