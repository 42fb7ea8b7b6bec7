import { expect, it } from 'vitest';
import { listedTypes, namedType, type TypeView, typeText } from './schema-reading.ts';

const LIST = {
  kind: 'NON_NULL',
  name: null,
  ofType: {
    kind: 'LIST',
    name: null,
    ofType: { kind: 'NON_NULL', name: null, ofType: { kind: 'OBJECT', name: 'Service' } },
  },
};

it('writes a type as a document does, and knows the one behind it', () => {
  expect(typeText(LIST)).toBe('[Service!]!');
  expect(namedType(LIST)).toBe('Service');
  expect(typeText({ kind: 'SCALAR', name: 'String' })).toBe('String');
});

it('lists the roots first, and nothing that is about the schema', () => {
  const type = (name: string): TypeView => ({
    ...{ name, kind: 'OBJECT', description: null, fields: [], inputFields: null, enumValues: null },
  });
  const types = ['__Type', 'Claim', 'Subscription', 'Agent', 'Query'].map(type);
  expect(listedTypes({ types }).map(({ name }) => name)).toEqual(['Query', 'Subscription', 'Agent', 'Claim']);
});
