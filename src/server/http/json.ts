import { inSlices } from '../../event-loop/slices.ts';
import { Refused } from './problems.ts';

const DEPTH = 64;

/**
 * Parses JSON from outside with bounded depth, no duplicate key, no number that does not fit, and no name
 * that could reach a prototype (F101, F102). JSON.parse accepts all of these, and would lose the first of two
 * equal keys.
 */
export function parseJson(text: string, nul: Nul = 'refused'): unknown {
  return inWords(() => {
    new Inspection(text).run(text.length);
    return plain(text, JSON.parse(text), nul);
  });
}

/** Shorter documents are parsed at once; slicing would cost more. */
const LARGE = 256 * 1024;
const CHUNK = 32 * 1024;

export const isLarge = (text: string): boolean => text.length >= LARGE;

/**
 * Parses a document that may be large, in slices: a report of a whole cluster must not block the thread that
 * renews leases (F80). `JSON.parse` cannot be interrupted, so long lists are cut between their items, the
 * rest is parsed without them, and they are parsed piece by piece. Rejected: a worker thread; its result must
 * be copied into this one, which takes as long as parsing it here.
 */
export async function parseLargeJson(
  text: string,
  nul: Nul = 'refused',
  sizes = { large: LARGE, chunk: CHUNK },
): Promise<unknown> {
  if (text.length < sizes.large) return parseJson(text, nul);
  const inspection = new Inspection(text, sizes.chunk);
  await inSlices(() => inWords(() => inspection.run(sizes.chunk)), 1);
  const lists = inspection.lists.sort((a, b) => a.from - b.from);
  const rest = inWords(() => JSON.parse(without(text, lists)) as unknown);
  for (const { path, from, to, cuts } of lists) {
    const list = path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], rest);
    const edges = [from - 1, ...cuts, to];
    let at = 0;
    await inSlices(() => {
      const piece = text.slice((edges[at] ?? 0) + 1, edges[at + 1]);
      // A missing item between two commas is only an error of the complete text, which JSON.parse does not
      // receive here.
      if (piece.trim() === '') throw notJson('an item is missing in a list');
      (list as unknown[]).push(...(inWords(() => JSON.parse(`[${piece}]`)) as unknown[]));
      at += 1;
      return at < edges.length - 1;
    }, 1);
  }
  return inWords(() => plain(text, rest, nul));
}

type Nul = 'refused' | 'replaced';

const plain = (text: string, value: unknown, nul: Nul) =>
  UNSTORABLE.test(text) ? storableText(value, nul) : value;

export const notUtf8 = () => refuse('it is not valid UTF-8');

const notJson = (why: string) => new Refused('invalid_request', `The body is not valid JSON: ${why}`);

function inWords<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof Refused ? error : notJson((error as Error).message);
  }
}

function without(text: string, lists: readonly List[]): string {
  let rest = '';
  let at = 0;
  for (const { from, to } of lists) {
    rest += text.slice(at, from);
    at = to;
  }
  return rest + text.slice(at);
}

/** Unstorable characters can only be written as escapes: UTF-8 itself has no half characters. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;
const HALF = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * Handles NUL and half characters. No database stores them as they are, and a replaced id would not be found
 * again. A person's request is refused; in a runtime's message they are replaced, so that the items beside it
 * are admitted (F28, F29).
 */
function storableText(value: unknown, nul: Nul): unknown {
  if (typeof value === 'string') {
    const storable = value.replaceAll('\0', '\ufffd').replace(HALF, '\ufffd');
    if (storable !== value && nul === 'refused') throw refuse('it has a text with NUL or half a character');
    return storable;
  }
  if (Array.isArray(value)) return value.map((inner) => storableText(inner, nul));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [
    storableText(key, nul),
    storableText(inner, nul),
  ]);
  return Object.fromEntries(entries);
}

const refuse = (what: string) => new Refused('invalid_request', `The body is refused: ${what}.`);

/** A long list in a document: where its items stand, and where it can be cut between them. */
interface List {
  readonly path: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly cuts: readonly number[];
}

interface Opened {
  readonly isList: boolean;
  /** Null: it is a list. */
  readonly keys: HeldKeys | null;
  /**
   * The path of the list if everything around it is an object, so that it can be found again by names; else
   * null.
   */
  readonly path: readonly string[] | null;
  readonly from: number;
  readonly cuts: number[];
  cutAt: number;
  /** The key whose value comes next. */
  key: string;
}

