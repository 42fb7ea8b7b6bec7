import { SENT_LINE_CHARS } from '../contract/log-limits.ts';
import { visible } from '../redact/visible.ts';
import { wellFormed } from '../redact/well-formed.ts';

const BREAKS = /[\r\n\v\f\u0085\u2028\u2029]+/g;
const ENDS = /[\r\n]+$/;
const HAS_BREAK = /[\r\n\v\f\u0085\u2028\u2029]/;

/**
 * Turns a line into plain text (F90). No readable text is lost: text that a terminal would have overwritten
 * stays, after the text that it would have covered.
 */
export function plainLine(text: string): string {
  return visible(wellFormed(text).replace(ENDS, '')).replace(BREAKS, ' ');
}

/**
 * Exceeds every secret that is recognised by its full form: a secret that is cut is removed with this margin.
 */
const LONGEST_SECRET = 512;

/**
 * Prepares a line for storage: plain, redacted, and no longer than `maxBytes` (F89), with the number of
 * missing bytes. Redaction comes before the cut, since half a secret is not recognised; the text that is
 * redacted is bounded too.
 */
export function storedLine(text: string, maxBytes: number, redacted: (line: string) => string): string {
  const atMost = 4 * maxBytes;
  const start = text.length > atMost ? text.slice(0, atMost - LONGEST_SECRET) : text;
  // A break is redacted as it is, before a space takes its place: a secret may reach across it.
  const whole = redacted(wellFormed(start).replace(ENDS, ''));
  const line = HAS_BREAK.test(whole) ? redacted(plainLine(whole)) : plainLine(whole);
  const bytes = Buffer.from(line);
  if (start === text && bytes.length <= maxBytes) return line;
  const beginning = completeCharacters(bytes.subarray(0, maxBytes));
  const missing =
    Buffer.byteLength(text) - Buffer.byteLength(start) + bytes.length - Buffer.byteLength(beginning);
  // A sender cuts before it sends, and does not say how much: then this is the least that is missing.
  const isCutBefore = text.length === SENT_LINE_CHARS;
  return `${beginning} [cut: ${missing}${isCutBefore ? ' or' : ''} more bytes]`;
}

/** Decodes without the half of a character that a cut has left at the end. */
const completeCharacters = (bytes: Uint8Array) => new TextDecoder().decode(bytes, { stream: true });
