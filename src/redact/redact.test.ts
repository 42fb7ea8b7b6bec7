import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NAMES_STAY, PLANTED, PLANTED_LINES, PLANTED_NAMES, STAYS } from '../../test/redact/planted.ts';
import { LineRedactor } from './key-block.ts';
import { PATTERNS, redact, redactName } from './redact.ts';
import { SecretValues } from './secret-values.ts';

/** The secret is gone, also any piece of it that would help: eight characters in a row. */
function expectGone(text: string, secret: string, what: string): void {
  expect(text, what).toContain('[redacted ');
  expect(text, what).not.toContain(secret);
  for (const line of secret.split('\n')) {
    if (line.startsWith('-----')) continue;
    for (let at = 0; at + 8 <= line.length; at += 4) expect(text, what).not.toContain(line.slice(at, at + 8));
  }
}

describe('planted secrets', () => {
  test.each(PLANTED)('%s', (what, text, secret) => {
    expect(text).toContain(secret);
    expectGone(redact(text), secret, what);
    expectGone(redact(`2026-11-15 INFO [web] ${text} (code 1)`), secret, `${what}, inside a line`);
  });

  test.each(PLANTED_LINES)('%s', (what, text, secret) => {
    expectGone(redact(text), secret, what);
    expectGone(redact(`before\n${text}\nafter`), secret, what);
  });

  test('text around a secret stays', () => {
    expect(redact('postgres://app:hunter2@db.example.com:5432/app')).toBe(
      'postgres://app:[redacted password]@db.example.com:5432/app',
    );
    expect(redact('{"user":"bob","password":"hunter2","ok":true}')).toBe(
      '{"user":"bob","password":"[redacted value]","ok":true}',
    );
    expect(redact('user=bob password=hunter2 ok=true')).toBe('user=bob password=[redacted value] ok=true');
    expect(redact('GET /cb?access_token=abcdefgh&x=1 200')).toBe(
      'GET /cb?access_token=[redacted parameter]&x=1 200',
    );
  });

  test('all of them in one text are redacted', () => {
    const text = redact(PLANTED.map(([, planted]) => planted).join('\n'));
    for (const [what, , secret] of PLANTED) expectGone(text, secret, what);
  });

  test('redacting twice gives the same as once', () => {
    for (const [what, text] of PLANTED) expect(redact(redact(text)), what).toBe(redact(text));
    const pieces = fc.constantFrom(
      ...PLANTED.map(([, text]) => text),
      ...STAYS,
      ' ',
      '\n',
      '"',
      '=',
      ': ',
      ',',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 6 }), (parts) => {
        const once = redact(parts.join(' '));
        expect(redact(once)).toBe(once);
      }),
      { numRuns: 300 },
    );
  });
});

test.each(STAYS)('stays: %s', (text) => {
  expect(redact(text)).toBe(text);
});

describe('in names and addresses', () => {
  test.each(PLANTED_NAMES)('%s', (what, text, secret) => {
    expectGone(redactName(text), secret, what);
    const split = `${text.slice(0, -4)}\u0000\u001b[0m${text.slice(-4)}`;
    expect(redactName(split), 'split by what nobody sees').toBe(redactName(text));
  });

  test.each([...NAMES_STAY, ...STAYS])('stays: %s', (text) => {
    expect(redactName(text)).toBe(text);
  });
});

test('a pattern finds nothing in a text that holds none of its keywords', () => {
  for (const { kind, pattern, keywords } of PATTERNS) {
    for (const [, text] of PLANTED) {
      if (text.search(pattern) === -1) continue;
      const lower = text.toLowerCase();
      expect(
        keywords.some((keyword) => lower.includes(keyword)),
        `${kind}: ${text}`,
      ).toBe(true);
    }
  }
});

