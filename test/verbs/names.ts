import type { Origin } from '../../src/contract/intent.ts';
import type { Answer, ProblemCode } from '../../src/contract/problem.ts';

export const ORG = 'default';
export const WEB = 'web@lab';
export const T0 = Date.parse('2026-11-14T14:02:00.000Z');
export const DIGEST = `sha256:${'9b1f'.repeat(16)}`;
export const OTHER_DIGEST = `sha256:${'0c2e'.repeat(16)}`;
export const SOURCE: Origin = { kind: 'source', digest: `sha256:${'50ce'.repeat(16)}` };
export const ARTIFACT: Origin = { kind: 'artifact', digest: DIGEST };
export const OBSERVE: Origin = { kind: 'observe' };
export const image = (ref: string): Origin => ({ kind: 'image', image: ref });

/** A refusal of a verb, thrown so that a test can use `rejects.toMatchObject({ code })`. */
export class Refused extends Error {
  readonly code: ProblemCode;
  readonly params: object;
  constructor(code: ProblemCode, detail: string, params: object) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.params = params;
  }
}

export function granted<T extends object>(answer: Answer<T>): { ok: true } & T {
  if (!answer.ok) throw new Refused(answer.code, answer.detail, answer.params);
  return answer;
}
