/**
 * Reads fields of an object that anybody may have written. A field that is absent has a default; a field of another
 * type proves nothing, so reading it ends the ladder with `UnreadableField`, which `judgeObject` turns into `unknown`.
 */
export type ObjectFields = Readonly<Record<string, unknown>>;

export class UnreadableField extends Error {
  override readonly name = 'UnreadableField';
  constructor(path: string, wanted: string) {
    super(`${path} is not ${wanted}`);
  }
}

export function isFields(value: unknown): value is ObjectFields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Own properties only: `__proto__` and `constructor` of a hostile document are never followed. */
export function own(fields: ObjectFields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** Paths are literals of the ladders, so that they are few: split once, they cost nothing for ten thousand objects. */
const KEYS = new Map<string, readonly string[]>();

function keysOf(path: string): readonly string[] {
  const known = KEYS.get(path);
  if (known !== undefined) return known;
  const keys = path.split('.');
  KEYS.set(path, keys);
  return keys;
}

/** The value at a path such as `status.replicas`; undefined where a part of the way is absent or null. */
function valueAt(fields: ObjectFields, path: string): unknown {
  let value: unknown = fields;
  for (const key of keysOf(path)) {
    if (value === undefined || value === null) return undefined;
    if (!isFields(value)) throw new UnreadableField(path, 'inside an object');
    value = own(value, key);
  }
  return value;
}

/** An object; `{}` where absent. */
export function fieldsAt(fields: ObjectFields, path: string): ObjectFields {
  const value = valueAt(fields, path);
  if (value === undefined || value === null) return {};
  if (!isFields(value)) throw new UnreadableField(path, 'an object');
  return value;
}

/** Text; null where absent. */
export function textAt(fields: ObjectFields, path: string): string | null {
  const value = valueAt(fields, path);
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') throw new UnreadableField(path, 'text');
  return value;
}

/** A count of things: a whole number from 0 up. Null is no number: a count that is written must be readable. */
export function countAt(fields: ObjectFields, path: string): number | null {
  const value = valueAt(fields, path);
  if (value === undefined) return null;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new UnreadableField(path, 'a whole number from 0 up');
  return value;
}

/** True or false; false where absent. */
export function flagAt(fields: ObjectFields, path: string): boolean {
  const value = valueAt(fields, path);
  if (value === undefined || value === null) return false;
  if (typeof value !== 'boolean') throw new UnreadableField(path, 'true or false');
  return value;
}

/** Objects in a list; empty where absent. */
export function listAt(fields: ObjectFields, path: string): readonly ObjectFields[] {
  const value = valueAt(fields, path);
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || !value.every(isFields)) throw new UnreadableField(path, 'a list of objects');
  return value;
}

/** True if anything but null stands there. */
export function isThere(fields: ObjectFields, path: string): boolean {
  const value = valueAt(fields, path);
  return value !== undefined && value !== null;
}
