import { expect, it } from 'vitest';
import type { ToldEvent } from '../contract/webhook.ts';
import type { WebhookRow } from '../store/schema.ts';
import { judgeIncidents, type NotKnown } from './incidents.ts';

const GRACE = 60_000;
const WISHES = { events: ['unknown', 'recovered'], graceMs: GRACE } as const;
const silent = (overdue: number, services = overdue): NotKnown => ({
  ...{ target: 'edge', overdue, services, since: 1_000 },
  ...{ named: ['web@edge'], why: 'edge has been silent for 2 min' },
});

/** Plays looks at the services of one target, each at an instant, and gives what was told. */
function play(looks: readonly (readonly [at: number, look: NotKnown | null])[]): readonly ToldEvent[] {
  const told: ToldEvent[] = [];
  let incidents: WebhookRow['incidents'] = {};
  for (const [at, look] of looks) {
    const turn = judgeIncidents({ ...WISHES, incidents }, look === null ? [] : [look], at);
    incidents = turn.incidents;
    told.push(...turn.told);
  }
  return told;
}

it('tells a target once for all of its services, after the grace', () => {
  const told = play([
    [10_000, silent(0, 14)],
    [61_000, silent(14)],
    [62_000, silent(14)],
    [90_000, silent(15)],
  ]);
  expect(told).toMatchObject([{ event: 'unknown', target: 'edge', services: 14, named: ['web@edge'] }]);
});

it('tells the end once all have been known for the grace, with when it began and ended', () => {
  const told = play([
    [61_000, silent(14)],
    [70_000, silent(15)],
    [80_000, null],
    [139_999, null],
    [140_000, null],
    [150_000, null],
  ]);
  expect(told.slice(1)).toEqual([
    {
      ...{ event: 'recovered', at: '1970-01-01T00:02:20.000Z', target: 'edge', services: 15 },
      ...{ since: '1970-01-01T00:00:01.000Z', until: '1970-01-01T00:01:20.000Z' },
    },
  ]);
});

it('is silent about what flaps: one message, and one when it has ended', () => {
  const flapping = Array.from(
    { length: 200 },
    (_, i) => [61_000 + i * 5_000, i % 2 === 0 ? silent(1) : null] as const,
  );
  const last = flapping.at(-1)?.[0] ?? 0;
  const told = play([...flapping, [last + GRACE, null]]);
  expect(told.map(({ event }) => event)).toEqual(['unknown', 'recovered']);
});

it('opens an incident unseen where only its end is asked for', () => {
  const wishes = { events: ['recovered'], graceMs: 0 } as const;
  const { incidents, told } = judgeIncidents({ ...wishes, incidents: {} }, [silent(1)], 5_000);
  expect(told).toEqual([]);
  expect(judgeIncidents({ ...wishes, incidents }, [], 6_000).told).toMatchObject([{ event: 'recovered' }]);
});
