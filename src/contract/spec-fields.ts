import { z } from 'zod';
import { type Spec, specSchema } from './intent.ts';
import { isPlainObject } from './plain-object.ts';

/**
 * Names one field of a configuration by its path: `replicas`, `env.DB_URL`, `health.path`. A list is one field, and so
 * is a variable, secret or not.
 */
export type SpecField = string;

type SpecFields = Map<SpecField, unknown>;

/** The fields that a spec names, with their values. An object that holds nothing names none. */
export function fieldsOf(spec: Spec): SpecFields {
  return new Map(Object.entries(spec).flatMap(([name, value]) => leaves(name, value)));
}

/**
 * Says how this one request meets another that is in progress. It is no part of the configuration, and does not stay:
 * one who queued yesterday does not expect to queue today.
 */
export const OF_THE_REQUEST: SpecField = 'concurrency';

function leaves(path: SpecField, value: unknown): [SpecField, unknown][] {
  if (value === undefined) return [];
  if (!isPlainObject(value) || isVariable(path)) return [[path, value]];
  return Object.entries(value).flatMap(([name, inner]) => leaves(`${path}.${name}`, inner));
}

const isVariable = (path: SpecField) => path.startsWith('env.');

/** The spec with these fields. */
export function specWithFields(fields: ReadonlyMap<SpecField, unknown>): Spec {
  const spec: Record<string, unknown> = {};
  for (const [path, value] of fields) {
    const names = path.split('.');
    const last = names.pop() ?? '';
    let inside = spec;
    for (const name of names) {
      inside[name] ??= {};
      inside = inside[name] as Record<string, unknown>;
    }
    inside[last] = value;
  }
  return spec;
}

/** A path is within itself, and within each path that it continues: `health.path` is within `health`. */
export const isWithin = (path: SpecField, whole: SpecField) => path === whole || path.startsWith(`${whole}.`);

/** A path whose first name is a field of a spec. */
const field = z
  .string()
  .max(400)
  .refine((path) => Object.hasOwn(specSchema.shape, path.split('.')[0] ?? ''), 'is not a field of a spec');
const fields = z.array(field).max(1_000);

/** The part of a request that changes what a service is configured with. */
export const configurationChangeSchema = z.strictObject({
  spec: specSchema.optional(),
  unset: fields
    .optional()
    .describe('Fields that are removed, by their paths: `env.OLD`, or `health` with all that it holds.'),
  declared: fields
    .optional()
    .describe(
      'Fields that the file beside the source names. One that the last file declared and this one does not is removed.',
    ),
});
export type ConfigurationChange = z.infer<typeof configurationChangeSchema>;
