import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { assertTimes, resolveConfig } from './config.ts';

const data = mkdtempSync(join(tmpdir(), 'evident-config-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

const times = (flags: object, env: Readonly<Record<string, string>> = {}) => {
  const { config, origins } = resolveConfig({ data, ...flags }, env);
  assertTimes(config);
  return {
    freshFor: [config.freshForMs, origins.freshForMs],
    reportEvery: [config.reportEveryMs, origins.reportEveryMs],
  };
};

it('of two related times, the one that is not set follows from the other', () => {
  expect(times({})).toEqual({ freshFor: [15_000, 'default'], reportEvery: [5_000, 'default'] });
  expect(times({ freshForMs: '3000' })).toEqual({
    freshFor: [3_000, 'flag'],
    reportEvery: [1_000, 'derived from --fresh-for'],
  });
  expect(times({}, { EVIDENT_FRESH_FOR_MS: '100' })).toEqual({
    freshFor: [100, 'variable'],
    reportEvery: [33, 'derived from --fresh-for'],
  });
  expect(times({ freshForMs: '60000' }).reportEvery, 'more often than it must').toEqual([5_000, 'default']);
  expect(times({ reportEveryMs: '20000' })).toEqual({
    freshFor: [60_000, 'derived from --report-every'],
    reportEvery: [20_000, 'flag'],
  });
  expect(times({ reportEveryMs: '10000' }).freshFor, 'a promise that holds stays').toEqual([
    15_000,
    'default',
  ]);
});

it('both times set are used as they are, and refused where they contradict each other', () => {
  writeFileSync(join(data, 'config.yaml'), 'reportEveryMs: 2000\n');
  expect(times({ freshForMs: '3000' })).toEqual({
    freshFor: [3_000, 'flag'],
    reportEvery: [2_000, 'file'],
  });
  expect(() => times({ freshForMs: '1000' })).toThrow(/--report-every is 2000 and --fresh-for 1000/);
});

it('an empty variable counts as not set; an empty flag is refused', () => {
  expect(resolveConfig({}, { EVIDENT_DATA: '' }).origins.data).toBe('default');
  for (const flags of [{ data: '' }, { database: '' }])
    expect(() => resolveConfig(flags, {})).toThrow(/^--(data|database) is empty; expected /);
});
