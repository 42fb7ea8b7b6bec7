import { fieldsAt, isFields, type ObjectFields, own } from '../fields.ts';
import { type Ruling, ruling } from '../verdict.ts';

/**
 * Reads the words of a status beside its conditions. A word proves nothing by itself, since its meaning is not known of
 * an operator that is not in the table; it may take the proof of the conditions away.
 */
const FAILED_WORD =
  /^(?:failed|failing|failure|error|errored|degraded|unhealthy|invalid|crashed|aborted|red|lost|rejected|denied|broken|stalled|expired|offline|unavailable|unreachable|outofsync|critical|faulted|dead|down|corrupted|disconnected|not ?ready|unschedulable|crashloopbackoff|imagepullbackoff|errimagepull)$/i;
/** Words that say so of health alone: elsewhere they may be about something else. */
const WARNED_WORD = /^(?:warning|warn|yellow)$/i;
/** Fields that say how it is now, and not how its last run or backup was. */
const SAYS_HOW_IT_IS =
  /^(?!(?:last|previous|prior|old))(?:condition|result|[a-z]+(?:Status|State|Phase|Health))$/;
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
    if (key.startsWith('health') && WARNED_WORD.test(word)) return ruling('degraded', 'impaired', facts);
  }
  const key = Object.keys(status).find((one) => SAYS_HOW_IT_IS.test(one) && isFailedWord(own(status, one)));
  if (key !== undefined)
    return ruling(
      'unknown',
      'contradictory',
      `status.${key} ${String(own(status, key))}, beside conditions that are met`,
    );
  return flagUnmet(status) ?? errorUnmet(status) ?? partsUnmet(status);
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

/** Lists of what it consists of. Other lists may tell of the past: its runs, its backups. */
const PARTS = [
  'members',
  'instances',
  'nodes',
  'replicas',
  'services',
  'components',
  'pods',
  'brokers',
  'shards',
];

/** A part of it that is not well, in a list of its parts. */
function partsUnmet(status: ObjectFields): Ruling | null {
  for (const key of PARTS) {
    const parts: unknown = own(status, key);
    const list: unknown[] = Array.isArray(parts) ? parts : isFields(parts) ? Object.values(parts) : [];
    for (const part of list.filter(isFields)) {
      if (own(part, 'ready') === false || own(part, 'healthy') === false || isNotReady(part))
        return ruling('progressing', 'not_yet_ready', `one of status.${key} is not ready`);
      const word = ['status', 'state', 'phase', 'health'].map((name) => own(part, name)).find(isFailedWord);
      if (word !== undefined)
        return ruling('degraded', 'impaired', `one of status.${key} is ${String(word)}`);
    }
  }
  return null;
}

function isNotReady(part: ObjectFields): boolean {
  const conditions: unknown = own(part, 'conditions');
  return (
    Array.isArray(conditions) &&
    conditions.some((one) => isFields(one) && own(one, 'type') === 'Ready' && own(one, 'status') === 'False')
  );
}

const isFailedWord = (word: unknown) => typeof word === 'string' && FAILED_WORD.test(word);

const BAD_COUNT =
  /^(?:failed|unhealthy|unready|notReady|unavailable|degraded|offline)(?:Replicas|Members|Instances|Nodes|Pods|Brokers|Shards)?$/;

/** Parts that failed, or a last error, of what serves now. Of what has ended, these may be earlier tries. */
export function troubleUnmet(object: ObjectFields): Ruling | null {
  const status = fieldsAt(object, 'status');
  const bad = Object.keys(status).find((key) => BAD_COUNT.test(key) && Number(own(status, key)) > 0);
  if (bad !== undefined)
    return ruling(
      'degraded',
      'impaired',
      `status.${bad} ${String(own(status, bad))}, beside conditions that are met`,
    );
  const last = own(status, 'lastError');
  return typeof last === 'string' && last !== ''
    ? ruling('unknown', 'health_unknown', `status.lastError: ${last}, and nothing says that it is over`)
    : null;
}

/** Numbers of copies that are asked for, by the names of the numbers that there are. */
const COPIES: Readonly<Record<string, readonly string[]>> = {
  replicas: ['readyReplicas', 'availableReplicas', 'updatedReplicas', 'replicas'],
  instances: ['readyInstances', 'availableInstances'],
  members: ['readyMembers', 'availableMembers'],
  nodes: ['readyNodes', 'availableNodes'],
  size: ['readyReplicas', 'readyMembers', 'readyInstances', 'readyNodes', 'ready'],
};

/** Fields that some write for people: 1/3. */
const SHARES = ['ready', 'readyReplicas', 'available', 'replicas', 'instances', 'members', 'nodes', 'pods'];

function isPart(text: unknown): boolean {
  const [, have, want] = (typeof text === 'string' && /^(\d{1,6}) ?\/ ?(\d{1,6})$/.exec(text)) || [];
  return have !== undefined && Number(have) < Number(want);
}

/** Fewer copies than are asked for, where both numbers are written in the way of a Deployment. */
export function copiesUnmet(object: ObjectFields): Ruling | null {
  const status = own(object, 'status');
  if (!isFields(status)) return null;
  for (const [field, keys] of Object.entries(COPIES)) {
    const want = own(fieldsAt(object, 'spec'), field);
    if (typeof want !== 'number') continue;
    for (const key of keys) {
      const have = own(status, key);
      if (typeof have !== 'number' || have >= want) continue;
      const facts = `status.${key} ${have}, spec.${field} ${want}`;
      return ruling('progressing', 'not_available', facts, { have, want });
    }
  }
  const share = SHARES.map((key) => [key, own(status, key)] as const).find(([, text]) => isPart(text));
  if (share !== undefined)
    return ruling('progressing', 'not_available', `status.${share[0]} ${String(share[1])}`);
  if (typeof own(fieldsAt(object, 'spec'), 'replicas') !== 'number') return null;
  const unavailable = own(status, 'unavailableReplicas');
  return typeof unavailable === 'number' && unavailable > 0
    ? ruling('progressing', 'not_available', `status.unavailableReplicas ${unavailable}`)
    : null;
}
