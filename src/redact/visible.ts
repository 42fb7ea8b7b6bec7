/** Sequences that move a cursor or set a title or a colour; then the rest of those that never end. */
const SEQUENCES = new RegExp(
  [
    String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?`,
    String.raw`(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)`,
    String.raw`\x1b[ -/]*[0-~]?`,
  ].join('|'),
  'g',
);
/** Controls but for tabs and line breaks, byte order marks, and what turns the direction of writing around. */
const INVISIBLE = /(?![\t\r\n\v\f\u0085])[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Characters without width between letters that need none. Other scripts and emoji are written with some of these. */
const WIDTHLESS =
  /(?<=[ -~])(?:[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u206f]|\u034f|[\ufe00-\ufe0f])+(?=[ -~])/g;

/** Removes what readers do not see: a secret that is split by it would be whole again on the screen. */
export const visible = (text: string) =>
  text.replace(SEQUENCES, '').replace(INVISIBLE, '').replace(WIDTHLESS, '');
