import { expect, it } from 'vitest';
import { titledState } from './words.ts';

it.each([
  ['accepted', 'Accepted', 'accepted'],
  ['waiting_for_worker', 'Waiting for a builder', 'waiting for worker'],
  ['waiting_for_worker', 'On its way to a builder', 'waiting for worker: On its way to a builder'],
  ['artifact_ready', 'Ready, the target is busy', 'artifact ready, the target is busy'],
  ['unknown', 'Unknown: the target is silent', 'unknown: the target is silent'],
  ['stopped', 'Stopped, it never ran', 'stopped, it never ran'],
  ['failed', 'The build failed', 'failed: The build failed'],
] as const)('says %s and “%s” once: %s', (state, title, words) => {
  expect(titledState(state, title)).toBe(words);
});
