import { visible } from '../redact/visible.ts';
import { wellFormed } from '../redact/well-formed.ts';

const BREAKS = /[\r\n\v\f\u0085\u2028\u2029]+/g;
const ENDS = /[\r\n]+$/;

/**
 * One line as text and nothing else (F90). Nothing of it that can be read is lost: what would have been written over
 * stands behind what it would have covered.
 */
export function plainLine(text: string): string {
  return visible(wellFormed(text).replace(ENDS, '')).replace(BREAKS, ' ');
}

/** Longer than any secret that is known by its whole form: what is cut within one is taken off with it. */
const LONGEST_SECRET = 512;

/**
 * One line as it is kept: plain, redacted, and no longer than `maxBytes` (F89), with a word on what is missing.
 * Redacted before it is cut, since half a secret is not known as one; but not without bound.
 */
export function keptLine(text: string, maxBytes: number, redacted: (line: string) => string): string {
  const atMost = 4 * maxBytes;
  const start = text.length > atMost ? text.slice(0, atMost - LONGEST_SECRET) : text;
  const line = redacted(plainLine(start));
  const bytes = Buffer.from(line);
  if (start === text && bytes.length <= maxBytes) return line;
  const kept = wholeCharacters(bytes.subarray(0, maxBytes));
  const missing = Buffer.byteLength(text) - Buffer.byteLength(start) + bytes.length - Buffer.byteLength(kept);
  return `${kept} [cut: ${missing} more bytes]`;
}

/** Streaming leaves out the half of a character that a cut has left at the end. */
const wholeCharacters = (bytes: Uint8Array) => new TextDecoder().decode(bytes, { stream: true });
