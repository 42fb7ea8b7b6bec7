import { describe, expect, it } from 'vitest';
import { type InstanceLife, lifeOf, observedAtOf, readinessOf, recordOf } from './instance-state.ts';
import { type InstanceEvent, transition } from './instance-transition.ts';
import type { InstanceRecord } from './record.ts';
import { TIMING } from './timing.ts';

type Process = { readonly pid: number };
type Life = InstanceLife<Process>;
type Event = InstanceEvent<Process>;

const P1 = { pid: 1 };
const P2 = { pid: 2 };
const NOW = '2026-01-01T00:01:00.000Z';
const STARTED = '2026-01-01T00:00:00.000Z';
/** An answer counts for this long. */
const COUNTS_MS = 7_000;
const CRASH = { kind: 'exited', code: 3 } as const;

const RECORD: InstanceRecord<Process> = {
  uid: 'u1',
  name: 'web-1',
  stamp: { revision: 1, attempt: 1, fence: '1' },
  artifact: 'sha256:a',
  ordinal: 1,
  port: null,
  process: null,
  startedAt: null,
  restarts: 0,
  shortLives: 0,
  lastExit: null,
  retiring: false,
};

/** Runs the events in order; returns the last life and the effects of the last event. */
function follow(from: Partial<InstanceRecord<Process>> | Life, ...events: readonly Event[]) {
  let life = 'state' in from ? from : lifeOf({ ...RECORD, ...from });
  let effects: readonly string[] = [];
  for (const event of events) {
    const step = transition(life, event, TIMING);
    life = step.life;
    effects = step.effects.map(({ kind }) => kind);
  }
  return { life, effects, record: recordOf(life), state: life.state };
}

const started = (process: Process, at = 1_000, isWatched = true): Event => ({
  kind: 'started',
  process,
  isWatched,
  at,
  now: STARTED,
});
const adopted = (found: Extract<Event, { kind: 'adopted' }>['found'], at = 100_000): Event => ({
  kind: 'adopted',
  found,
  at,
  now: NOW,
});
const ready = (process: Process, at = 2_000): Event => ({
  kind: 'probed',
  process,
  result: { kind: 'ready', address: '127.0.0.1', by: 'request' },
  at,
  awakeAt: at,
  countsMs: COUNTS_MS,
});
const failed = (process: Process, at: number): Event => ({
  kind: 'probed',
  process,
  result: { kind: 'failed', message: 'answered 503', status: 503 },
  at,
  awakeAt: at,
  countsMs: COUNTS_MS,
});
const silent = (process: Process, at: number): Event => ({
  kind: 'probed',
  process,
  result: { kind: 'not_answering', message: 'late' },
  at,
  awakeAt: at,
  countsMs: COUNTS_MS,
});
const START = [{ kind: 'began' }, { kind: 'port_chosen', port: 20_001 }, { kind: 'prepared' }] as const;

describe('a start', () => {
  it('is launched, and runs with its port and process recorded', () => {
    expect(follow({}, { kind: 'began' }).effects).toEqual(['launch']);
    const { effects, record } = follow({}, ...START, started(P1));
    expect(effects).toEqual(['probe', 'changed', 'save', 'expect_long_life']);
    expect(record).toEqual({ ...RECORD, port: 20_001, process: P1, startedAt: STARTED });
  });

  it('that fails is tried again after a pause, and counts as a short life', () => {
    const { state, record, effects } = follow({}, ...START, { kind: 'start_failed', message: 'ENOENT' });
    expect(state.kind).toBe('waiting');
    expect(record).toMatchObject({ shortLives: 1, lastExit: { kind: 'not_started', message: 'ENOENT' } });
    expect(effects).toEqual(['changed', 'save', 'pause']);
  });

  it('that is stopped meanwhile starts nothing, or ends what it started', () => {
    const stopped = follow({}, ...START, { kind: 'stop' });
    expect(stopped.record).toMatchObject({ process: null, retiring: true });
    expect(follow(stopped.life, { kind: 'drained' }).state.kind).toBe('abandoned');
    expect(follow(stopped.life, { kind: 'start_dropped' })).toMatchObject({
      state: { kind: 'gone' },
      effects: ['gone'],
    });
    expect(follow(stopped.life, { kind: 'start_failed', message: 'x' }).state.kind).toBe('gone');
    const late = follow(stopped.life, started(P1));
    expect(late.effects).toEqual(['changed', 'save', 'terminate']);
    expect(late.record).toMatchObject({ process: P1, retiring: true });
  });
});

