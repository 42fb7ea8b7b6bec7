import type { WebhookEvent, WebhookFormat } from '../../../../../src/contract/vocabulary.ts';

export const EVENT_WORDS: Readonly<Record<WebhookEvent, string>> = {
  transition: 'every change of state',
  settled: 'deploys that succeeded or failed',
  unknown: 'targets that are not known',
  recovered: 'targets that are known again',
  alarm: 'what should never have happened',
};

export const FORMAT_WORDS: Readonly<Record<WebhookFormat, string>> = {
  cloudevents: 'CloudEvents',
  slack: 'Slack',
  discord: 'Discord',
  teams: 'Teams',
};
