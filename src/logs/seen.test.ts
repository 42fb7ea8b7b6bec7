import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Seen } from './seen.ts';

test('each number is new once, in whatever order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40)), (numbers) => {
      const [seen, model] = [new Seen(), new Set<number>()];
      for (const number of numbers) {
        expect(seen.add(number)).toBe(!model.has(number));
        model.add(number);
      }
    }),
  );
});

test('with a bound on the gaps, the oldest count as seen: a repetition is never taken for new', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(60)), (numbers) => {
      const [seen, taken] = [new Seen(3), new Set<number>()];
      for (const number of numbers) {
        if (!seen.add(number)) continue;
        expect(taken.has(number)).toBe(false);
        taken.add(number);
      }
    }),
  );
});
