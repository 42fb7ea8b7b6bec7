import { describe, expect, it } from 'vitest';
import { overdue } from './cron-schedule.ts';

const NOW = Date.parse('2026-11-17T12:00:00Z');
const dueOf = (schedule: string, from: string) => {
  const due = overdue(schedule, Date.parse(from), NOW);
  return due === null ? null : new Date(due).toISOString();
};

describe('the first time that a schedule was due', () => {
  it.each([
    ['* * * * *', '2020-01-01T00:00:00Z', '2020-01-01T00:01:00.000Z'],
    ['30 4 * * *', '2026-11-14T05:00:00Z', '2026-11-15T04:30:00.000Z'],
    ['0 0 1 1 *', '2025-06-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['0 9 * * mon-fri', '2026-11-14T00:00:00Z', '2026-11-16T09:00:00.000Z'],
    ['0 9 * * 7', '2026-11-10T00:00:00Z', '2026-11-15T09:00:00.000Z'],
    ['15,45 */6 * jan,nov *', '2026-11-10T00:20:00Z', '2026-11-10T00:45:00.000Z'],
    ['0 0 13 * 5', '2026-11-01T00:00:00Z', '2026-11-06T00:00:00.000Z'],
    ['@weekly', '2026-11-10T00:00:00Z', '2026-11-15T00:00:00.000Z'],
    ['0 0 29 2 *', '2023-01-01T00:00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('%s after %s', (schedule, from, due) => {
    expect(dueOf(schedule, from)).toBe(due);
  });

  it.each([
    ['has not come', '0 0 1 1 *', '2026-02-01T00:00:00Z'],
    ['may not have come, by its time zone', '0 6 * * *', '2026-11-17T00:00:00Z'],
    ['came only just now', '* * * * *', '2026-11-17T11:30:00Z'],
    ['never comes', '0 0 31 2 *', '2020-01-01T00:00:00Z'],
    ['is not understood', '@every 5m', '2020-01-01T00:00:00Z'],
    ['is no schedule', 'now and then * *', '2020-01-01T00:00:00Z'],
    ['is out of range', '61 * * * *', '2020-01-01T00:00:00Z'],
    ['has no step', '*/0 * * * *', '2020-01-01T00:00:00Z'],
  ])('is not said where it %s', (_, schedule, from) => {
    expect(dueOf(schedule, from)).toBe(null);
  });
});
