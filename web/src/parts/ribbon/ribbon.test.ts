import { describe, expect, it } from 'vitest';
import type { RibbonView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import { goneOn } from './gone-on.ts';
import { heldState, heldWhenRead } from './holding.ts';
import { ownWindow, ribbonLayout } from './ribbon-layout.ts';
import { ribbonSentence } from './ribbon-sentence.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TO = Date.parse('2026-11-17T12:00:00Z');
const at = (hours: number) => new Date(TO - hours * HOUR).toISOString();
const ribbon = (
  stretches: readonly (readonly [State, number, number])[],
  ticks: RibbonView['ticks'] = [],
): Pick<RibbonView, 'to' | 'stretches' | 'ticks'> => ({
  to: at(0),
  stretches: stretches.map(([state, from, to]) => ({ state, from: at(from), to: at(to) })),
  ticks,
});

describe('the layout of a ribbon', () => {
  it('places each stretch by its time, and draws nothing before a service existed', () => {
    const { bands } = ribbonLayout(
      ribbon([
        ['running', 12, 6],
        ['unknown', 6, 0],
      ]),
      DAY,
    );
    expect(bands).toEqual([
      { form: 'running', from: 50, width: 25 },
      { form: 'unknown', from: 75, width: 25 },
    ]);
    expect(ribbonLayout(ribbon([['running', 12, 0]]), DAY).empty, 'the track before it is empty').toBe(50);
    expect(ribbonLayout(ribbon([]), DAY).empty).toBe(100);
  });

  it('cuts what began before the window, and leaves out what ended before it', () => {
    const { bands } = ribbonLayout(
      ribbon([
        ['failed', 40, 30],
        ['running', 30, 0],
      ]),
      DAY,
    );
    expect(bands).toEqual([{ form: 'running', from: 0, width: 100 }]);
  });

  it('draws neighbours of one form as one band', () => {
    const { bands } = ribbonLayout(
      ribbon([
        ['accepted', 12, 9],
        ['building', 9, 6],
        ['starting', 6, 3],
        ['running', 3, 0],
      ]),
      DAY,
    );
    expect(bands.map(({ form }) => form)).toEqual(['progress', 'running']);
    expect(bands[0]).toMatchObject({ from: 50, width: 37.5 });
  });

  it('tells a deploy from a restart and from an exit, and leaves out ticks before the window', () => {
    const { ticks } = ribbonLayout(
      ribbon(
        [],
        [
          { at: at(30), revision: 1, attempt: 1, kind: 'deploy' },
          { at: at(12), revision: 2, attempt: 1, kind: 'rollback' },
          { at: at(6), revision: 3, attempt: 1, kind: 'restart' },
          { at: at(3), revision: 3, attempt: 1, kind: 'exit' },
        ],
      ),
      DAY,
    );
    expect(ticks).toEqual([
      { at: 50, kind: 'deploy' },
      { at: 75, kind: 'again' },
      { at: 87.5, kind: 'exit' },
    ]);
  });
});

it('draws exits that are too close for a row as one, and every deploy', () => {
  const tick = (hours: number, kind: 'exit' | 'deploy') =>
    ({ at: at(hours), revision: 1, attempt: 1, kind }) as const;
  const loop = ribbon([], [tick(12, 'exit'), tick(11.9, 'exit'), tick(11.8, 'deploy'), tick(6, 'exit')]);
  expect(ribbonLayout(loop, DAY, 15).ticks.map(({ kind }) => kind)).toEqual(['exit', 'deploy', 'exit']);
  expect(ribbonLayout(loop, DAY).ticks).toHaveLength(4);
});

it('a young service has an axis of its own, as long as its life and no shorter than a minute', () => {
  expect(ownWindow(ribbon([['running', 2, 0]]))).toEqual({ begin: at(2), windowMs: 2 * HOUR });
  expect(ownWindow(ribbon([['building', 1 / 720, 0]]))).toMatchObject({ windowMs: 60_000 });
  expect(ownWindow(ribbon([['running', 7, 0]])), 'a quarter of the day is seen').toBe(null);
  expect(ownWindow(ribbon([]))).toBe(null);
});

describe('a ribbon in words', () => {
  it('says how much is known, how much of it ran, and how long it is not known', () => {
    expect(ribbonSentence({ ms: { running: DAY - 11 * 60_000, unknown: 11 * 60_000 }, ticks: [] })).toBe(
      'known 99.2\u00a0% of the time; running 99.2\u00a0%, not known for 11 min',
    );
    expect(ribbonSentence({ ms: { running: 30 * 60_000, failed: 70 * 60_000 }, ticks: [] })).toBe(
      'running 30.0\u00a0%, failed for 1 h',
    );
  });

  it('says of a young service for how long it ran, and no part of so little time', () => {
    expect(ribbonSentence({ ms: { running: 72_000, failed: 57_000, unknown: 10_000 }, ticks: [] })).toBe(
      'running for 1 min, not known for 10 s, failed for 57 s',
    );
  });

  it('counts deploys, restarts and exits apart', () => {
    const tick = (kind: RibbonView['ticks'][number]['kind']) => ({
      at: at(1),
      revision: 1,
      attempt: 1,
      kind,
    });
    const ticks = [tick('deploy'), tick('restart'), tick('exit'), tick('exit')];
    expect(ribbonSentence({ ms: { running: DAY }, ticks })).toMatch(
      /1 deploy, 1 restart or scaling, 2 exits$/,
    );
  });

  it('never rounds up to all of it, and lists no state of less than a second', () => {
    expect(ribbonSentence({ ms: { running: DAY, unknown: 1, failed: 900 }, ticks: [] })).toBe(
      'known 99.9\u00a0% of the time; running 99.9\u00a0%',
    );
    expect(ribbonSentence({ ms: { running: DAY }, ticks: [] })).toBe('running 100\u00a0%');
    expect(ribbonSentence({ ms: { accepted: 4 }, ticks: [] })).toBe('nothing ran yet');
  });
});

describe('a ribbon a while after it was read', () => {
  const read: RibbonView = {
    ...ribbon([
      ['running', 3, 1],
      ['failed', 1, 0],
    ]),
    ref: 'web@lab',
    from: at(24),
    ms: { running: 2 * HOUR, failed: HOUR },
    holding: null,
  };
  const later = (state: State, since: number, now: number) => goneOn(read, { state, since }, now);
  const places = (one: RibbonView) =>
    one.stretches.map((piece) => [
      piece.state,
      (Date.parse(piece.from) - TO) / 1_000,
      (Date.parse(piece.to) - TO) / 1_000,
    ]);

  it('goes on in the state that it ended with', () => {
    const one = later('failed', TO - HOUR, TO + 32_000);
    expect(one.ms).toEqual({ running: 2 * HOUR, failed: HOUR + 32_000 });
    expect(places(one)).toEqual([
      ['running', -10_800, -3_600],
      ['failed', -3_600, 32],
    ]);
    expect(ribbonLayout(one, DAY).bands.at(-1)).toMatchObject({ form: 'failed' });
  });

  it('goes on until another state began, and then in that', () => {
    const one = later('running', TO + 10_000, TO + 30_000);
    expect(places(one).slice(1)).toEqual([
      ['failed', -3_600, 10],
      ['running', 10, 30],
    ]);
    expect(one.ms).toEqual({ running: 2 * HOUR + 20_000, failed: HOUR + 10_000 });
  });

  it('is not known since the last sight, at its place, also where the server still vouched for it', () => {
    const one = later('unknown', TO - 15_000, TO + HOUR);
    expect(places(one).slice(1)).toEqual([
      ['failed', -3_600, -15],
      ['unknown', -15, 3_600],
    ]);
    expect(ribbonSentence(one)).toContain('not known for 1 h');
    expect(one.ms.failed).toBe(HOUR - 15_000);
    const { bands } = ribbonLayout(one, 4 * HOUR);
    expect(bands.map(({ form }) => form)).toEqual(['running', 'failed', 'unknown']);
    expect(bands.at(-1)?.from).toBeCloseTo(75 - (15 / 14_400) * 100, 3);
    expect((bands.at(-1)?.from ?? 0) + (bands.at(-1)?.width ?? 0)).toBeCloseTo(100, 6);
  });

  it('leaves out what its window has left behind, and never counts more than the window', () => {
    const one = later('unknown', TO, TO + 23 * HOUR);
    expect(places(one)).toEqual([
      ['failed', -3_600, 0],
      ['unknown', 0, 23 * 3_600],
    ]);
    expect(one.ms).toEqual({ running: 0, failed: HOUR, unknown: 23 * HOUR });
  });
});

it('a silence that is over interrupts a state and begins no new one, where the ribbon is of that state', () => {
  const silent = ribbon([
    ['running', 10, 3],
    ['unknown', 3, 2],
    ['running', 2, 0],
  ]);
  const read = { ...silent, holding: { since: at(10), unknownMs: HOUR } };
  const held = (state: State, since: number) => heldState(read, { state, since: at(since) });
  expect(held('running', 2)).toEqual({ since: TO - 10 * HOUR, unknownMs: HOUR });
  expect(held('failed', 2), 'it was read before it failed').toBe(null);
  expect(held('running', -1), 'it was read before it ran again').toBe(null);
  expect(held('running', 10), 'nothing interrupted it').toBe(null);
});

it('the list was read with it, and says so as long as the state is the one of then', () => {
  const claim = { state: 'running' as const, since: at(2) };
  const item = { claim: claim as Claim, holding: { since: at(10), unknownMs: HOUR } };
  expect(heldWhenRead(item, claim)).toEqual({ since: TO - 10 * HOUR, unknownMs: HOUR });
  expect(heldWhenRead(item, { ...claim, since: at(1) })).toBe(null);
  expect(heldWhenRead(item, { ...claim, state: 'failed' })).toBe(null);
  expect(heldWhenRead({ ...item, holding: null }, claim)).toBe(null);
});
