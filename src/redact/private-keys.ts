import type { Pattern } from './pattern.ts';

const END = '-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
export const KEY_BEGINS = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
export const KEY_ENDS = new RegExp(END);
export const KEY_KIND = 'private key';

export const PRIVATE_KEYS: readonly Pattern[] = [
  {
    kind: KEY_KIND,
    keywords: ['private key'],
    // Extends to the end of the text if nothing ends it: the rest was cut off, or comes with the next line.
    pattern: new RegExp(`${KEY_BEGINS.source}[\\s\\S]*?(?:${END}|$(?![\\s\\S]))`, 'g'),
  },
];

/** A line that ends in base64 of the width of a key file. Digests stay: they are of one case, or shorter. */
export const KEY_LINE_LENGTH = 60;
export const KEY_LINES = /(?<!\S)[A-Za-z0-9+/]{60,76}={0,2}[ \t\r]*$/gm;
export const isKeyLine = (line: string) => /[a-z]/.test(line) && /[A-Z]/.test(line) && /[0-9+/]/.test(line);
