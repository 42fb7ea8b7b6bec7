import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { parseWithinLimits, requireFewItems } from './limits.ts';

const nested = (depth: number) => `{ ${'a { '.repeat(depth - 1)}b${' }'.repeat(depth)}`;
const aliased = (n: number) =>
  `{ ${Array.from({ length: n }, (_, i) => `a${i}: model { states }`).join(' ')} }`;

describe('the limits of a document', () => {
  it('are the last depth and the last alias that are taken', () => {
    expect(() => parseWithinLimits(nested(10))).not.toThrow();
    expect(() => parseWithinLimits(nested(11))).toThrow('at most 10 fields deep, not 11');
    expect(() => parseWithinLimits(aliased(15))).not.toThrow();
    expect(() => parseWithinLimits(aliased(16))).toThrow('at most 15 names: model');
  });

  it('count what fragments bring along, however often they are spread', () => {
    const spread = Array.from(
      { length: 60 },
      (_, i) => `fragment f${i} on Query { ...f${i + 1} ...f${i + 1} }`,
    );
    const text = `{ ...f0 } ${spread.join(' ')} fragment f60 on Query { x: model { states } }`;
    expect(() => parseWithinLimits(text)).toThrow('at most 15 names');
  });

  it('leave a fragment in itself to the validation', () => {
    expect(() => parseWithinLimits('{ ...a } fragment a on Query { ...a }')).not.toThrow();
  });
});

describe('the items of a document', () => {
  const refuses = (text: string, variables: object = {}) => {
    try {
      requireFewItems(parse(text), null, { ...variables });
      return false;
    } catch {
      return true;
    }
  };

  it('are multiplied where lists are in lists, by variables too', () => {
    const query = (outer: string) =>
      `query ($n: Int) { services(first: ${outer}) { nodes { revisions(first: 20) { nodes { revision } } } } }`;
    expect(refuses(query('200'))).toBe(false);
    expect(refuses(query('300'))).toBe(true);
    expect(refuses(query('$n'), { n: 200 })).toBe(false);
    expect(refuses(query('$n'), { n: 300 })).toBe(true);
    expect(refuses(query('$n')), 'fifty where none is named').toBe(false);
  });

  it('do not include what a claim cites', () => {
    expect(refuses('{ services(first: 500) { nodes { claim { proof { evidence } } } } }')).toBe(false);
  });
});
