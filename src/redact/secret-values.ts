import { encodedPieces, replaceRuns } from './encoded.ts';
import { visible } from './visible.ts';
import { wellFormed } from './well-formed.ts';

/**
 * Shorter values are words and numbers that logs are full of: replacing them would hide more than it
 * protects.
 */
const MIN_LENGTH = 6;
const VALUE = '[redacted value]';

/** The secret values of a service's spec, also in the encodings in which they are usually sent. */
export class SecretValues {
  /** The longest first: one value may be part of another. */
  readonly #forms: readonly string[];
  /** Parts of their base64, and of the base64 of that, in the midst of other base64, as of `user:secret`. */
  readonly #pieces: readonly string[];

  constructor(values: Iterable<string>) {
    const forms = new Set<string>();
    const pieces = new Set<string>();
    for (const value of values) {
      if (value.trim().length < MIN_LENGTH) continue;
      for (const form of formsOf(value)) forms.add(form);
      for (const piece of encodedPieces(value)) {
        pieces.add(piece);
        // A header that is itself base64 is often encoded once more, as in the Secrets of a cluster.
        for (const twice of encodedPieces(piece)) pieces.add(twice);
      }
    }
    this.#pieces = [...pieces];
    this.#forms = [...forms].sort((a, b) => b.length - a.length);
  }

  replaceIn(text: string): string {
    let result = text;
    for (const form of this.#forms) {
      if (result.includes(form)) result = result.replaceAll(form, VALUE);
    }
    for (const piece of this.#pieces) {
      if (result.includes(piece)) result = replaceRuns(result, piece, VALUE);
    }
    return result;
  }
}

export const NO_VALUES = new SecretValues([]);

/** Hexadecimal as programs print it: in either case, and with or without something between the bytes. */
function hexForms(value: string): string[] {
  const bytes = Buffer.from(value).toString('hex').match(/../g) ?? [];
  return ['', ' ', ':'].flatMap((between) => {
    const hex = bytes.join(between);
    return [hex, hex.toUpperCase()];
  });
}

/** The first and last line of a key block are no secrets; the lines between them are recognised by them. */
const isArmour = (line: string) => /^\s*-----(?:BEGIN|END) [A-Z0-9 ]+-----\s*$/.test(line);

function formsOf(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.trim().length >= 16 && !isArmour(line));
  return [
    value,
    value.trim(),
    // The text is searched without its invisible characters.
    visible(value),
    encodeURIComponent(wellFormed(value)),
    JSON.stringify(value).slice(1, -1),
    Buffer.from(value).toString('base64'),
    Buffer.from(value).toString('base64url'),
    ...hexForms(value),
    // A value of several lines reaches a log line by line.
    ...(value.includes('\n') ? lines : []),
  ];
}
