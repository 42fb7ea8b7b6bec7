import { relative } from 'node:path';
import { transform } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { m } from './mutants/mutant.ts';
import { markedFiles, markersIn, mutantKey, mutatedFile, plantAll } from './mutants/plant.ts';
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

  it.each([...FILES].map(([file, text]) => [relative(process.cwd(), file), file, text] as const))(
    '%s: becomes code that parses, makes each mistake, and names nothing that is not there',
    async (_, file, text) => {
      const here = MUTANTS.filter((mutant) => mutatedFile(mutant, FILES) === file);
      const planted = plantAll(here, text);
      await expect(transform(planted, { loader: 'ts' })).resolves.toBeDefined();
      const made = [...planted.matchAll(/\bplanted === ("(?:[^"\\]|\\.)*")/g)].map(([, name]) =>
        JSON.parse(name ?? ''),
      );
      // One inside what another one keeps can be made; in what another one puts it would be lost.
      expect(made.toSorted()).toEqual(here.map(({ name }) => name).sort());
      // An undefined name would end every schedule at once, and the mistake would count as found.
      if (here.every(({ names }) => names.length === 0)) return;
      const names = new Set([...unresolvedNames(text), ...GLOBALS, 'planted']);
      expect(unresolvedNames(planted).filter((name) => !names.has(name))).toEqual([]);
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

  const made = 'planted === "a mistake"';
  it.each([
    ['order.condition', 'false', `if ((${made} ? (false) : (a < b && isOpen(a, b)))) return true;`],
    ['order.condition', '$right', `if ((${made} ? (isOpen(a, b)) : (a < b && isOpen(a, b)))) return true;`],
    [
      'order.condition.left',
      '$left <= $right',
      `if ((${made} ? (a <= b) : (a < b)) && isOpen(a, b)) return true;`,
    ],
    [
      'order.condition.right.arg1',
      '$node + 1',
      `if (a < b && isOpen(a, (${made} ? (b + 1) : (b)))) return true;`,
    ],
    ['order', '', `{ if (${made}) {  } else { if (a < b && isOpen(a, b)) return true; } }`],
    ['second.value', '3', `d: (${made} ? (3) : (2)), e: 3`],
    ['second', '', `...(${made} ? {  } : { d: 2 }), e: 3`],
  ])('%s becomes %j', (at, put, expected) => {
    expect(plantAll([m('a mistake', at, put)], text)).toContain(expected);
  });

  it('serves several mistakes at once: one in the place of another, and one inside of what another keeps', () => {
    const all = [
      m('never', 'order.condition', 'false'),
      m('equal', 'order.condition.left', '$left <= $right'),
      m('always', 'order.condition', 'true'),
    ];
    expect(plantAll(all, text)).toContain(
      'if ((planted === "always" ? (true) : ((planted === "never" ? (false) : ' +
        '((planted === "equal" ? (a <= b) : (a < b)) && isOpen(a, b)))))) return true;',
    );
  });

  it('that is missing or leads nowhere is an error', () => {
    expect(() => plantAll([m('a mistake', 'gone', '')], text)).toThrow('no marker "gone"');
    expect(() => plantAll([m('a mistake', 'order.value', '')], text)).toThrow('has no part "value"');
    expect(() => plantAll([m('a mistake', 'order', '$left')], text)).toThrow('has no part "left"');
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
