import { KEY_BEGINS, KEY_ENDS, KEY_KIND } from './private-keys.ts';
import { marker, redact } from './redact.ts';
import type { SecretValues } from './secret-values.ts';

/**
 * The longest key in use has about sixty lines; a log that prints only the first line of one must not lose
 * the rest.
 */
const MAX_KEY_LINES = 100;

/**
 * Redacts one stream line by line: a private key is recognised by its first line, and hidden up to its last.
 */
export class LineRedactor {
  #keyLines = 0;

  line(text: string, values?: SecretValues): string {
    if (this.#keyLines > 0) {
      const ends = KEY_ENDS.test(text);
      this.#keyLines = ends ? 0 : this.#keyLines - 1;
      return marker(KEY_KIND);
    }
    const begins = KEY_BEGINS.exec(text);
    if (begins !== null && !KEY_ENDS.test(text.slice(begins.index))) this.#keyLines = MAX_KEY_LINES;
    return redact(text, values);
  }
}
