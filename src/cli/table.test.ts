import { describe, expect, it } from 'vitest';
import { table, tableStyle } from './table.ts';

const HEAD = ['SERVICE', 'STATE', 'WHY'];
const ROWS = [
  ['web@local', ['✓ running', 'good'], '-'],
  ['a-very-long-name-of-a-service@production', ['✗ failed', 'bad'], 'It exits\nwith code 1 again and again.'],
] as const;
const terminal = (columns: number) => tableStyle({ isTTY: true, columns }, false, false);

describe('a list', () => {
  it('is whole in a pipe, and with -o wide', () => {
    const whole = table(HEAD, ROWS);
    expect(whole.split('\n')[2]).toBe(
      'a-very-long-name-of-a-service@production  ✗ failed   It exits with code 1 again and again.',
    );
    expect(table(HEAD, ROWS, tableStyle({}, false, false))).toBe(whole);
    expect(table(HEAD, ROWS, tableStyle({ isTTY: true, columns: 20 }, false, true))).toBe(whole);
  });

  it.each([100, 80, 60, 40, 30])('fits a terminal of %i columns, the widest cells cut first', (columns) => {
    const lines = table(HEAD, ROWS, terminal(columns)).split('\n');
    expect(Math.max(...lines.map((line) => [...line].length))).toBeLessThanOrEqual(columns);
    expect(lines.some((line) => line.includes('…'))).toBe(columns < 88);
    if (columns >= 40) expect(lines[1]).toContain('✓ running');
  });

  it('gives up on a terminal that is too narrow for anything', () => {
    expect(table(HEAD, ROWS, terminal(5)).split('\n')).toHaveLength(3);
  });

  it('is coloured on a terminal, and aligned all the same', () => {
    const { paint } = {
      paint: (line: readonly (readonly [string, string?])[]) =>
        line
          .map(([text, tone]) => `${tone === 'good' ? '<' : ''}${text}${tone === 'good' ? '>' : ''}`)
          .join(''),
    };
    const [, first, second] = table(HEAD, ROWS, { paint, width: 1_000 }).split('\n');
    expect(first).toContain('<✓ running>  -');
    expect(second).toContain('✗ failed   It');
  });
});
