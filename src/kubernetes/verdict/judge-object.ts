import { longAgo } from '../../contract/presentation/times.ts';
import { conditionFacts, conditionsOf } from './conditions.ts';
import { judgeCustom } from './custom/index.ts';
import { explainedByWarnings } from './explain.ts';
import { fieldsAt, isFields, isThere, type ObjectFields, UnreadableField } from './fields.ts';
import { type ObjectIdentity, objectIdentity } from './identity.ts';
import { ladderOf } from './kinds/index.ts';
import type { Objects } from './objects.ts';
import { CATALOGUE, UNRECOGNISED } from './reasons/index.ts';
import { type ObjectVerdict, type ReadyAs, type Ruling, ruling } from './verdict.ts';

/** Begins the facts where not the object but a ladder is broken; the tests look for it. */
export const DEFECT = 'a defect of Evident';

/** Words of Kubernetes are shorter; what is longer is none. */
const LONGEST_WORD = 80;

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

function rulingOn(object: ObjectFields, identity: ObjectIdentity, around: Objects, now: number): Ruling {
  try {
    const ruled = ladderRuling(object, identity, around, now);
    return explainedByWarnings(ruled, identity, around);
  } catch (error) {
    if (error instanceof UnreadableField) return ruling('unknown', 'unreadable', error.message);
    // One object that a ladder fails over must not cost the verdicts on all the others.
    return ruling(
      'unknown',
      'unreadable',
      `${DEFECT}: ${error instanceof Error ? error.message : 'no error'}`,
    );
  }
}

function ladderRuling(object: ObjectFields, identity: ObjectIdentity, around: Objects, now: number): Ruling {
  fieldsAt(object, 'metadata');
  if (isThere(object, 'metadata.deletionTimestamp')) return deleting(object, identity, now);
  const ladder = ladderOf(identity);
  if (ladder === null) return judgeCustom(object, identity, now);
  const judged = (other: ObjectFields, its: ObjectIdentity) => rulingOn(other, its, around, now);
  return ladder(object, { identity, around, now, rulingOn: judged });
}

/** Being deleted is under way whatever its kind, and its status says nothing of what is wanted any more. */
function deleting(object: ObjectFields, { kind }: ObjectIdentity, now: number): Ruling {
  const { deletionTimestamp, finalizers } = fieldsAt(object, 'metadata');
  const since = typeof deletionTimestamp === 'string' ? Date.parse(deletionTimestamp) : Number.NaN;
  const age = Number.isNaN(since) ? 0 : now - since;
  const names = Array.isArray(finalizers) ? finalizers.filter((name) => typeof name === 'string') : [];
  const facts = [
    `metadata.deletionTimestamp is set${age >= 60_000 ? `, ${longAgo(age)}` : ''}`,
    ...(names.length === 0 ? [] : [`held by ${names.join(', ')}`]),
    ...deletionConditions(object),
  ].join('; ');
  if (age < HELD_AFTER_MS || names.length === 0)
    return ruling('progressing', kind === 'Pod' ? 'terminating' : 'being_deleted', facts);
  const isUsed = names.every((name) => USE_PROTECTIONS.has(name));
  return ruling('progressing', isUsed ? 'still_used' : 'deletion_blocked', facts);
}

/** A deletion that takes longer than this and has finalizers waits for whoever should remove them. */
const HELD_AFTER_MS = 10 * 60_000;

/** Finalizers that the cluster itself removes once no pod or claim uses the object any more. */
const USE_PROTECTIONS: ReadonlySet<string> = new Set([
  'kubernetes.io/pvc-protection',
  'kubernetes.io/pv-protection',
]);

/** A namespace says what is left in it. */
function deletionConditions(object: ObjectFields): string[] {
  return [...conditionsOf(object).values()]
    .filter(({ type, status }) => type.startsWith('Namespace') && status === 'True')
    .map(conditionFacts);
}

function inWords({ verdict, reason, facts, count, readyAs = 'working' }: Ruling): ObjectVerdict {
  const operator = plain(facts);
  if (reason === null)
    return { verdict, reason, stage: null, owner: 'none', user: READY_SENTENCES[readyAs], operator };
  const row = typeof reason === 'string' ? CATALOGUE[reason] : UNRECOGNISED;
  return {
    verdict,
    reason: typeof reason === 'string' ? reason : `unrecognised:${plain(reason.word.slice(0, LONGEST_WORD))}`,
    stage: row.stage,
    owner: row.owner,
    user: count === undefined ? row.user : `${row.user} ${inNumbers(count)}`,
    operator,
  };
}

/** More than are wanted are no part of them. */
const inNumbers = ({ have, want, serves }: NonNullable<Ruling['count']>) => {
  const numbers = have > want ? `${have} are ready, ${want} wanted.` : `${have} of ${want} are ready.`;
  return serves ? `It serves all the same: ${numbers}` : numbers;
};

const READY_SENTENCES: Readonly<Record<ReadyAs, string>> = {
  working: 'It is as it should be.',
  ended: 'It has ended well.',
  stored: 'It is stored; there is nothing to wait for.',
};

/** Text of a cluster on one line, without what could steer a terminal. */
function plain(text: string): string {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return line.length > LONGEST_FACTS ? `${line.slice(0, LONGEST_FACTS)} …` : line;
}
