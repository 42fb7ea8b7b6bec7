import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { m } from './mutants/mutant.ts';
import { markedFiles, markersIn, mutantKey, mutatedFile, plant } from './mutants/plant.ts';
import { identifiersIn, unresolvedNames } from './mutants/syntax.ts';
import { MUTANTS } from './mutants.ts';

const FILES = markedFiles(process.cwd());
const KEYS = [...FILES.values()].flatMap(markersIn);
const GLOBALS = ['Math', 'max', 'undefined', 'filter', 'some'];

describe('planted mistakes', () => {
  it('are many, each with its own name', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
    expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
  });

  it('have each marker in the code exactly once, and no marker is unused', () => {
    expect(KEYS.toSorted()).toEqual([...new Set(MUTANTS.map(mutantKey))].sort());
  });

  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    '%s: changes the code into code that parses and names nothing that is not there',
    async (_, mutant) => {
      const text = readFileSync(mutatedFile(mutant, FILES), 'utf8');
      const planted = plant(mutant, text);
      expect(planted).not.toBe(text);
      await expect(transform(planted, { loader: 'ts' })).resolves.toBeDefined();
      // An undefined name would end every schedule at once, and the mistake would count as found.
      const names = mutant.names.length === 0 ? null : new Set([...unresolvedNames(text), ...GLOBALS]);
      expect(names === null ? [] : unresolvedNames(planted).filter((name) => !names.has(name))).toEqual([]);
    },
  );

  it.each(MUTANTS.map((mutant) => [mutant.name, mutant] as const))(
    '%s: says which names of the code a rename would have to mend',
    (_, mutant) => {
      const named = identifiersIn(mutant.put.replace(/\$[a-z0-9.]+/gi, '$$')).filter(
        (n) => n !== '$' && !GLOBALS.includes(n),
      );
      expect([...new Set(named)].sort()).toEqual([...mutant.names].sort());
    },
  );
});

describe('a marker', () => {
  const text = `
    function f(a: number, b: number): boolean {
      // mutant: order
      if (a < b && isOpen(a, b)) return true;
      return g({ c: 1, /* mutant: second */ d: 2, e: 3 });
    }`;

  it.each([
    ['order.condition', 'false', 'if (false) return true;'],
    ['order.condition', '$right', 'if (isOpen(a, b)) return true;'],
    ['order.condition.left', '$left <= $right', 'if (a <= b && isOpen(a, b)) return true;'],
    ['order.condition.right.arg1', '$node + 1', 'if (a < b && isOpen(a, b + 1)) return true;'],
    ['order', '', '\n      \n'],
    ['second.value', '3', 'd: 3, e: 3'],
    ['second', '', '/* mutant: second */  e: 3'],
  ])('%s becomes %j', (at, put, expected) => {
    expect(plant(m('a mistake', at, put), text)).toContain(expected);
  });

  it('that is missing or leads nowhere is an error', () => {
    expect(() => plant(m('a mistake', 'gone', ''), text)).toThrow('no marker "gone"');
    expect(() => plant(m('a mistake', 'order.value', ''), text)).toThrow('has no part "value"');
    expect(() => plant(m('a mistake', 'order', '$left'), text)).toThrow('has no part "left"');
  });

  it('that no file contains, or several, is an error', () => {
    const files = new Map([
      ['a.ts', text],
      ['b.ts', text],
    ]);
    expect(() => mutatedFile(m('a mistake', 'gone', ''), files)).toThrow('stands 0 times');
    expect(() => mutatedFile(m('a mistake', 'order', ''), files)).toThrow('stands 2 times');
  });
});
