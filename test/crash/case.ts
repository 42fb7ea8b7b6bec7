import assert from 'node:assert/strict';
import { Platform } from '../verbs/driver.ts';
import { answerOf, type Control, checkLaws, everything, momentOf } from './control.ts';
import { finishDeployment } from './finish-deployment.ts';
import type { Point } from './kill-points.ts';
import { openStore, type StoreLocation } from './open-store.ts';
import { EXPECTED, type Found } from './results.ts';
import type { StartChild } from './spawn.ts';
import type { Step } from './steps.ts';

/**
 * Starts a process that takes the step and is killed at the point. Then opens the store again, repeats the call as its
 * caller would, and finishes the deployment. At every moment the store holds what the control run holds, and at the end
 * the same rows, byte for byte: nothing is lost, nothing is done twice, nothing is claimed too early.
 */
export async function crash(
  start: StartChild,
  step: Step,
  point: Point,
  at: StoreLocation,
  control: Control,
): Promise<Found> {
  const { now } = control;
  const printed: unknown[] = [];
  const child = start({ do: 'step', step: step.name, point, at, now }, (line) => printed.push(line));
  const { signal, errors } = await child.ended;
  assert.equal(signal, 'SIGKILL', `the child did not reach the kill point: ${errors}`);
  assert.deepEqual(
    printed,
    point === 'answered' ? [control.answer] : [],
    'the answer that the caller received',
  );

  const clock = { now };
  const store = await openStore(at, () => clock.now);
  try {
    const lab = new Platform(store, clock);
    await checkLaws(lab);
    const found = await findStep(lab, point, control);
    const again = await answerOf(step, lab);
    assert.deepEqual(again, found === 'done' ? control.again : control.answer);
    assert.equal((await momentOf(lab)).claim?.state, control.answered.claim?.state);
    await checkLaws(lab);
    // The rows equal those before the step or those after it. Finishing the deployment once from each is enough.
    if (point !== 'unsent' && point !== 'sent' && point !== 'committed') return found;
    await finishDeployment(lab, step.ends ?? 'running');
    await checkLaws(lab);
    assert.equal(await everything(lab), found === 'done' ? control.twice : control.once);
    return found;
  } finally {
    await store.close();
  }
}

/** Checks that the store holds all of the step or nothing of it. Only after an unanswered COMMIT are both right (F03). */
async function findStep(lab: Platform, point: Point, control: Control): Promise<Found> {
  const moment = await momentOf(lab);
  const found = moment.rows === control.begun.rows ? 'nothing' : 'done';
  const done = point === 'answered' ? control.answered : control.stepped;
  assert.deepEqual(moment, found === 'done' ? done : control.begun);
  const expected = EXPECTED[point];
  if (expected !== 'either') assert.equal(found, expected);
  return found;
}
