import { describe, expect, it } from 'vitest';
import { damageOf } from '../repair/difference.ts';
import { differenceLine, sentenceOf } from './rebuild.ts';

const NOTHING = { services: 3, rows: 33, differences: 0, damage: 0, replaced: 0, left: 0 };
const LOST =
  'Rows that everything is rebuilt from are damaged: what depends on them stays as it is. They come back only from a backup; put them back, then run this again.';

describe('the summary of a rebuild', () => {
  it('claims no more than was compared', () => {
    expect(sentenceOf(NOTHING, false)).toBe(
      '3 services from 33 rows of the ledger: the facts, attempts and transitions of each are what the ledger gives.',
    );
  });

  it('uses the singular for one', () => {
    const one = { ...NOTHING, services: 1, rows: 1, differences: 1 };
    expect(sentenceOf({ ...one, replaced: 1 }, true)).toBe(
      '1 service from 1 row of the ledger: 1 difference, 1 service replaced.',
    );
    expect(sentenceOf({ ...one, damage: 1, left: 1 }, true)).toBe(
      `1 service from 1 row of the ledger: 1 difference, 0 services replaced. 1 is left. ${LOST}`,
    );
  });

  it('names a missing head, and the command that creates it again', () => {
    const of = { table: 'heads', org: 'default', service: null, row: 'default', column: 'position' } as const;
    expect(differenceLine(damageOf(of, 'missing'))).toBe(
      'default heads default, position: damaged, missing (`evident recovered` makes it anew)',
    );
  });

  it('promises no replacement of damaged rows', () => {
    expect(sentenceOf({ ...NOTHING, differences: 4, damage: 1, left: 4 }, false)).toBe(
      `3 services from 33 rows of the ledger: 4 differences. \`evident rebuild\` replaces what can be replaced. ${LOST}`,
    );
    expect(sentenceOf({ ...NOTHING, differences: 1, damage: 1, left: 1 }, false)).toBe(
      `3 services from 33 rows of the ledger: 1 difference. ${LOST}`,
    );
    const hole = { table: 'ledger', org: 'default', service: null, row: 'between 52 and 54' } as const;
    const nothing = { column: 'position', stored: null, rebuilt: null };
    expect(differenceLine({ ...hole, ...nothing, damage: 'missing' })).toBe(
      'default ledger between 52 and 54, position: damaged, missing',
    );
  });
});
