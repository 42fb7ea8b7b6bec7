import { REJECTIONS, type Rejection } from '../contract/vocabulary.ts';

/** The verdicts of admission, in the order in which it checks: the first that applies counts. */
export interface AdmissionRow {
  readonly when: string;
  /** Should never happen: an operator must look. */
  readonly alarm: boolean;
  /** The one who must act. */
  readonly owner: 'sender' | 'operator' | 'none';
  /** The action that the owner should take. */
  readonly advice: string;
}

type AdmissionReason = 'admitted' | Rejection;

export const REASONS = {
  invalid: {
    when: 'It fails the schema of its kind; the rest of a batch goes on. In a report it makes the report incomplete for that service.',
    alarm: false,
    owner: 'sender',
    advice: 'Correct it and send it under a new id.',
  },
  conflicting_duplicate: {
    when: 'The id was used before, with another body. The same id and body again is a duplicate: the original verdict and position, no new row.',
    alarm: true,
    owner: 'operator',
    advice: 'Find out which of the two is true: a source must not change what it said.',
  },
  not_owner: {
    when: 'The role does not own this kind, the token is not bound to this service, or the command is another service’s.',
    alarm: false,
    owner: 'sender',
    advice: 'Use the token and the command of what it is about.',
  },
  unissued: {
    when: 'A revision, attempt, fence or epoch that was never handed out.',
    alarm: true,
    owner: 'operator',
    advice: 'Look for a store that lost its newest rows, or a sender that makes numbers up.',
  },
  stale_revision: {
    when: 'Sent under a command of an older revision. Observations are not judged by this: each instance counts for the revision stamped on it.',
    alarm: false,
    owner: 'none',
    advice: 'Stop: newer intent has superseded the work.',
  },
  stale_attempt: {
    when: 'Sent under a command of an older attempt.',
    alarm: false,
    owner: 'none',
    advice: 'Stop: another attempt goes on.',
  },
  stale_lease: {
    when: 'Sent under an older fence, or a lease that has ended by lapse, completion, release, cancel or revocation (S3).',
    alarm: false,
    owner: 'none',
    advice: 'Stop: the lease is lost, and somebody else may hold the command.',
  },
  stale_epoch: {
    when: 'A report of an epoch that a newer registration has fenced.',
    alarm: false,
    owner: 'none',
    advice: 'Stop: a newer agent speaks for the target.',
  },
  out_of_order: {
    when: 'A report whose sequence number is not above the last one of its epoch and scope.',
    alarm: false,
    owner: 'none',
    advice: 'Nothing: a later report was already applied.',
  },
  artifact_missing: {
    when: 'The store does not hold the digest that `artifact.stored` names.',
    alarm: false,
    owner: 'sender',
    advice: 'Upload the bytes, then send it again under a new id.',
  },
  admitted: {
    when: 'None of the above: it may speak for the current intent.',
    alarm: false,
    owner: 'none',
    advice: 'Nothing.',
  },
} as const satisfies Record<AdmissionReason, AdmissionRow>;

/** The order in which admission checks. */
export const ADMISSION_ORDER: readonly AdmissionReason[] = [...REJECTIONS, 'admitted'];
