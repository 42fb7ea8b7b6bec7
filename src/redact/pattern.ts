/**
 * Describes one kind of secret. The text of the pattern's first group, if it has one, stays; the rest of the
 * match is the secret, and is replaced by `[redacted <kind>]`.
 *
 * The patterns run on text from outside, so none may backtrack over more than a bounded piece (F105): each
 * begins with a literal or at the edge of a word, each gap has a bound, and an unbounded run is the last part
 * of its pattern or is followed by characters that cannot be part of it. redact.time.test.ts enforces it.
 * Rejected: RE2 (re2js 2.10); it cannot backtrack, but took 54 µs for a line of 145 characters where this
 * takes 1.
 */
export interface Pattern {
  readonly kind: string;
  /** In lower case, three characters at least; a text that holds none of them is not searched. */
  readonly keywords: readonly string[];
  readonly pattern: RegExp;
  /** True if this is no secret after all. */
  readonly keep?: (secret: string, lead: string) => boolean;
}
