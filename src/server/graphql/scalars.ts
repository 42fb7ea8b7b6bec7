import { GraphQLError, GraphQLScalarType, Kind, type ValueNode, valueFromASTUntyped } from 'graphql';
import { DIGITS } from '../../contract/digits.ts';

/** A scalar that is a text of a certain form, here as over HTTP. */
function text(name: string, isValid: (value: string) => boolean, form: string): GraphQLScalarType {
  const read = (value: unknown) => {
    if (typeof value === 'string' && isValid(value)) return value;
    throw new GraphQLError(`${name} must be ${form}.`);
  };
  return new GraphQLScalarType({
    name,
    serialize: (value) => value,
    parseValue: read,
    parseLiteral: (node: ValueNode) => read(node.kind === Kind.STRING ? node.value : null),
  });
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

export const SCALARS = {
  DateTime: text(
    'DateTime',
    (value) => INSTANT.test(value) && !Number.isNaN(Date.parse(value)),
    'an instant, such as 2026-11-14T14:03:00Z',
  ),
  Digits: text('Digits', (value) => DIGITS.test(value), 'a text of digits, such as "17"'),
  JSON: new GraphQLScalarType({
    name: 'JSON',
    parseValue: (value) => value,
    parseLiteral: (node: ValueNode, variables) => valueFromASTUntyped(node, variables),
  }),
};
