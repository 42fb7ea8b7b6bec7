import { Refused } from './problems.ts';

const DEPTH = 64;

/**
 * JSON from a stranger: bounded depth, no key twice, no number that does not fit, no name that could reach a
 * prototype (F101, F102). JSON.parse accepts all of these without a word, and the first of two equal keys would
 * then be lost unseen.
 */
export function parseJson(text: string, nul: 'refused' | 'replaced' = 'refused'): unknown {
  let value: unknown;
  try {
    inspect(text);
    value = JSON.parse(text);
    if (text.includes('\\u0000')) value = withoutNul(value, nul);
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw new Refused('invalid_request', `The body is no valid JSON: ${(error as Error).message}`);
  }
  return value;
}

/** No database keeps it. A person is told so; a runtime's message goes on without it, and its neighbours with it (F29). */
function withoutNul(value: unknown, nul: 'refused' | 'replaced'): unknown {
  if (typeof value === 'string') {
    if (!value.includes('\0')) return value;
    if (nul === 'refused') throw refuse('it has a text with NUL');
    return value.replaceAll('\0', '\ufffd');
  }
  if (Array.isArray(value)) return value.map((inner) => withoutNul(inner, nul));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [withoutNul(key, nul), withoutNul(inner, nul)]);
  return Object.fromEntries(entries);
}

const refuse = (what: string) => new Refused('invalid_request', `The body is refused: ${what}.`);

/** One pass over the text. What is no JSON at all is left to the parser, which says where. */
function inspect(text: string): void {
  const keys: (Set<string> | null)[] = [];
  let key: string | null = null;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        key = text.slice(at, end + 1);
        at = end;
        break;
      }
      case 0x3a:
        if (key !== null) hold(keys.at(-1) ?? null, key);
        key = null;
        break;
      case 0x7b:
      case 0x5b:
        keys.push(text[at] === '{' ? new Set() : null);
        if (keys.length > DEPTH) throw refuse(`it is nested more than ${DEPTH} deep`);
        break;
      case 0x7d:
      case 0x5d:
        keys.pop();
        break;
      case 0x65:
      case 0x45:
        at = exponent(text, at);
        break;
      case 0x2c:
        key = null;
        break;
    }
  }
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at;
  }
  return text.length;
}

function hold(keys: Set<string> | null, quoted: string): void {
  if (keys === null) return;
  const key = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  if (key === '__proto__') throw refuse('it has a key "__proto__"');
  if (keys.has(key)) throw refuse(`the key ${JSON.stringify(key.slice(0, 100))} stands in it twice`);
  keys.add(key);
}

/** Only a number with an exponent can be too large: what precedes it is looked at from here. */
function exponent(text: string, at: number): number {
  const digits = /^[eE][+-]?\d+/.exec(text.slice(at, at + 12));
  if (digits === null) return at;
  let from = at;
  while (from > 0 && /[-+.\d]/.test(text[from - 1] ?? '')) from--;
  if (!Number.isFinite(Number(text.slice(from, at) + digits[0])))
    throw refuse('it has a number that does not fit');
  return at + digits[0].length - 1;
}
