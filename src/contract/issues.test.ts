import { expect, it } from 'vitest';
import { z } from 'zod';
import { observationRequestSchema } from './observation.ts';
import { issues } from './report.ts';

const wordsOf = (schema: z.ZodType, value: unknown) => issues(schema.safeParse(value).error as z.ZodError);

it('limits are said in words', () => {
  expect(wordsOf(observationRequestSchema, { namespaces: [] })).toEqual(['namespaces: must not be empty']);
  expect(wordsOf(z.array(z.int()).max(2), [1, 2, 3])).toEqual(['value: must have at most 2 entries']);
  expect(wordsOf(z.string().min(3), 'a')).toEqual(['value: must have at least 3 characters']);
  expect(wordsOf(z.int().min(1), 0)).toEqual(['value: must be at least 1']);
});

it('a message of the schema is left as it is', () => {
  expect(wordsOf(z.string().min(1, 'say why'), '')).toEqual(['value: say why']);
});

it('types, choices and unknown fields are said in words', () => {
  const schema = z.strictObject({
    name: z.string(),
    kind: z.enum(['a', 'b']),
    n: z.int(),
    list: z.array(z.int()),
  });
  expect(wordsOf(schema, { kind: 'c', n: 1.5, list: {}, nmae: 'x' })).toEqual([
    'name: is missing',
    'kind: must be one of a, b',
    'n: must be a whole number',
    'list: must be a list',
    'value: unknown field nmae',
  ]);
  expect(wordsOf(z.boolean(), 'yes')).toEqual(['value: must be true or false']);
});
