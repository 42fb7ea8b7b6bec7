import { expect, it } from 'vitest';
import type { Cause } from '../contract/claim.ts';
import { detailWords } from './reason-details.ts';

it('names the container of an exit, where there are several', () => {
  const exited = (params: object) => detailWords({ code: 'exited', params } as unknown as Cause, 'starting');
  expect(exited({ exitCode: 3 })).toBe('The app exited with code 3.');
  expect(exited({ exitCode: 3, container: 'log' })).toBe('Its container log exited with code 3.');
});

it('tells an app that never listened what to write if it needs no port, and not one that stopped listening', () => {
  const cause = { code: 'not_listening', params: { port: 20_164 } } as unknown as Cause;
  expect(detailWords(cause, 'starting'), 'nothing is asked of anybody yet').toBe(
    'Nothing listens on port 20164 (PORT) yet. (An app that has no port says `port: null` in evident.yaml.)',
  );
  expect(detailWords(cause, 'failed')).toBe(
    'Nothing listens on port 20164 (PORT). If it needs no port, write `port: null` in evident.yaml.',
  );
  expect(detailWords(cause, 'lost')).toBe('Nothing listens on port 20164 (PORT) any more.');
});