describe('a running instance', () => {
  const running = follow({}, ...START, started(P1)).life;

  it('is ready by its probe, and one bad answer is no outage', () => {
    const up = follow(running, ready(P1));
    expect(up.effects).toEqual(['expect_answer', 'changed']);
    expect(follow(up.life, ready(P1, 3_000)).effects).toEqual(['expect_answer']);
    const bad = follow(up.life, failed(P1, 3_000));
    expect(readinessOf(bad.state).kind).toBe('ready');
    expect(readinessOf(follow(bad.life, failed(P1, 4_000)).state).kind).toBe('failed');
  });

  it('counts as ready for as long as its last answer counts, and then needs a fresh one (F115)', () => {
    const up = follow(running, ready(P1, 2_000));
    const slow = follow(up.life, silent(P1, 2_000 + COUNTS_MS - 1));
    expect(readinessOf(slow.state).kind).toBe('ready');
    expect(slow.effects).toEqual([]);
    const hung = follow(slow.life, silent(P1, 2_000 + COUNTS_MS));
    expect(readinessOf(hung.state)).toEqual({ kind: 'not_answering', message: 'late' });
    expect(hung.effects).toEqual(['changed']);
    const still = follow(hung.life, silent(P1, 60_000));
    expect(still.effects).toEqual([]);
    expect(readinessOf(follow(still.life, ready(P1, 61_000)).state).kind).toBe('ready');
  });

  it('that cannot be probed keeps its condition, which grows old (F122)', () => {
    const up = follow(running, ready(P1), { kind: 'observed', process: P1, isAlive: true, at: 90_000 });
    const blind = (at: number): Event => ({
      kind: 'probed',
      process: P1,
      result: { kind: 'unobserved' },
      at,
      awakeAt: at,
      countsMs: COUNTS_MS,
    });
    const unseen = follow(up.life, blind(40_000), blind(80_000));
    expect(readinessOf(unseen.state).kind).toBe('ready');
    expect(observedAtOf(unseen.state)).toBe(40_000);
    expect(observedAtOf(follow(unseen.life, ready(P1, 90_000)).state)).toBe(90_000);
  });

  it('that hangs up on HTTP is believed to speak another protocol when it did so again and again', () => {
    const hungUp = (at: number): Event => ({
      kind: 'probed',
      process: P1,
      result: { kind: 'other_protocol', address: '127.0.0.1', hungUp: true },
      at,
      awakeAt: at,
      countsMs: COUNTS_MS,
    });
    const twice = follow(running, hungUp(2_000), hungUp(2_100));
    expect(readinessOf(twice.state).kind).toBe('starting');
    expect(readinessOf(follow(twice.life, hungUp(2_200)).state)).toMatchObject({
      kind: 'ready',
      by: 'connect',
    });
    const spoke = follow(running, ready(P1, 2_000), hungUp(30_000));
    expect(readinessOf(spoke.state).kind).toBe('not_answering');
  });

  it('is not listening only after its first moment', () => {
    const deaf = (at: number): Event => ({
      kind: 'probed',
      process: P1,
      result: { kind: 'not_listening', listens: [] },
      at,
      awakeAt: at,
      countsMs: COUNTS_MS,
    });
    expect(readinessOf(follow(running, deaf(1_500)).state).kind).toBe('starting');
    expect(readinessOf(follow(running, deaf(2_001)).state).kind).toBe('not_listening');
  });

  it('listens elsewhere once its other ports have stayed the same for a while', () => {
    const elsewhere = (at: number, ...listens: readonly number[]): Event => ({
      kind: 'probed',
      process: P1,
      result: { kind: 'not_listening', listens },
      at,
      awakeAt: at,
      countsMs: COUNTS_MS,
    });
    const listensOf = (...events: readonly Event[]) => {
      const readiness = readinessOf(follow(running, ...events).state);
      return readiness.kind === 'not_listening' ? readiness.listens : readiness.kind;
    };
    expect(listensOf(elsewhere(5_000, 9_229))).toEqual([]);
    expect(listensOf(elsewhere(5_000, 9_229), elsewhere(7_000, 9_229))).toEqual([9_229]);
    // A port more is watched anew, and so is the same one after it was gone.
    const two = [elsewhere(5_000, 9_229), elsewhere(6_500, 3_999, 9_229), elsewhere(7_000, 3_999, 9_229)];
    expect(listensOf(...two)).toEqual([]);
    expect(listensOf(...two, elsewhere(8_500, 3_999, 9_229))).toEqual([3_999, 9_229]);
    expect(listensOf(elsewhere(5_000, 9_229), elsewhere(6_000), elsewhere(7_000, 9_229))).toEqual([]);
    expect(listensOf(elsewhere(5_000, 9_229), elsewhere(7_000, 9_229), ready(P1, 7_100))).toBe('ready');
  });

  it('rests on the observation that it is alive, for an answer counts for its time', () => {
    const up = follow(running, ready(P1), { kind: 'observed', process: P1, isAlive: true, at: 5_000 });
    expect(observedAtOf(up.state)).toBe(5_000);
    const ended = follow(up.life, { kind: 'ended', process: P1, exit: CRASH, at: 6_000 });
    expect(observedAtOf(ended.state)).toBeNull();
  });

  it('that ends is started again: leftovers end first, pauses grow, restarts count', () => {
    const ended = follow(running, { kind: 'ended', process: P1, exit: CRASH, at: 2_000 });
    expect(ended.effects).toEqual(['end_leftovers', 'changed', 'save', 'pause']);
    expect(ended.record).toMatchObject({ process: null, lastExit: CRASH, shortLives: 1, restarts: 0 });
    const again = follow(
      ended.life,
      { kind: 'pause_over' },
      { kind: 'port_chosen', port: 20_001 },
      { kind: 'prepared' },
    );
    expect(again.record.restarts).toBe(1);
    const { life } = follow(again.life, started(P2, 3_000));
    const step = transition(life, { kind: 'ended', process: P2, exit: CRASH, at: 4_000 }, TIMING);
    expect(step.effects).toContainEqual({ kind: 'pause', ms: 2 * TIMING.restartBaseMs });
  });

  it('that ran long begins the count of short lives again', () => {
    const looping = follow({ shortLives: 4, lastExit: CRASH, startedAt: STARTED }, ...START, started(P1));
    const at = 1_000 + TIMING.longLifeMs;
    expect(follow(looping.life, { kind: 'ended', process: P1, exit: CRASH, at }).record.shortLives).toBe(1);
    expect(follow(looping.life, { kind: 'lived_long', process: P1 })).toMatchObject({
      record: { shortLives: 0 },
      effects: ['save'],
    });
  });

  it('is ended by an observation only if its end is not reported', () => {
    const missing: Event = { kind: 'observed', process: P1, isAlive: false, at: 2_000 };
    expect(follow(running, missing).state.kind).toBe('running');
    const polled = follow({}, ...START, started(P1, 1_000, false), missing);
    expect(polled.record.lastExit).toEqual({ kind: 'unwatched' });
  });

  it('ignores late events of an earlier process', () => {
    const second = follow(
      running,
      { kind: 'ended', process: P1, exit: CRASH, at: 2_000 },
      { kind: 'pause_over' },
      { kind: 'prepared' },
      started(P2, 3_000),
    );
    for (const late of [
      ready(P1),
      { kind: 'ended', process: P1, exit: CRASH, at: 4_000 },
      { kind: 'observed', process: P1, isAlive: false, at: 4_000 },
      { kind: 'lived_long', process: P1 },
      { kind: 'pause_over' },
    ] satisfies Event[])
      expect(transition(second.life, late, TIMING)).toEqual({ life: second.life, effects: [] });
  });
});

