import type { FieldChangeView } from '../answers/views.ts';

/** A shorter name, such as `A`, stands in a log by chance. */
const SHORTEST = 3;

/**
 * The changed variables whose names occur in these lines, as whole words. A coincidence that is worth a look, and never
 * called the cause. Other fields have names such as `port`, which any log has. Pure.
 */
export function namedInLog(
  changes: readonly Pick<FieldChangeView, 'field'>[],
  lines: readonly string[],
): ReadonlySet<string> {
  const words = new Set(lines.flatMap((line) => line.split(/\W+/)));
  return new Set(
    changes.flatMap(({ field }) => {
      const name = /^env\.(.+)$/.exec(field)?.[1];
      return name !== undefined && name.length >= SHORTEST && words.has(name) ? [name] : [];
    }),
  );
}

/** A line with these words says that something has no value. */
const MISSING =
  /\b(?:required|missing|not (?:set|defined|found|configured|provided)|unset|undefined|must be|empty)\b/i;
/** A name as variables have it; codes of errors look the same. */
const VARIABLE = /\b(?!ERR_|MODULE_NOT_FOUND)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;

/** Variables that a line calls missing, and that a revision does not have: it removed them, or never had them. Pure. */
export function missingInLog(line: string | null, env: Readonly<Record<string, unknown>>): readonly string[] {
  if (line === null || !MISSING.test(line)) return [];
  return [...new Set(line.match(VARIABLE) ?? [])].filter((name) => !Object.hasOwn(env, name));
}

/** A line in parts, so that names in it can be marked. */
export function markedParts(
  line: string,
  names: ReadonlySet<string>,
): readonly { text: string; isName: boolean }[] {
  if (names.size === 0) return [{ text: line, isName: false }];
  return line
    .split(/(\w+)/)
    .filter((text) => text !== '')
    .map((text) => ({ text, isName: names.has(text) }));
}
