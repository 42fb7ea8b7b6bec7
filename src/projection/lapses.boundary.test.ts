import { describe, expect, it } from 'vitest';
import { instance } from '../../test/verbs/agent.ts';
import { newLab } from '../../test/verbs/driver.ts';
import { building, running, starting, waiting } from '../../test/verbs/life.ts';
import { instantAfter } from './intervals.ts';

describe('ends by time without a deadline', () => {
  it('a lease: unknown at its end, requeued when the lapse is recorded', async () => {
    const lab = newLab();
    await building(lab);
    await lab.tick(29_000);
    const states = [];
    for (const ms of [999, 1, 1]) {
      lab.sleep(ms);
      states.push((await lab.claim()).state);
    }
    expect(states).toEqual(['building', 'unknown', 'unknown']);
    await lab.sweep();
    expect((await lab.claim()).state).toBe('waiting_for_worker');
  });

  it('a sweep returns when the next lease ends, and whether it found an ended one', async () => {
    const lab = newLab();
    await building(lab);
    await lab.tick(29_000);
    lab.sleep(400);
    expect(await lab.sweep()).toEqual({ nextMs: 600 });
    lab.sleep(600);
    expect(await lab.sweep()).toEqual({ nextMs: null });
  });

  it('an offer: burned at its end', async () => {
    const lab = newLab();
    await waiting(lab);
    await lab.builder().offer();
    const causes = [];
    for (const ms of [4_999, 1, 1]) {
      lab.sleep(ms);
      causes.push((await lab.claim()).cause?.code);
    }
    expect(causes).toEqual(['offered', 'offered', 'offered']);
    await lab.sweep();
    expect(lab.rows('leases')).toMatchObject([{ end: 'not_taken_up' }]);
    expect(lab.rows('ledger').at(-1)).toMatchObject({
      kind: 'command.requeued',
      fence: '1',
      source: { role: 'sweeper' },
      body: { after: 'offer' },
    });
    expect((await lab.builder('builder-b').offer()).offer.fence).toBe('2');
  });

  it('freshness, of the claim and of the serving revision', async () => {
    const lab = newLab();
    await running(lab);
    const claims = [];
    for (const ms of [14_999, 1, 1]) {
      lab.sleep(ms);
      const { state, serving } = await lab.claim();
      claims.push([state, serving?.revision ?? null]);
    }
    expect(claims).toEqual([
      ['running', 1],
      ['unknown', null],
      ['unknown', null],
    ]);
  });

  it('the stability window: by the asOf of a report, and by no clock', async () => {
    for (const [ms, watchAgeMs, expected] of [
      [2_999, 0, 'starting'],
      [3_000, 0, 'running'],
      [3_001, 0, 'running'],
      [3_500, 501, 'starting'],
      [3_500, 500, 'running'],
    ] as const) {
      const lab = newLab();
      const agent = await starting(lab);
      await agent.sees([instance('u1')]);
      await lab.tick(ms);
      expect((await lab.claim()).state).toBe('starting');
      await agent.heartbeat({ watchAgeMs });
      expect((await lab.claim()).state, `${ms} less ${watchAgeMs}`).toBe(expected);
    }
  });
});

describe('blind time is excluded exactly', () => {
  it.each([
    ['none', [], 110],
    ['before', [{ from: 0, to: 10 }], 110],
    ['inside', [{ from: 20, to: 30 }], 120],
    ['touching the start', [{ from: 5, to: 15 }], 115],
    ['touching the end', [{ from: 110, to: 120 }], 110],
    ['just before the end', [{ from: 109, to: 120 }], 121],
    [
      'twice over',
      [
        { from: 20, to: 40 },
        { from: 30, to: 50 },
      ],
      140,
    ],
  ])('%s', (_name, blind, expected) => {
    expect(instantAfter(10, 100, blind)).toBe(expected);
  });
});
