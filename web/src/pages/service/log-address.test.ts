import { expect, it } from 'vitest';
import { lineAddress, lineName, linesAround, namedLine } from './log-address.ts';

const line = (seq: number, instance: string | null = 'web.shop-1') => ({
  ...{ stream: 'run' as const, revision: 42, attempt: 1, instance, seq: String(seq) },
  at: '2026-11-17T13:23:19.312Z',
});

it('names a line so that it is found again, whatever its instance is called', () => {
  for (const instance of [null, 'web-1', 'a.b.c'])
    expect(namedLine(lineName(line(7, instance)))).toEqual({
      name: lineName(line(7, instance)),
      ...{ stream: 'run', revision: 42, attempt: 1, at: Date.parse(line(7).at) },
    });
});

it('reads nothing from an address that names no line', () => {
  for (const name of [null, '', '7', 'run', 'run.x.1.1.1.', 'follow.1.1.1.1.', 'run.1.1.1'])
    expect(namedLine(name)).toBe(null);
});

it('keeps the instant that is shown', () => {
  expect(lineAddress('web@lab', line(7, null), null)).toBe(
    '/services/web@lab/logs?line=run.42.1.7.1794921799312.',
  );
  expect(lineAddress('web@lab', line(7, null), '2026-11-17T13:24:00Z')).toBe(
    '/services/web@lab/logs?at=2026-11-17T13:24:00Z&line=run.42.1.7.1794921799312.',
  );
});

it('shows the newest lines, unless the named one is older', () => {
  const lines = Array.from({ length: 10 }, (_, i) => line(i));
  const shown = (name: string | null) => linesAround(lines, name, 4).map(({ seq }) => Number(seq));
  expect(shown(null)).toEqual([6, 7, 8, 9]);
  expect(shown(lineName(line(7)))).toEqual([6, 7, 8, 9]);
  expect(shown(lineName(line(3)))).toEqual([1, 2, 3, 4]);
  expect(shown(lineName(line(0)))).toEqual([0, 1, 2, 3]);
  expect(shown(lineName(line(99))), 'it is not kept any more').toEqual([6, 7, 8, 9]);
});
