import { fieldsAt, isFields, type ObjectFields, own } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';

/**
 * Reads the words of a status beside its conditions. A word proves nothing by itself, since its meaning is not known of
 * an operator that is not in the table; it may take the proof of the conditions away.
 */
const FAILED_WORD = /^(?:failed|failure|error|errored|degraded|unhealthy|invalid|crashed|aborted|red)$/i;
const WAITING_WORD =
  /^(?:pending|creating|provisioning|initiali[sz]ing|updating|upgrading|reconciling|progressing|inprogress|waiting|deleting|terminating)$/i;

/** A word of the status that says it failed or is under way, while its conditions say that it is as it should be. */
export function wordUnmet(object: ObjectFields): Ruling | null {
  const status = fieldsAt(object, 'status');
  for (const key of ['phase', 'state', 'status', 'health', 'healthStatus']) {
    const word = own(status, key);
    if (typeof word !== 'string') continue;
    const facts = `status.${key} ${word}, beside conditions that are met`;
    if (FAILED_WORD.test(word)) return ruling('unknown', 'contradictory', facts);
    if (WAITING_WORD.test(word)) return ruling('progressing', 'reconciling', facts);
  }
  return null;
}

/** Fewer copies than are asked for, where both numbers are written in the way of a Deployment. */
export function copiesUnmet(object: ObjectFields): Ruling | null {
  const want = own(fieldsAt(object, 'spec'), 'replicas');
  const status = own(object, 'status');
  if (typeof want !== 'number' || !isFields(status)) return null;
  for (const key of ['readyReplicas', 'availableReplicas', 'updatedReplicas']) {
    const have = own(status, key);
    if (typeof have !== 'number' || have >= want) continue;
    return ruling('progressing', 'not_available', `status.${key} ${have}, spec.replicas ${want}`, {
      have,
      want,
    });
  }
  return null;
}
