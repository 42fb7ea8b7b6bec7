import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { newWebhookSecret, signed } from './signature.ts';

it('is what a receiver with the published library accepts, with the former secret too', () => {
  const [secret, former] = [newWebhookSecret(), newWebhookSecret()];
  const body = JSON.stringify({ what: 'running, ünïcödé' });
  const headers = signed('msg_1', Date.now(), body, [secret, former]);
  for (const known of [secret, former])
    expect(new Webhook(known).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow('No matching signature');
  expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow('No matching signature');
  expect(() => new Webhook(secret).verify(body, { ...headers, 'webhook-id': 'msg_2' })).toThrow();
});
