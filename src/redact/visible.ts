/** Matches sequences that move a cursor or set a title or a colour, and then unfinished ones. */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?`,
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);
/**
 * Matches controls but for tabs and line breaks, byte order marks, and marks that reverse the direction of
 * writing.
 */
const INVISIBLE = /(?![\t\r\n\v\f\u0085])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/**
 * Matches characters without width between letters that need none. Other scripts and emoji use some of these.
 */
const WIDTHLESS =
  /(?<=[ -~])(?:[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u206f]|\u034f|[\ufe00-\ufe0f])+(?=[ -~])/g;

/** Removes invisible characters: a secret that is split by them would be complete again on the screen. */
export const visible = (text: string) =>
  text.replace(SEQUENCES, '').replace(INVISIBLE, '').replace(WIDTHLESS, '');
