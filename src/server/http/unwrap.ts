import type { Answer } from '../../contract/problem.ts';
import { Refused } from './problems.ts';

/** A refusal of a verb becomes the problem it is. */
export function unwrap<T extends object>(answer: Answer<T>): T {
  if (answer.ok) return answer;
  throw new Refused(answer.code, answer.detail, answer.params);
}
