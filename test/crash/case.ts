import assert from 'node:assert/strict';
import { Platform } from '../verbs/driver.ts';
import { answerOf, type Control, checkLaws, everything, momentOf } from './control.ts';
import type { Point } from './doom.ts';
import { goOn } from './go-on.ts';
import { openAt, type Place } from './place.ts';
import type { StartChild } from './spawn.ts';
import type { Step } from './steps.ts';
import { EXPECTED, type Found } from './table.ts';

/**
 * One process takes the step and dies at the point; then the store is opened again, the call is repeated as its
 * caller would, and the story goes on to its end. At every moment the store says what a run without a crash says,
 * and in the end it holds the same rows, byte for byte: nothing lost, nothing done twice, nothing claimed too early.
 */
export async function crash(
  start: StartChild,
  step: Step,
  point: Point,
  at: Place,
  control: Control,
): Promise<Found> {
  const { now } = control;
  const said: unknown[] = [];
  const child = start({ do: 'step', step: step.name, point, at, now }, (line) => said.push(line));
  const { signal, errors } = await child.ended;
  assert.equal(signal, 'SIGKILL', `it never came to the point: ${errors}`);
  assert.deepEqual(said, point === 'answered' ? [control.answer] : [], 'what the caller was told');

  const clock = { now };
  const store = await openAt(at, () => clock.now);
  try {
    const lab = new Platform(store, clock);
    await checkLaws(lab);
    const found = await whatIsThere(lab, point, control);
    const again = await answerOf(step, lab);
    assert.deepEqual(again, found === 'done' ? control.again : control.answer);
    assert.equal((await momentOf(lab)).claim?.state, control.answered.claim?.state);
    await checkLaws(lab);
    // The rows of a restart were those of one of two moments: it is enough to go on from each once.
    if (point !== 'unsent' && point !== 'sent' && point !== 'committed') return found;
    await goOn(lab, step.ends ?? 'running');
    await checkLaws(lab);
    assert.equal(await everything(lab), found === 'done' ? control.twice : control.once);
    return found;
  } finally {
    await store.close();
  }
}

/** All of the step or nothing of it. Only where the answer to COMMIT was never seen may it be either (F03). */
async function whatIsThere(lab: Platform, point: Point, control: Control): Promise<Found> {
  const moment = await momentOf(lab);
  const found = moment.rows === control.begun.rows ? 'nothing' : 'done';
  const done = point === 'answered' ? control.answered : control.stepped;
  assert.deepEqual(moment, found === 'done' ? done : control.begun);
  const expected = EXPECTED[point];
  if (expected !== 'either') assert.equal(found, expected);
  return found;
}
