import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { redact } from '../redact/redact.ts';
import { plainLine, storedLine } from './plain-line.ts';

describe('a stored line is plain text (F90)', () => {
  const table: [string, string, string][] = [
    ['colours', '\u001b[31mred\u001b[0m and \u001b[1;38;5;196mmore\u001b[m', 'red and more'],
    ['cursor and screen', 'a\u001b[2J\u001b[1;1Hb\u001b7c\u001b(Bd', 'abcd'],
    ['a title', '\u001b]0;title\u0007text', 'text'],
    ['a link', '\u001b]8;;https://x.example\u001b\\label\u001b]8;;\u001b\\', 'label'],
    ['a sequence that never ends hides nothing', 'a\u001b]0;title and text', 'a0;title and text'],
    ['eight-bit sequences', '\u009b31mred\u009b0m', 'red'],
    ['an escape at the end', 'end\u001b', 'end'],
    ['NUL, bell, backspace', 'a\0b\u0007c\bd', 'abcd'],
    ['a byte order mark', '\ufefftext', 'text'],
    ['line ends', 'text\r\n', 'text'],
    ['a progress bar', '10%\r20%\rdone', '10% 20% done'],
    ['breaks of all kinds', 'a\nb\u2028c\u0085d', 'a b c d'],
    ['tabs', 'a\tb', 'a\tb'],
    ['text turned around', 'user\u202etxt.exe\u2066', 'usertxt.exe'],
    ['half a character', 'a\ud83db', 'a\ufffdb'],
    ['whole characters', 'naïve 日本 👩‍🚀', 'naïve 日本 👩‍🚀'],
  ];
  test.each(table)('%s', (_, text, plain) => {
    expect(plainLine(text)).toBe(plain);
  });

  test('any input fits into one line of JSON and of SSE, and reads back unchanged', () => {
    const pieces = fc.constantFrom(
      '\u001b',
      '[',
      ']',
      '0m',
      '\u0007',
      '\u009b',
      '\r',
      '\n',
      '\0',
      '\ud83d',
      '\ude80',
      '\u2028',
      'text',
      '\\',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string({ unit: 'binary' }))), (parts) => {
        const line = plainLine(parts.join(''));
        expect(line).not.toMatch(/(?!\t)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect(Buffer.from(JSON.stringify({ line })).toString()).not.toMatch(/[\r\n]/);
        expect(JSON.parse(Buffer.from(JSON.stringify({ line })).toString())).toEqual({ line });
        expect(plainLine(line)).toBe(line);
      }),
    );
  });
});

describe('a stored line has a maximum length (F89)', () => {
  test('a short line stays unchanged', () => {
    expect(storedLine('é'.repeat(50), 100, redact)).toBe('é'.repeat(50));
  });

  test('a long line is cut between characters, with the number of bytes cut', () => {
    expect(storedLine(`a${'é'.repeat(60)}`, 100, redact)).toBe(`a${'é'.repeat(49)} [cut: 22 more bytes]`);
  });

  test('a line of 32 MiB costs no more than a long one', () => {
    let longest = 0;
    const line = storedLine('x'.repeat(32 * 1024 * 1024), 4096, (text) => {
      longest = text.length;
      return text;
    });
    expect(longest).toBeLessThanOrEqual(4 * 4096);
    expect(line).toBe(`${'x'.repeat(4096)} [cut: ${32 * 1024 * 1024 - 4096} more bytes]`);
  });

  test('no cut leaves half a secret, wherever it falls', () => {
    const secret = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2eF4'}`;
    for (let before = 0; before < 700; before += 7) {
      const text = `${'x'.repeat(before)} ${secret} ${'y'.repeat(800)}`;
      expect(storedLine(text, 256, redact)).not.toContain('aB3d');
    }
  });

  test('not even where redaction shortens the text before the cut', () => {
    const secret = `ghp_${'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD2eF4'}`;
    for (let length = 900; length < 1024; length++) {
      const long = `password=${'p'.repeat(length - 10)}`;
      expect(storedLine(`${long} ${secret} ${'y'.repeat(800)}`, 256, redact)).not.toContain('aB3');
    }
  });

  test('a secret across a return is recognised, though a space takes its place', () => {
    expect(storedLine('x ghp_aB3dE5gH7\rjK9mN1pQ2sT4vW6xY8 y\r\n', 256, redact)).toBe(
      'x [redacted github token] y',
    );
    expect(storedLine('password:\rhunter2hunter2', 256, redact)).toBe('password:[redacted value]');
  });

  test('a secret with colour codes in it is recognised all the same', () => {
    expect(storedLine('pass\u001b[1mword=\u001b[0mhunter2', 256, redact)).toBe('password=[redacted value]');
  });
});
