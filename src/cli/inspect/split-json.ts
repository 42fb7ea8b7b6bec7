const QUOTE = 34;
const BACKSLASH = 92;
const OPENING: ReadonlySet<number> = new Set([91, 123]);
const CLOSING: ReadonlySet<number> = new Set([93, 125]);

/**
 * Splits JSON values that follow each other, as jq and `kubectl get -w -o json` print them. Only counts brackets outside
 * of text: whether a part is JSON is decided by whoever reads it.
 */
export function splitJson(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) inText = true;
    else if (OPENING.has(code)) depth++;
    else if (CLOSING.has(code) && --depth <= 0) {
      parts.push(text.slice(from, at + 1));
      from = at + 1;
      depth = 0;
    }
  }
  const rest = text.slice(from);
  return rest.trim() === '' ? parts : [...parts, rest];
}
