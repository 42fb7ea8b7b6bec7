import { buildSchema } from 'graphql';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { TypeWriter } from './types-of-schemas.ts';

const text = (schema: z.ZodObject, direction: 'input' | 'output' = 'output') =>
  new TypeWriter({ 'Thing.parts': 'Part' })[direction]('Thing', schema).text();

it('writes what is never null, what may be, and lists', () => {
  const written = text(
    z.object({ a: z.string(), b: z.int().nullable(), c: z.array(z.boolean()).optional() }),
  );
  expect(written).toBe('type Thing {\n  a: String!\n  b: Int\n  c: [Boolean!]\n}');
});

it('gives milliseconds and bytes the room that an integer of 32 bits lacks', () => {
  expect(text(z.object({ ageMs: z.int(), count: z.int() }))).toContain('ageMs: Float!\n  count: Int!');
});

it('names an object inside another for both, or as it is told to', () => {
  const written = text(
    z.object({ inner: z.object({ x: z.int() }), parts: z.array(z.object({ y: z.int() })) }),
  );
  expect(written).toContain('inner: ThingInner!\n  parts: [Part!]!');
});

it('takes alternatives of an object for one with nulls, and others for any value', () => {
  const union = z.union([
    z.object({ ok: z.literal(true) }),
    z.object({ ok: z.literal(false), why: z.string() }),
  ]);
  const written = text(z.object({ answer: union, value: z.union([z.string(), z.number()]) }));
  expect(written).toContain('value: JSON\n');
  expect(written).toContain('type ThingAnswer {\n  ok: Boolean!\n  why: String\n}');
});

it('writes words as an enum, and those that GraphQL has no names for as text', () => {
  const written = text(z.object({ good: z.enum(['a', 'b']), bad: z.enum(['a.b', 'c']) }));
  expect(written).toContain('good: ThingGood!\n  bad: String!');
});

it('of an input, what has a default may be left out', () => {
  expect(text(z.object({ n: z.int().default(3) }), 'input')).toBe('input Thing {\n  n: Int\n}');
  expect(text(z.object({ n: z.int().default(3) }))).toBe('type Thing {\n  n: Int!\n}');
});

it('writes what GraphQL can read', () => {
  const written = text(z.object({ a: z.string().describe('says "x"\nand y'), at: z.iso.datetime() }));
  expect(() => buildSchema(`scalar DateTime\ntype Query { t: Thing }\n${written}`)).not.toThrow();
});
