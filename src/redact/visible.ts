/** What moves a cursor, sets a title or a colour: whole sequences, then what is left of those that never end. */
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

/** What has no width, between letters that need none of it: other scripts and pictures are written with some of these. */
const WIDTHLESS =
  /(?<=[ -~])(?:[\u00ad\u061c\u180e\u200b-\u200f\u2060-\u206f]|\u034f|[\ufe00-\ufe0f])+(?=[ -~])/g;

/** What can be read of a text: a secret that is split by what nobody sees would be one again before their eyes. */
export const visible = (text: string) =>
  text.replace(SEQUENCES, '').replace(INVISIBLE, '').replace(WIDTHLESS, '');