describe('a stop', () => {
  const ready1 = follow({}, ...START, started(P1), ready(P1)).life;

  it('drains, signals the process, and is gone with its leftovers', () => {
    const draining = follow(ready1, { kind: 'stop' });
    expect(draining.record).toMatchObject({ process: P1, retiring: true });
    expect(readinessOf(draining.state).kind).toBe('starting');
    const ending = follow(draining.life, { kind: 'drained' });
    expect(ending.effects).toEqual(['terminate']);
    const ended: Event = { kind: 'ended', process: P1, exit: CRASH, at: 9_000 };
    for (const { life } of [draining, ending])
      expect(follow(life, ended)).toMatchObject({
        state: { kind: 'gone' },
        effects: ['end_leftovers', 'gone'],
      });
  });

  it('of an instance that does not run ends when its requests are cut, and starts nothing', () => {
    const waiting = follow(ready1, { kind: 'ended', process: P1, exit: CRASH, at: 2_000 });
    const draining = follow(waiting.life, { kind: 'stop' });
    expect(follow(draining.life, { kind: 'pause_over' }).effects).toEqual([]);
    expect(follow(draining.life, { kind: 'drained' }).effects).toEqual(['gone']);
  });

  it('is final', () => {
    const gone = follow(
      ready1,
      { kind: 'stop' },
      { kind: 'drained' },
      {
        kind: 'ended',
        process: P1,
        exit: CRASH,
        at: 9_000,
      },
    );
    for (const event of [{ kind: 'drained' }, { kind: 'pause_over' }, { kind: 'stop' }] as const)
      expect(transition(gone.life, event, TIMING)).toEqual({ life: gone.life, effects: [] });
  });
});

