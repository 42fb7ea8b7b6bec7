import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, parseLargeJson } from './json.ts';

const TINY = { large: 0, chunk: 5 };

const outcome = async (read: () => unknown) => {
  try {
    return { value: await read() };
  } catch (error) {
    return { refused: (error as { code: string }).code };
  }
};

describe('a large document, read in pieces (F80)', () => {
  it('is read as it would be at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), async (value) => {
        const text = JSON.stringify(value);
        const one = await outcome(() => parseJson(text));
        expect(await outcome(() => parseLargeJson(text, 'refused', TINY))).toEqual(one);
      }),
    );
  });

  it('is refused where it would be at once, wherever it is broken (F101)', async () => {
    const text = JSON.stringify({ a: [1, [2, 3], { b: [4, 5, 6] }, 'x,]y', null], c: { d: [7, 8, 9, 10] } });
    const pieces = ['', ',', ']', '[', '}', '{', '"', ':', ' ', '1', '\\', 'e', ',,'];
    for (let at = 0; at <= text.length; at++) {
      for (const piece of pieces) {
        for (const cut of [0, 1]) {
          const broken = text.slice(0, at) + piece + text.slice(at + cut);
          const one = await outcome(() => parseJson(broken));
          expect(await outcome(() => parseLargeJson(broken, 'refused', TINY)), broken).toEqual(one);
        }
      }
    }
  });

  it('yields to others in between', async () => {
    const items = Array.from({ length: 40_000 }, (_, n) => ({ uid: `u${n}`, name: 'x'.repeat(100) }));
    const text = JSON.stringify({ items });
    let turns = 0;
    let spinning = setImmediate(function spin() {
      turns += 1;
      spinning = setImmediate(spin);
    });
    expect(await parseLargeJson(text)).toEqual({ items });
    clearImmediate(spinning);
    expect(turns, 'others had their turn').toBeGreaterThan(2);
  });
});

describe('a document from outside (F101)', () => {
  it('is read as JSON.parse reads it, whatever its texts and keys contain', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', ':', ',', '{', '[', 'e', 'ü', '1', ' ') });
    const json = fc.jsonValue({ stringUnit: 'grapheme' });
    fc.assert(
      fc.property(fc.dictionary(text, fc.oneof(text, json), { noNullPrototype: true }), (value) => {
        const written = JSON.stringify(value);
        if (!written.includes('__proto__'))
          expect(parseJson(written, 'replaced')).toEqual(JSON.parse(written));
      }),
    );
  });

  const keys = Array.from({ length: 40 }, (_, n) => `"k${n}":${n}`);
  it.each([
    ['{"a":1,"a":2}', 'twice'],
    ['{"a\\\\":1,"b":2,"a\\\\":3}', 'twice'],
    ['{"a\\"b":1,"a\\u0022b":2}', 'twice'],
    [`{${[...keys, '"k3":1'].join()}}`, 'twice'],
    [`{${[...keys, '"k39":1'].join()}}`, 'twice'],
    ['[{"a":1},{"b":{"a":1,"\\u0061":2}}]', 'twice'],
    ['{"__proto__":1}', '__proto__'],
    ['{"\\u005f_proto__":1}', '__proto__'],
    ['{"a":1e999}', 'does not fit'],
    ['['.repeat(65), 'nested'],
  ])('%s is refused', (text, why) => {
    expect(() => parseJson(text)).toThrow(why);
  });

  it('may have the same key in different objects, and the text of a key as a value', () => {
    const text = `{"a":{"a":"a"},"b":["b","b",{"b":"\\"b\\":"}],${keys.join()}}`;
    expect(parseJson(text)).toEqual(JSON.parse(text));
  });
});

describe('text that no database stores (F28)', () => {
  it.each(['\\u0000', '\\ud83d', 'x\\udc00y', '\\uDC00\\ud83d'])('%s is refused, or replaced', (text) => {
    expect(() => parseJson(`{"a":"${text}"}`)).toThrow('half a character');
    const { a } = parseJson(`{"a":"${text}"}`, 'replaced') as { a: string };
    expect(a).toContain('\ufffd');
    expect(Buffer.from(a).toString()).toBe(a);
  });

  it('leaves valid text unchanged', () => {
    expect(parseJson('{"a":"\\ud83d\\ude00\\u0001"}')).toEqual({ a: '😀\u0001' });
  });
});
