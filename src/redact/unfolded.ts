const FULL_WIDTH = /[\uff01-\uff5e]/g;
const OFFSET = 0xfee0;

/** A NUL as a string literal or a viewer spells it; the character itself is invisible, and is removed before. */
const SPELLED_NUL = /\\u0000|\\x00|\\0(?!\d)|\u2400/g;

/** Stands for a NUL, or for bytes that are no text, once a line was made well-formed. */
const REPLACED = /\ufffd/g;

/**
 * Other texts that a reader takes a text for: without the returns that a terminal obeys, without NULs, and in letters of
 * ordinary width. A secret that is spelled so is one all the same.
 */
export const UNFOLDINGS: readonly ((text: string) => string)[] = [
  (text) => text.replace(SPELLED_NUL, ''),
  (text) => text.replace(REPLACED, ''),
  (text) => (text.includes('\r') ? text.replace(/\r\n?/g, '') : text),
  (text) => text.replace(FULL_WIDTH, (letter) => String.fromCharCode(letter.charCodeAt(0) - OFFSET)),
];