describe('an adoption', () => {
  const recorded = { process: P1, startedAt: STARTED, port: 20_001 };

  it('continues a running process, with its age, and probes it', () => {
    const { state, effects, record } = follow(recorded, adopted({ process: P1, isWatched: false }));
    expect(state).toMatchObject({ kind: 'running', upAt: 40_000, aliveAt: 100_000 });
    expect(effects).toEqual(['probe']);
    expect(record).toEqual({ ...RECORD, ...recorded });
  });

  it('continues a process that was started and never recorded', () => {
    expect(follow({}, adopted({ process: P1, isWatched: false })).record).toMatchObject({
      process: P1,
      startedAt: NOW,
    });
  });

  it('restarts a process that ended meanwhile: at once if it never ran, after a pause if it had ended before', () => {
    const ended = follow(recorded, adopted({ kind: 'rebooted' }));
    expect(ended.record).toMatchObject({ process: null, lastExit: { kind: 'rebooted' } });
    expect(ended.effects).toEqual(['end_leftovers', 'changed', 'save', 'pause']);
    expect(follow({}, adopted(null)).effects).toEqual(['end_leftovers', 'launch']);
    expect(follow({ lastExit: CRASH, startedAt: STARTED }, adopted(null)).effects).toEqual([
      'end_leftovers',
      'pause',
    ]);
  });

  it('completes a stop that was begun, and keeps the recorded state until it is observed', () => {
    const retiring = { ...recorded, retiring: true };
    expect(recordOf(lifeOf({ ...RECORD, ...retiring }))).toEqual({ ...RECORD, ...retiring });
    expect(follow(retiring, adopted({ process: P1, isWatched: false })).effects).toEqual(['terminate']);
    expect(follow(retiring, adopted({ kind: 'unwatched' })).effects).toEqual(['end_leftovers', 'gone']);
    expect(follow({ retiring: true }, adopted(null)).effects).toEqual(['end_leftovers', 'gone']);
    expect(follow(recorded, { kind: 'stop' }, adopted({ process: P1, isWatched: false })).effects).toEqual([
      'terminate',
    ]);
  });
});

it('a release leaves record and readiness unchanged, and no later event changes them', () => {
  const before = follow({}, ...START, started(P1), ready(P1));
  const released = follow(before.life, { kind: 'release' });
  expect(released.record).toEqual(before.record);
  expect(readinessOf(released.state)).toEqual(readinessOf(before.state));
  const ended: Event = { kind: 'ended', process: P1, exit: CRASH, at: 9_000 };
  expect(transition(released.life, ended, TIMING)).toEqual({ life: released.life, effects: [] });
});
