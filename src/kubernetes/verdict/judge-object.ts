import { judgeCustom } from './custom/index.ts';
import { fieldsAt, isFields, isThere, type ObjectFields, UnreadableField } from './fields.ts';
import { type ObjectIdentity, objectIdentity } from './identity.ts';
import { ladderOf } from './kinds/index.ts';
import type { Objects } from './objects.ts';
import { CATALOGUE, UNRECOGNISED } from './reasons/index.ts';
import { type ObjectVerdict, type Ruling, ruling } from './verdict.ts';

/** Texts of a cluster are shown up to this length: a message may be as long as its author likes. */
const LONGEST_FACTS = 1000;

/**
 * Judges one object, whatever it is. `around` holds the other objects of the same input; they may explain or weaken
 * a verdict, never make it better (S1). Pure and total: no input makes it throw.
 */
export function judgeObject(object: unknown, around: Objects, now: number): ObjectVerdict {
  const identity = objectIdentity(object);
  if (identity === null || !isFields(object))
    return inWords(ruling('unknown', 'unreadable', 'no object of Kubernetes: kind or apiVersion is missing'));
  return inWords(rulingOn(object, identity, around, now));
}

/** The ruling alone, for ladders that look at other objects of the input. */
function rulingOn(object: ObjectFields, identity: ObjectIdentity, around: Objects, now: number): Ruling {
  try {
    fieldsAt(object, 'metadata');
    if (isThere(object, 'metadata.deletionTimestamp')) return deleting(object);
    const ladder = ladderOf(identity);
    if (ladder !== null) return ladder(object, { identity, around, now, rulingOn });
    return judgeCustom(object, identity);
  } catch (error) {
    if (error instanceof UnreadableField) return ruling('unknown', 'unreadable', error.message);
    throw error;
  }
}

function deleting(object: ObjectFields): Ruling {
  const finalizers = fieldsAt(object, 'metadata').finalizers;
  const held = Array.isArray(finalizers) && finalizers.length > 0 ? `, held by ${finalizers.join(', ')}` : '';
  return ruling('progressing', 'terminating', `metadata.deletionTimestamp is set${held}`);
}

function inWords({ verdict, reason, facts, count }: Ruling): ObjectVerdict {
  const operator = plain(facts);
  if (reason === null) return { verdict, reason, stage: null, owner: 'none', user: READY_SENTENCE, operator };
  const row = typeof reason === 'string' ? CATALOGUE[reason] : UNRECOGNISED;
  const numbers = count === undefined ? '' : ` ${count.have} of ${count.want} are ready.`;
  return {
    verdict,
    reason: typeof reason === 'string' ? reason : `unrecognised:${plain(reason.word)}`,
    stage: row.stage,
    owner: row.owner,
    user: `${row.user}${numbers}`,
    operator,
  };
}

const READY_SENTENCE = 'It is as it should be.';

/** Text of a cluster on one line, without what could steer a terminal. */
function plain(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out.
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ').trim();
  return line.length > LONGEST_FACTS ? `${line.slice(0, LONGEST_FACTS)} …` : line;
}