describe('secret values of a spec', () => {
  const values = new SecretValues([
    'opensesame!',
    'opensesame!longer',
    'a b&c/d"e',
    'dev',
    'line one of it is long\nline two of it too',
  ]);
  test('are replaced wherever they stand, in the forms they are sent in', () => {
    expect(redact('said opensesame! twice: opensesame!longer', values)).toBe(
      'said [redacted value] twice: [redacted value]',
    );
    for (const form of [
      'a b&c/d"e',
      'a%20b%26c%2Fd%22e',
      'a b&c/d\\"e',
      Buffer.from('a b&c/d"e').toString('base64'),
    ]) {
      expect(redact(`x ${form} y`, values)).toBe('x [redacted value] y');
    }
    expect(redact('line two of it too', values)).toBe('[redacted value]');
  });
  test('unless they are too short to be distinguished from words', () => {
    expect(redact('started in dev mode', values)).toBe('started in dev mode');
  });
  test('that are a key leave the armour of another key, by which that one is recognised', () => {
    const armoured = (of: string) => `-----BEGIN PRIVATE KEY-----\n${of}\n-----END PRIVATE KEY-----\n`;
    const own = new SecretValues([armoured('MIIEowIBAAKCAQEAownownownown')]);
    const other = JSON.stringify({ private_key: armoured('OTHERKEYMIIBVgIBADANBg') });
    expect(redact(other, own)).toBe(redact(other));
    expect(redact(other, own)).not.toContain('OTHERKEY');
    expect(redact(JSON.stringify(armoured('MIIEowIBAAKCAQEAownownownown')), own)).toBe('"[redacted value]"');
  });
  describe('in disguise', () => {
    const known = new SecretValues(['swordfish-4711', 'with\u0000nul-4711', 'sword<fish>&"4711\'']);
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const wide = (text: string) =>
      [...text].map((letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).join('');
    test.each([
      ['base64 behind a user', base64('user:swordfish-4711')],
      ['base64 behind a shorter user', base64('u:swordfish-4711')],
      ['base64 between others', base64('ab:swordfish-4711:zz')],
      ['base64 for addresses', Buffer.from('me:swordfish-4711').toString('base64url')],
      ['a return', 'sword\rfish-4711'],
      ['a return and a new line', 'sword\r\nfish-4711'],
      ['NUL', 'sword\u0000fish-4711'],
      ['NUL in all places', [...'swordfish-4711'].join('\u0000')],
      ['NUL in JSON', JSON.stringify('sword\u0000fish-4711')],
      ['NUL in the value', 'with\u0000nul-4711'],
      ['a byte that is no text in between', 'swo\ufffdrdfish-4711'],
      ['such bytes between all letters', [...'swordfish-4711'].join('\ufffd')],
      ['fullwidth letters', wide('swordfish-4711')],
      ['entities of a page', 'sword&lt;fish&gt;&amp;&quot;4711&#39;'],
      ['entities by number', '&#x73;word&#60;fish&#x3E;&#38;&#34;4711&apos;'],
      ['JSON that spells what a page must not hold', 'sword\\u003cfish\\u003E\\u0026\\u00224711\\u0027'],
      ['a script that spells them', 'sword\\x3cfish\\x3e\\x26\\x224711\\x27'],
      ['an address with more spelled than it must', '%73wordfish%2d4711'],
      ['an address within an address', '%2573wordfish%252d4711'],
      ['JSON within JSON', JSON.stringify('\\u0073wordfish-4711')],
      ['entities of a page within a page', '&amp;#115;wordfish&amp;#x2d;4711'],
      ['entities with zeros before them', '&#0115;wordfish&#x002D;4711'],
      ['entities without an end', '&#115wordfish&#45;4711'],
      ['a script that spells them in braces', '\\u{73}wordfish\\u{002d}4711'],
      ['a shell that spells them in octal', '\\163wordfish\\0554711'],
      ['two spellings at once', '%73&#119;ordfish\\x2d4711'],
      ['a spelling in wide letters', wide('%73wordfish-4711')],
      ['hex in capitals', Buffer.from('swordfish-4711').toString('hex').toUpperCase()],
      ['hex with blanks', Buffer.from('swordfish-4711').toString('hex').match(/../g)?.join(' ') ?? ''],
      ['hex with colons', Buffer.from('swordfish-4711').toString('hex').match(/../g)?.join(':') ?? ''],
      ['base64 of base64', base64(base64('swordfish-4711'))],
      ['base64 of base64 behind a user', base64(base64('user:swordfish-4711'))],
      ['base64 of a header with base64', base64(`Basic ${base64('user:swordfish-4711')}`)],
    ])('%s', (_how, text) => {
      const redacted = redact(`x ${text} y`, known);
      expect(redacted).toContain('[redacted value]');
      for (const piece of ['word', '4711', 'c3dvcmRm', 'N3b3JkZm', 'zd29yZG', '6F72', '6f 72', '6f:72'])
        expect(redacted).not.toContain(piece);
    });
    test('and text that hides nothing stays as it was written', () => {
      for (const text of [
        '50 %25 of &lt;all&gt; \\u003d',
        '10 %\r20 %\r30 %',
        'これは（テスト）です！',
        'a\\u0000b',
        'C:\\101 of 100 %2525 &amp;amp; \\u{61}',
        'YWJjZGVmZ2hpamtsbW5v',
      ])
        expect(redact(text, known)).toBe(text);
    });
  });
  test('half a surrogate pair breaks nothing', () => {
    expect(redact('x', new SecretValues(['\ud800abcdefgh']))).toBe('x');
  });
});

describe('line by line', () => {
  const key = PLANTED.find(([what]) => what === 'RSA key')?.[1] ?? '';
  test('a private key is hidden from its first line to its last, and the lines after it are not', () => {
    const lines = new LineRedactor();
    const text = ['before', ...key.split('\n'), 'after'].map((line) => lines.line(line));
    expect(text).toEqual(['before', ...Array(5).fill('[redacted private key]'), 'after']);
  });
  test('a key without an end hides no more lines than a key can have', () => {
    const lines = new LineRedactor();
    lines.line('-----BEGIN PRIVATE KEY-----');
    const text = Array.from({ length: 120 }, (_, n) => lines.line(`line ${n}`));
    expect(text.filter((line) => line !== '[redacted private key]')).toHaveLength(20);
  });
});
