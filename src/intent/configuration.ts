import type { Spec } from '../contract/intent.ts';
import {
  type ConfigurationChange,
  fieldsOf,
  isWithin,
  OF_THE_REQUEST,
  type SpecField,
  specWithFields,
} from '../contract/spec-fields.ts';
import type { RevisionRow } from '../store/schema.ts';

/**
 * The configuration of a service after a change: fields that the change does not name stay as they are. Merged field
 * by field, so that a new variable leaves the others alone.
 *
 * A field that the last file declared and this file does not is removed: deleting a line from the file deletes what it
 * said. Fields that were set by hand are in no file, and stay.
 */
export function changedSpec(
  base: Pick<RevisionRow, 'spec' | 'declared'> | null,
  { spec = {}, unset = [], declared }: ConfigurationChange,
): Spec {
  const fields = fieldsOf(base?.spec ?? {});
  fields.delete(OF_THE_REQUEST);
  const undeclared =
    declared === undefined ? [] : (base?.declared ?? []).filter((field) => !declared.includes(field));
  for (const gone of [...unset, ...undeclared])
    for (const field of fields.keys()) if (isWithin(field, gone)) fields.delete(field);
  for (const [field, value] of fieldsOf(spec)) fields.set(field, value);
  return specWithFields(fields);
}

/** One field in which a configuration differs from another. A secret is shown as `{secret: true}`, never by its value. */
export interface FieldChange {
  readonly field: SpecField;
  readonly kind: 'added' | 'changed' | 'removed';
  readonly from?: unknown;
  readonly to?: unknown;
}

/** The fields in which a configuration differs from the one before it, by name; null: there was none. */
export function changesBetween(before: Spec | null, after: Spec): readonly FieldChange[] {
  const old = fieldsOf(before ?? {});
  const now = fieldsOf(after);
  for (const fields of [old, now]) {
    fields.delete(OF_THE_REQUEST);
    // Without a number one copy is in force: to name it changes nothing, and another number changes that one.
    if (before !== null && !fields.has('replicas')) fields.set('replicas', 1);
  }
  const changes: FieldChange[] = [];
  for (const [field, to] of now) {
    const from = old.get(field);
    if (!old.has(field)) changes.push({ field, kind: 'added', to: shown(to) });
    else if (!isSame(from, to)) changes.push({ field, kind: 'changed', from: shown(from), to: shown(to) });
  }
  for (const [field, from] of old)
    if (!now.has(field)) changes.push({ field, kind: 'removed', from: shown(from) });
  return changes.toSorted((a, b) => (a.field < b.field ? -1 : 1));
}

/** Values are strings, numbers, lists of strings and secrets, whose keys have one order. */
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

const isSecret = (value: unknown) => typeof value === 'object' && value !== null && 'secret' in value;
const shown = (value: unknown) => (isSecret(value) ? { secret: true } : value);
