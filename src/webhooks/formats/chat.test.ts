import { expect, it } from 'vitest';
import type { ToldEvent } from '../../contract/webhook.ts';
import { messageBody } from './message-body.ts';

const AT = '2026-05-01T12:02:00.000Z';
const SILENT: ToldEvent = {
  ...{ event: 'unknown', at: AT, target: 'edge', since: '2026-05-01T12:00:00.000Z', services: 14 },
  ...{ named: ['api@edge', 'web@edge'], why: 'Unknown: the target is silent' },
};
const textOf = (format: 'slack' | 'discord' | 'teams', told: ToldEvent) =>
  JSON.parse(messageBody(format, told, 'acme', 'msg_1').text);

it('names a target that is not known, since when, why and how many of its services', () => {
  expect(textOf('slack', SILENT).attachments[0].fallback).toBe(
    'edge: 14 services not known for 2 min\nUnknown: the target is silent\napi@edge, web@edge and 12 more',
  );
});

it('says when it began and how it ended', () => {
  const { attachments } = textOf('slack', {
    ...{ event: 'recovered', at: AT, target: 'edge', services: 14 },
    ...{ since: '2026-05-01T12:00:00.000Z', until: '2026-05-01T12:01:00.000Z' },
  });
  expect(attachments[0].fallback).toBe(
    'edge: nothing is unknown any more\n14 services had not been known for 1 min, since 2026-05-01 12:00:00 UTC.',
  );
});

it('calls nobody, and links to nowhere, whatever a sentence has in it', () => {
  const told: ToldEvent = { ...SILENT, why: '<!channel> <https://evil.example|here> @everyone' };
  expect(JSON.stringify(textOf('slack', told))).not.toMatch(/<!channel>|<https/);
  expect(textOf('discord', told).allowed_mentions).toEqual({ parse: [] });
});

it.each(['slack', 'discord', 'teams'] as const)('%s gets no more than it takes', (format) => {
  expect(
    messageBody(format, { ...SILENT, why: 'x'.repeat(100_000) }, 'acme', 'msg_1').text.length,
  ).toBeLessThan(9_000);
});
