import { expect, it } from 'vitest';
import { RefusalLog } from './refusal-log.ts';

it('names the missing permission once, and says when it is back', () => {
  const lines: string[] = [];
  const log = new RefusalLog((line) => lines.push(line));
  const forbidden = {
    kind: 'forbidden',
    message: 'jobs.batch is forbidden: User "agent" cannot list resource "jobs" in the namespace "shop"',
  } as const;
  log.hear('ns/bank', null);
  log.hear('ns/shop', forbidden);
  log.hear('ns/shop', forbidden);
  log.hear('ns/shop', { kind: 'timed_out', message: 'no answer' });
  log.hear('ns/shop', null);
  expect(lines).toEqual([
    `ns/shop may not be read, and what is there is unknown: ${forbidden.message}`,
    'ns/shop may be read again.',
  ]);
});
