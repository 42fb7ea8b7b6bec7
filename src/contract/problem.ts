import type { Params } from './params.ts';

/** Errors by what the caller should do; the server maps each code to its status (docs/protocol.md). */
export const PROBLEM_CODES = [
  'invalid_request',
  'unauthenticated',
  'forbidden',
  'not_found',
  'too_large',
  'unsupported_media_type',
  'source_rejected',
  'digest_mismatch',
  'artifact_missing',
  'image_required',
  'too_many',
  'internal',
  'outcome_unknown',
  'unavailable',
  'no_space',
  'idempotency_in_progress',
  'idempotency_conflict',
  'deployment_in_progress',
  'state_unknown',
  'nothing_to_roll_back',
  'no_artifact',
  'nothing_to_cancel',
  'cancel_not_possible',
  'retry_not_possible',
  'managed_elsewhere',
  'observe_only',
  'lease_lost',
  'stale_epoch',
  'instance_fenced',
  'before_retention',
  'target_in_use',
  'identity_current',
  'identity_retired',
] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

export const isProblemCode = (code: string): code is ProblemCode =>
  (PROBLEM_CODES as readonly string[]).includes(code);

/** The holder of what was requested, the end of its hold if it stays silent, and what can be done instead. */
type Holding = { readonly holder: Params; readonly until?: string; readonly instead?: string };

/** A conflict names what is in the way: by words and numbers, or as the `holder` of what was requested. */
export type ProblemParams = Params | Holding | { readonly errors: readonly string[] };

/** A refusal is a value: what is in the way, and what the caller can do instead. */
export interface Problem {
  readonly ok: false;
  readonly code: ProblemCode;
  readonly detail: string;
  readonly params: ProblemParams;
}

export type Answer<T> = ({ readonly ok: true } & T) | Problem;

export function problem(code: ProblemCode, detail: string, params: ProblemParams = {}): Problem {
  return { ok: false, code, detail, params };
}

/** The errors of a request, each with its path. */
export function invalid(errors: readonly string[]): Problem {
  return problem('invalid_request', errors.join('; ').slice(0, 1000), { errors });
}

/** The same bytes for what there is not and for what is hidden from the caller (F109): it repeats no name. */
export const NO_SERVICE = 'No such service.';
export const noService = (): Problem => problem('not_found', NO_SERVICE);
