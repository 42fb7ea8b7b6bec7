import { expect, it } from 'vitest';
import { addressOf, chosenIn, matching } from './selection.ts';

it('the selection is written to the address, and read from it again', () => {
  for (const chosen of [
    { state: null, search: '' },
    { state: 'running', search: '' },
    { state: null, search: 'oom & more' },
    { state: 'failed', search: 'retry' },
  ])
    expect(chosenIn(addressOf(chosen).split('?')[1] ?? '')).toEqual(chosen);
});

it('a row is found when it contains every word', () => {
  const rows = ['Out of memory, yours', 'Out of disk'];
  const search = (text: string) => matching(rows, text, (row) => row);
  expect(search('')).toEqual(rows);
  expect(search('memory OUT')).toEqual(['Out of memory, yours']);
  expect(search('memory disk')).toEqual([]);
});
