import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SequenceNumbers } from './sequence-numbers.ts';

test('each number is new once, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40)), (numbers) => {
      const [received, model] = [new SequenceNumbers(), new Set<number>()];
      for (const number of numbers) {
        expect(received.add(number)).toBe(!model.has(number));
        model.add(number);
      }
    }),
  );
});

test('with a bound on the gaps, the oldest count as received: a repetition is never new', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(60)), (numbers) => {
      const [received, taken] = [new SequenceNumbers(3), new Set<number>()];
      for (const number of numbers) {
        if (!received.add(number)) continue;
        expect(taken.has(number)).toBe(false);
        taken.add(number);
      }
    }),
  );
});
