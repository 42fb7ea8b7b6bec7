import { fieldsAt, isFields, type ObjectFields, own } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';

/**
 * Reads the words of a status beside its conditions. A word proves nothing by itself, since its meaning is not known of
 * an operator that is not in the table; it may take the proof of the conditions away.
 */
const FAILED_WORD =
  /^(?:failed|failing|failure|error|errored|degraded|unhealthy|invalid|crashed|aborted|red|lost|rejected|denied|broken|stalled|expired|offline|unavailable|unreachable|outofsync)$/i;
const WAITING_WORD =
  /^(?:pending|creating|provisioning|initiali[sz]ing|updating|upgrading|reconciling|progressing|inprogress|waiting|deleting|terminating|starting|stopping|restarting|scaling|scalingup|scalingdown|installing|syncing|migrating|restoring|recovering|promoting|bootstrapping|rollingout|not ?ready)$/i;
const RESTING_WORD = /^(?:paused|suspended|hibernating|hibernated)$/i;

/** A word of the status that says it failed or is under way, while its conditions say that it is as it should be. */
export function wordUnmet(object: ObjectFields): Ruling | null {
  const status = fieldsAt(object, 'status');
  for (const key of ['phase', 'state', 'status', 'health', 'healthStatus']) {
    const word = own(status, key);
    if (typeof word !== 'string') continue;
    const facts = `status.${key} ${word}, beside conditions that are met`;
    if (FAILED_WORD.test(word)) return ruling('unknown', 'contradictory', facts);
    if (WAITING_WORD.test(word)) return ruling('progressing', 'reconciling', facts);
    if (RESTING_WORD.test(word)) return ruling('suspended', 'paused', facts);
    if (/^unknown$/i.test(word)) return ruling('unknown', 'health_unknown', facts);
  }
  return flagUnmet(status) ?? errorUnmet(status);
}

/** A switch that says the opposite of the conditions. */
function flagUnmet(status: ObjectFields): Ruling | null {
  const off = ['ready', 'healthy', 'available', 'synced'].find((key) => own(status, key) === false);
  return off === undefined
    ? null
    : ruling('progressing', 'not_yet_ready', `status.${off} is false, beside conditions that are met`);
}

/** A text that only a failure leaves. What was wrong last may be over; these fields speak of now. */
function errorUnmet(status: ObjectFields): Ruling | null {
  for (const key of ['failureReason', 'failureMessage', 'errorMessage', 'error']) {
    const text = own(status, key);
    if (typeof text === 'string' && text !== '')
      return ruling('unknown', 'contradictory', `status.${key}: ${text}, beside conditions that are met`);
  }
  return null;
}

/** Fewer copies than are asked for, where both numbers are written in the way of a Deployment. */
export function copiesUnmet(object: ObjectFields): Ruling | null {
  const want = own(fieldsAt(object, 'spec'), 'replicas');
  const status = own(object, 'status');
  if (typeof want !== 'number' || !isFields(status)) return null;
  for (const key of ['readyReplicas', 'availableReplicas', 'updatedReplicas', 'replicas']) {
    const have = own(status, key);
    if (typeof have !== 'number' || have >= want) continue;
    return ruling('progressing', 'not_available', `status.${key} ${have}, spec.replicas ${want}`, {
      have,
      want,
    });
  }
  const unavailable = own(status, 'unavailableReplicas');
  return typeof unavailable === 'number' && unavailable > 0
    ? ruling('progressing', 'not_available', `status.unavailableReplicas ${unavailable}`)
    : null;
}
