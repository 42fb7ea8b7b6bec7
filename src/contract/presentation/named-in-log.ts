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
