const FULL_WIDTH = /[\uff01-\uff5e]/g;
const OFFSET = 0xfee0;

/** A NUL as a string literal or a viewer spells it; the character itself is invisible, and is removed before. */
const SPELLED_NUL = /\\u0000|\\x00|\\0(?!\d)|\u2400/g;

/** Printable characters as JSON, JavaScript, a shell, an address or a page may spell them. */
const SPELLED_BY_NUMBER =
  /(?:\\u00|\\x|%)([2-7][0-9a-f])|\\u\{0{0,4}([2-7][0-9a-f])\}|\\(0[4-7][0-7]|1[0-7]{2})/gi;
/** A page also reads numbers without the end, and with zeros before them. */
const ENTITY = /&(?:#0{0,6}(\d{2,3});?|#x0{0,6}([2-7][0-9a-f]);?|(amp|lt|gt|quot|apos);)/gi;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const ofCode = (code: number) => (code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : null);

/** Stands for a NUL, or for bytes that are no text, once a line was made well-formed. */
const REPLACED = /\ufffd/g;

/**
 * Other texts that a reader takes a text for: without the returns that a terminal obeys, without NULs, and in letters of
 * ordinary width, or with the characters that others spell by a number or a name. A secret that is spelled so is one all
 * the same.
 */
export const UNFOLDINGS: readonly ((text: string) => string)[] = [
  (text) => text.replace(SPELLED_NUL, ''),
  (text) => text.replace(REPLACED, ''),
  (text) => (text.includes('\r') ? text.replace(/\r\n?/g, '') : text),
  (text) =>
    text.replace(SPELLED_BY_NUMBER, (spelled: string, hex?: string, braced?: string, octal?: string) => {
      const code = octal === undefined ? Number.parseInt(hex ?? braced ?? '', 16) : Number.parseInt(octal, 8);
      return ofCode(code) ?? spelled;
    }),
  (text) =>
    text.replace(ENTITY, (entity: string, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity;
      return ofCode(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)) ?? entity;
    }),
  (text) => text.replace(FULL_WIDTH, (letter) => String.fromCharCode(letter.charCodeAt(0) - OFFSET)),
];

/** Text that was written down by one program after the other is spelled as often; more than this is no accident. */
const MOST_SPELLINGS = 4;

/** The text without any of these spellings, also one within another, as in an address within an address. */
export function unfoldedWhole(text: string): string {
  let result = text;
  for (let n = 0; n < MOST_SPELLINGS; n++) {
    const before = result;
    for (const unfold of UNFOLDINGS) result = unfold(result);
    if (result === before) break;
  }
  return result;
}
