import { countAt, fieldsAt, isThere, type ObjectFields, own, textAt, UnreadableField } from '../fields.ts';
import { entryOf } from '../reasons/container-words.ts';
import type { ReasonName } from '../reasons/index.ts';
import { type Ruling, ruling, type VerdictName } from '../verdict.ts';

/** The text of an annotation; null where absent. Its name has dots, so that it is no path. */
export function annotationOf(object: ObjectFields, name: string): string | null {
  const value = own(fieldsAt(object, 'metadata.annotations'), name);
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new UnreadableField(`metadata.annotations ${name}`, 'text');
  return value;
}

/** A moment in milliseconds; null where absent. */
export function timeAt(object: ObjectFields, path: string): number | null {
  const text = textAt(object, path);
  if (text === null) return null;
  const at = Date.parse(text);
  if (Number.isNaN(at)) throw new UnreadableField(path, 'a time');
  return at;
}

/** A word of a status with what it stands for; `met` lets the ladder go on. */
export type PhaseTable = Readonly<
  Record<string, readonly [Exclude<VerdictName, 'ready'>, ReasonName] | 'met'>
>;

/** Judges by one word of the status. A word that the table lacks is `unrecognised`, never guessed. */
export function phaseUnmet(object: ObjectFields, path: string, table: PhaseTable): Ruling | null {
  const phase = textAt(object, path);
  if (phase === null || phase === '') return ruling('progressing', 'not_observed', `${path} is missing`);
  const entry = entryOf(table, phase);
  if (entry === 'met') return null;
  return entry === null
    ? ruling('unknown', { word: phase }, `${path} ${phase}`)
    : ruling(entry[0], entry[1], `${path} ${phase}`);
}

/** F70 for operators that write `observedGeneration` as text. Where they write none, nothing is behind. */
export function observedUnmet(object: ObjectFields): Ruling | null {
  if (!isThere(object, 'status.observedGeneration')) return null;
  const written = own(fieldsAt(object, 'status'), 'observedGeneration');
  const isText = typeof written === 'string' && /^\d{1,15}$/.test(written);
  const observed = isText ? Number(written) : (countAt(object, 'status.observedGeneration') ?? 0);
  const generation = countAt(object, 'metadata.generation') ?? 0;
  if (observed < generation)
    return ruling('progressing', 'generation_behind', `generation ${observed} of ${generation} is observed`);
  return generation > 0 && observed > generation
    ? ruling(
        'unknown',
        'contradictory',
        `generation ${observed} is observed, and ${generation} is the newest`,
      )
    : null;
}
