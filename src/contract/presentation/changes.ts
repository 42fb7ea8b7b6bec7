import type { FieldChangeView } from '../answers/views.ts';
import { isPlainObject } from '../plain-object.ts';
import { looksSecret, MASKED } from './looks-secret.ts';

/** One change in a few words: `replicas 3 → 1`, `adds LOG_LEVEL=debug`, `removes DB_URL`, `changes the secret DB_URL`. */
export function changeText({ field, kind, from, to }: FieldChangeView): string {
  const name = fieldName(field);
  if (kind === 'removed') return `removes ${isSecret(from) ? 'the secret ' : ''}${name}`;
  if (isSecret(to)) return `${kind === 'added' ? 'adds' : 'changes'} the secret ${name}`;
  if (kind === 'added' && field !== 'replicas') return `adds ${name}=${valueText(to, field)}`;
  return `${name} ${isSecret(from) ? '(secret)' : fromText({ field, from })} → ${valueText(to, field)}`;
}

export const changesText = (changes: readonly FieldChangeView[]) => changes.map(changeText).join(', ');

/** A rollback takes everything of the revision that it goes to, except the number of copies, which stays as it is. */
export const changedByRollback = (changes: readonly FieldChangeView[]): readonly FieldChangeView[] =>
  changes.filter(({ field }) => field !== 'replicas');

/** A field as people name it: a variable by its name alone, and copies as every sentence calls them. */
export const fieldName = (field: string): string =>
  field === 'replicas' ? 'copies' : field.replace(/^env\./, '');

/** The mark of each kind of change. */
const SIGNS: Readonly<Record<FieldChangeView['kind'], string>> = {
  added: '+',
  changed: '~',
  removed: '−',
};

/** The parts of a configuration, in which changes are listed. */
export const CHANGE_GROUPS = ['Environment', 'Runtime', 'Source'] as const;
type ChangeGroup = (typeof CHANGE_GROUPS)[number];
const OF_SOURCE: ReadonlySet<string> = new Set([
  ...['build', 'root', 'procfile', 'command'],
  ...['commit', 'artifact'],
]);

export function groupOfField(field: string): ChangeGroup {
  if (field.startsWith('env.')) return 'Environment';
  return OF_SOURCE.has(field.split('.')[0] ?? '') ? 'Source' : 'Runtime';
}

export const isSecret = (value: unknown) => isPlainObject(value) && 'secret' in value;

/** The value before: without a number of copies there was one. */
export const fromText = ({ field, from }: Pick<FieldChangeView, 'field' | 'from'>): string =>
  field === 'replicas' && from == null ? '1' : valueText(from, field);

/** The mark of a change. */
export const signOf = ({ field, kind }: Pick<FieldChangeView, 'field' | 'kind'>): string =>
  SIGNS[field === 'replicas' && kind === 'added' ? 'changed' : kind];

/** One change in one line of a text that is pasted elsewhere. */
export const changeLine = (change: FieldChangeView): string => `${signOf(change)} ${changeText(change)}`;

/** A value of a field; of a secret it is never shown, nor of what looks like one. */
export function valueText(value: unknown, field: string): string {
  if (value === undefined) return 'not set';
  if (value === null) return 'none';
  if (isSecret(value)) return 'secret';
  if (value === '') return 'empty';
  if (field.startsWith('env.') && looksSecret(fieldName(field), value)) return MASKED;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
