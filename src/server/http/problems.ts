import type { ProblemCode, ProblemParams } from '../../contract/problem.ts';
import { Refusal } from '../../contract/refusal.ts';

/** Status and title of each code. The title is the same for all problems of a code; the detail differs. */
const PROBLEMS: Readonly<Record<ProblemCode, readonly [status: number, title: string]>> = {
  invalid_request: [400, 'The request is not valid'],
  unauthenticated: [401, 'A valid token is needed'],
  forbidden: [403, 'This token may not do that'],
  not_found: [404, 'Not found'],
  idempotency_conflict: [409, 'This key was used for another request'],
  idempotency_in_progress: [409, 'The first request with this key is still running'],
  deployment_in_progress: [409, 'Another revision is in progress'],
  state_unknown: [409, 'What runs is not known'],
  nothing_to_roll_back: [409, 'Nothing to roll back to'],
  no_artifact: [409, 'No artifact yet'],
  nothing_to_cancel: [409, 'Nothing is in progress'],
  cancel_not_possible: [409, 'It is too late to cancel'],
  retry_not_possible: [409, 'A retry is not possible'],
  managed_elsewhere: [409, 'Another tool manages this service'],
  observe_only: [409, 'This target only observes'],
  lease_lost: [409, 'No lease is held under this fence'],
  stale_epoch: [409, 'This registration does not speak for the target'],
  instance_fenced: [409, 'This instance has been replaced'],
  target_in_use: [409, 'This target is in use'],
  identity_current: [409, 'This place is the current one'],
  identity_retired: [409, 'This place is retired'],
  before_retention: [410, 'This instant is no longer kept'],
  too_large: [413, 'The request is too large'],
  unsupported_media_type: [415, 'This media type is not supported here'],
  source_rejected: [422, 'The source is refused'],
  digest_mismatch: [422, 'The bytes do not match their digest'],
  artifact_missing: [422, 'The store does not hold this artifact'],
  image_required: [422, 'This runtime needs an image'],
  too_many: [429, 'Too many requests'],
  internal: [500, 'Something is wrong on our side'],
  outcome_unknown: [503, 'Whether it was done is not known yet'],
  unavailable: [503, 'The store cannot be reached'],
  no_space: [503, 'The server’s disk is full'],
};

interface ProblemDocument {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: ProblemCode;
  readonly correlation: string;
  readonly [extra: string]: unknown;
}

export function problemDocument(
  code: ProblemCode,
  detail: string,
  correlation: string,
  extra: ProblemParams | Readonly<Record<string, unknown>> = {},
): ProblemDocument {
  const [status, title] = PROBLEMS[code];
  return { ...extra, type: `urn:evident:problem:${code}`, title, status, detail, code, correlation };
}

/**
 * The refusal of a request, answered with a problem. It is expected, and so has no stack: collecting one costs as much as
 * the rest of a refused request.
 */
export class Refused extends Refusal {
  override readonly name = 'Refused';
  override readonly code: ProblemCode;
  override readonly extra: Readonly<Record<string, unknown>>;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: ProblemCode,
    detail: string,
    extra: Readonly<Record<string, unknown>> = {},
    retryAfterSeconds?: number,
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(detail);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.extra = extra;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The store's disk is full: the caller can only wait for the operator. */
export const noRoom = () =>
  new Refused(
    'no_space',
    'The store cannot be written: there is no room on its disk. Nothing was done; retry once somebody has made room.',
    {},
    5,
  );
