/** Caps the table; texts that come once only would fill it for ever. */
const ENTRIES = 20_000;
let known = new Map<string, string>();

/**
 * The one copy of a text that many records have: an image, a node, an instant. JSON gives each record a copy of its
 * own, which for 10,000 pods is a quarter of their memory. Has no effect but on memory.
 */
export function interned<T extends string | null>(text: T): T {
  if (text === null) return text;
  const found = known.get(text);
  if (found !== undefined) return found as T;
  if (known.size >= ENTRIES) known = new Map();
  known.set(text, text);
  return text;
}
