import { describe, expect, it } from 'vitest';
import { runSchedule } from './schedule.ts';
import { shrink, traceOf } from './trace.ts';

describe('a schedule', () => {
  it('is decided by its seed, to the last step', async () => {
    const [a, b] = [await traceOf(11, 200), await traceOf(11, 200)];
    expect(a).toEqual(b);
    expect(a.length).toBeGreaterThan(200);
  });

  it('differs from seed to seed', async () => {
    const [a, b] = [await traceOf(11, 100), await traceOf(12, 100)];
    expect(a).not.toEqual(b);
  });

  it('has fewer faults when they are switched off', async () => {
    const all = await runSchedule(5, { steps: 300 });
    const calm = await runSchedule(5, {
      steps: 300,
      without: ['lose', 'duplicate', 'crash', 'unknownCommit'],
    });
    expect(all.violation).toBeNull();
    expect(calm.violation).toBeNull();
    expect(calm.faults['request lost'] + calm.faults['crash before a statement']).toBe(0);
  });

  it('without a violation cannot be shrunk to one', async () => {
    expect(await shrink(3, 60, 'S1')).toEqual([]);
  });
});
