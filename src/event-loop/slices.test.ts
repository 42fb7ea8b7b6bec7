import { expect, it } from 'vitest';
import { takingTurns } from './slices.ts';

it('callers that yield take turns one at a time, in order, and others run in between (F41)', async () => {
  const turn = takingTurns();
  const done: string[] = [];
  const work = async (name: string) => {
    for (let piece = 1; piece <= 3; piece++) {
      done.push(`${name}${piece}`);
      await turn();
    }
  };
  let others = 0;
  const beat = () => {
    others += 1;
    if (done.length < 9) setImmediate(beat);
  };
  setImmediate(beat);
  await Promise.all(['a', 'b', 'c'].map(work));
  expect(done).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', 'a3', 'b3', 'c3']);
  expect(others).toBeGreaterThanOrEqual(6);
});
