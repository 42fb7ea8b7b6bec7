import type { Answer } from '../../contract/problem.ts';
import { Refused } from './problems.ts';

/** Throws the refusal of a verb, to be answered as a problem. */
export function unwrap<T extends object>(answer: Answer<T>): T {
  if (answer.ok) return answer;
  throw new Refused(answer.code, answer.detail, answer.params);
}
