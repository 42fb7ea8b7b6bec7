import type { FieldChangeView } from '../answers/views.ts';
import { isPlainObject } from '../spec-fields.ts';

/** One change in a few words: `replicas 3 → 1`, `adds LOG_LEVEL=debug`, `removes DB_URL`, `changes the secret DB_URL`. */
export function changeText({ field, kind, from, to }: FieldChangeView): string {
  const name = field.replace(/^env\./, '');
  if (kind === 'removed') return `removes ${isSecret(from) ? 'the secret ' : ''}${name}`;
  if (isSecret(to)) return `${kind === 'added' ? 'adds' : 'changes'} the secret ${name}`;
  if (kind === 'added') return `adds ${name}=${valueText(to)}`;
  return `${name} ${isSecret(from) ? '(secret)' : valueText(from)} → ${valueText(to)}`;
}

export const changesText = (changes: readonly FieldChangeView[]) => changes.map(changeText).join(', ');

const isSecret = (value: unknown) => isPlainObject(value) && 'secret' in value;

function valueText(value: unknown): string {
  if (value === null) return 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
