import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { plant } from './mutants/mutant.ts';
import { MUTANTS } from './mutants.ts';

describe('planted mistakes', () => {
  it('are many, each under its own name', () => {
    expect(new Set(MUTANTS.map((m) => m.name)).size).toBe(MUTANTS.length);
    expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
  });

  it.each(MUTANTS.map((m) => [m.name, m] as const))(
    '%s changes text that stands in the code once',
    (_, mutant) => {
      const text = readFileSync(mutant.file, 'utf8');
      expect(plant(mutant, text)).not.toBe(text);
    },
  );

  it('fail when their text is gone', () => {
    const gone = { name: 'gone', file: 'sim/rng.ts', find: 'no such text', put: '' };
    expect(() => plant(gone, readFileSync(gone.file, 'utf8'))).toThrow('stands 0 times');
  });
});
