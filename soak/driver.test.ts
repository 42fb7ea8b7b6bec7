import { describe, expect, it } from 'vitest';
import { drive } from './driver.ts';
import type { FaultContext, SoakFault } from './faults/fault.ts';
import { SOAK_FAULTS } from './faults.ts';
import { SoakTally } from './tally.ts';

const MINUTE = 60_000;

/** Drives faults by a clock of its own; each needs `aroundMs` more than it lasts. */
async function driven(seed: number, ms: number, count: number, aroundMs: number) {
  let now = 0;
  const order: string[] = [];
  const lasted: number[] = [];
  const numbers: number[] = [];
  const wait = async (time: number) => {
    now += time;
  };
  const faults = Array.from(
    { length: count },
    (_, n): SoakFault => ({
      name: `fault ${n}`,
      unavailable: () => null,
      run: async ({ lastsMs, rng }) => {
        order.push(`fault ${n}`);
        lasted.push(lastsMs);
        numbers.push(rng.next());
        // The count of numbers that one takes must not matter to the next.
        for (let k = 0; k < aroundMs % 7; k++) rng.next();
        await wait(lastsMs + aroundMs);
      },
    }),
  );
  const surroundings = { wait } as FaultContext;
  const tally = new SoakTally();
  await drive({ faults, surroundings, seed, tally, leftMs: () => ms - now, show: () => {} });
  return { order, lasted, numbers };
}

describe('the order of faults', () => {
  it('is the seed’s alone, whatever time and numbers the faults take', async () => {
    const [slow, fast, other] = [
      await driven(7, 30 * MINUTE, 12, 5_003),
      await driven(7, 30 * MINUTE, 12, 4),
      await driven(8, 30 * MINUTE, 12, 4),
    ];
    const both = Math.min(slow.order.length, fast.order.length);
    expect(both).toBeGreaterThan(40);
    expect(fast.order.slice(0, both)).toEqual(slow.order.slice(0, both));
    expect(fast.numbers.slice(0, both)).toEqual(slow.numbers.slice(0, both));
    expect(other.order.slice(0, 12)).not.toEqual(fast.order.slice(0, 12));
  });

  it('lets every fault have its turn in ten minutes, and lets some last long in thirty', async () => {
    for (let seed = 0; seed < 50; seed++) {
      const { order } = await driven(seed, 9 * MINUTE, SOAK_FAULTS.length, 3_500);
      expect(new Set(order).size).toBe(SOAK_FAULTS.length);
    }
    const { lasted } = await driven(1, 30 * MINUTE, SOAK_FAULTS.length, 3_500);
    expect(Math.max(...lasted)).toBe(25_000);
  });
});
