import { expect, it } from 'vitest';
import { settingName, settingValue } from './settings.ts';

it('names fields in words, and variables as they are', () => {
  expect(settingName('deadlines.publishMs')).toBe('Deadlines, publish');
  expect(settingName('deadlines.applyQueueMs')).toBe('Deadlines, apply queue');
  expect(settingName('replicas')).toBe('Copies');
  expect(settingName('env.logLevelMs')).toBe('logLevelMs');
});

it('shows times with their unit, and commands as they are typed', () => {
  expect(settingValue('deadlines.publishMs', 300_000)).toBe('5 min');
  expect(settingValue('stabilityMs', 3_000)).toBe('3 s');
  expect(settingValue('command', ['node', 'server.js'])).toBe('node server.js');
  expect(settingValue('build', [['npm', 'ci'], ['make']])).toBe('npm ci, make');
  expect(settingValue('env.KEY', { secret: true })).toBe('secret');
  expect(settingValue('port', 8080)).toBe('8080');
});