/** Inspects the text in one pass. Text that is no JSON is left to the parser, which says where. */
class Inspection {
  readonly lists: List[] = [];
  readonly #text: string;
  readonly #chunk: number;
  readonly #open: Opened[] = [];
  /** The last of them. */
  #inside: Opened | undefined;
  #at = 0;
  /** Where the last string begins and ends: it is cut out only if it turns out to be a key. */
  #stringAt = NONE;
  #stringEnd = NONE;

  constructor(text: string, chunk = CHUNK) {
    this.#text = text;
    this.#chunk = chunk;
  }

  /** Inspects the next `count` characters; false at the end. */
  run(count: number): boolean {
    const text = this.#text;
    let at = this.#at;
    for (const until = Math.min(at + count, text.length); at < until; at++) {
      const code = text.charCodeAt(at);
      switch (code) {
        case 0x22:
          this.#stringAt = at;
          this.#stringEnd = at = endOfString(text, at);
          break;
        case 0x3a:
          this.#named();
          break;
        case 0x7b:
        case 0x5b:
          this.#opened(code === 0x5b, at + 1);
          break;
        case 0x7d:
        case 0x5d:
          this.#closed(code === 0x5d, at);
          break;
        case 0x65:
        case 0x45:
          at = exponent(text, at);
          break;
        case 0x2c:
          this.#comma(at);
          break;
      }
    }
    this.#at = at;
    return at < text.length;
  }

  #named(): void {
    const inside = this.#inside;
    if (this.#stringAt !== NONE && inside?.keys != null)
      inside.key = hold(inside.keys, this.#text.slice(this.#stringAt + 1, this.#stringEnd));
    this.#stringAt = NONE;
  }

  #opened(isList: boolean, from: number): void {
    const around = this.#inside;
    const named = around === undefined ? [] : around.isList ? null : around.path;
    const path = named === null ? null : around === undefined ? [] : [...named, around.key];
    const [keys, cuts] = isList ? [null, []] : [new HeldKeys(), NO_CUTS];
    this.#inside = { isList, keys, path, from, cuts, cutAt: from, key: '' };
    this.#open.push(this.#inside);
    if (this.#open.length > DEPTH) throw refuse(`it is nested more than ${DEPTH} deep`);
  }

  #closed(isList: boolean, to: number): void {
    const closed = this.#open.pop();
    this.#inside = this.#open.at(-1);
    if (closed === undefined) return;
    if (closed.isList !== isList) throw notJson('brackets do not match');
    const { path, from, cuts } = closed;
    if (path !== null && path.length > 0 && cuts.length > 0) this.lists.push({ path, from, to, cuts });
  }

  #comma(at: number): void {
    this.#stringAt = NONE;
    const inside = this.#inside;
    if (!inside?.isList || at - inside.cutAt < this.#chunk) return;
    inside.cuts.push(at);
    inside.cutAt = at;
  }
}

const NONE = -1;
const NO_CUTS: number[] = [];
const MANY_KEYS = 16;

/** The keys of one object. A few are searched in a list, since making a set costs more; many are not, whatever is sent. */
class HeldKeys {
  readonly #few: string[] = [];
  #many: Set<string> | null = null;

  /** False if it is there already. */
  add(key: string): boolean {
    if (this.#many !== null) return this.#many.size !== this.#many.add(key).size;
    if (this.#few.includes(key)) return false;
    if (this.#few.push(key) > MANY_KEYS) this.#many = new Set(this.#few);
    return true;
  }
}

/** The search for a quote is the engine's own, several times as fast as a look at each character. */
function endOfString(text: string, from: number): number {
  for (let at = text.indexOf('"', from + 1); at !== NONE; at = text.indexOf('"', at + 1)) {
    let escapes = at - 1;
    while (escapes > from && text.charCodeAt(escapes) === 0x5c) escapes--;
    if ((at - escapes) % 2 === 1) return at;
  }
  return text.length;
}

function hold(keys: HeldKeys, quoted: string): string {
  const key = quoted.includes('\\') ? String(JSON.parse(`"${quoted}"`)) : quoted;
  if (key === '__proto__') throw refuse('it has a key "__proto__"');
  if (!keys.add(key)) throw refuse(`the key ${JSON.stringify(key.slice(0, 100))} stands in it twice`);
  return key;
}

/** Reads the number around an exponent: only a number with an exponent can be too large. */
function exponent(text: string, at: number): number {
  const digits = /^[eE][+-]?\d+/.exec(text.slice(at, at + 12));
  if (digits === null) return at;
  let from = at;
  while (from > 0 && /[-+.\d]/.test(text[from - 1] ?? '')) from--;
  if (!Number.isFinite(Number(text.slice(from, at) + digits[0])))
    throw refuse('it has a number that does not fit');
  return at + digits[0].length - 1;
}
