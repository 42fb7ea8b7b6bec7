import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { fillFaults, fillInvariants, PAGES, rulesDefinedIn } from '../../scripts/rules.ts';

const page = (file: string) => readFileSync(file, 'utf8');
const numbers = (letter: string, last: number, digits = 1) =>
  Array.from({ length: last }, (_, index) => letter + String(index + 1).padStart(digits, '0'));

describe('the pages of rules', () => {
  it('define every invariant and every fault once, in order', () => {
    expect(rulesDefinedIn(page(PAGES.invariants))).toEqual([...numbers('S', 15), ...numbers('L', 5)]);
    expect(rulesDefinedIn(page(PAGES.faults))).toEqual(numbers('F', 128, 2));
  });

  it('say of every invariant why it holds and where it is enforced', () => {
    for (const section of page(PAGES.invariants).split('\n### ').slice(1)) {
      expect(section).toMatch(/\n\*\*Why\.\*\* /);
      expect(section).toMatch(/\n\*\*Enforced\.\*\* /);
      expect(section).toMatch(/\nCounters: .*\nTests: /);
    }
  });
});

describe('citations', () => {
  const citations = new Map([
    ['F01', ['src/a.ts', 'src/b.test.ts', 'test/c.ts']],
    ['S1', ['sim/oracle.ts', 'src/a.ts', 'src/b.test.ts']],
  ]);

  it('fill the last two columns of a fault, and replace what was there', () => {
    const filled = '| F01 | it dies | nothing | `src/a.ts` | `src/b.test.ts`, `test/c.ts` |';
    expect(fillFaults('| F01 | it dies | nothing | — | old |', citations)).toBe(filled);
    expect(fillFaults(filled, citations)).toBe(filled);
    expect(fillFaults('| F02 | it dies | nothing | — | old |', citations)).toBe(
      '| F02 | it dies | nothing | — | — |',
    );
  });

  it('fill the counters and the tests of an invariant', () => {
    const empty = '### S1. It holds\nCounters: -\nTests: -';
    const filled = '### S1. It holds\nCounters: `S1`, `S1.now`.  \nTests: `src/b.test.ts`.';
    expect(fillInvariants(empty, citations, ['S1', 'S1.now', 'S10', 'S12.x'])).toBe(filled);
    expect(fillInvariants(filled, citations, ['S1', 'S1.now'])).toBe(filled);
  });
});
