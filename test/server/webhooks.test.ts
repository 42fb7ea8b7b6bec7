import { expect, it, vi } from 'vitest';
import type { Api } from './api.ts';
import { ok, running } from './parties.ts';
import { Receiver, verified } from './receiver.ts';
import { describeServers } from './servers.ts';

const ALLOWED = ['--webhook-allow', '127.0.0.0/8'];
const LONG = { timeout: 120_000 };
const PATIENT = { timeout: 50_000, interval: 20 };

async function webhook(api: Api, receiver: Receiver, more: object = {}) {
  const wishes = { url: receiver.url, events: ['transition'], ...more };
  return ok(await api.post('/v1/webhooks', wishes), 201);
}

const transitionsOf = async (api: Api, service: string): Promise<string[]> =>
  ok(await api.get(`/v1/services/${service}/transitions`)).items.map(({ to }: { to: string }) => to);

describeServers('webhooks', (servers) => {
  it('tell each transition once, signed and in order, in the words of a viewer', LONG, async () => {
    const { api } = await servers.start({ args: ALLOWED });
    const receiver = await Receiver.start();
    const { id, secret } = await webhook(api, receiver, { events: ['transition', 'settled'] });
    await running(api);
    const came = await receiver.until((all) => all.some(({ body }) => body.type.endsWith('.settled')));
    const changes = came.filter(({ body }) => body.type === 'dev.evident.service.transition');
    // The agent says no more: a later state may be on record by now.
    const recorded = await transitionsOf(api, 'web@lab');
    expect(changes.map(({ body }) => body.data.to)).toEqual(recorded.slice(0, changes.length));
    for (const one of came) expect(verified(secret, one)).toEqual(one.body);
    const last = came.at(-1);
    expect(last?.headers['content-type']).toBe('application/cloudevents+json; charset=utf-8');
    expect(last?.body).toMatchObject({
      ...{ specversion: '1.0', id: last?.id, source: '/orgs/default', subject: 'web@lab' },
      ...{ type: 'dev.evident.service.settled', datacontenttype: 'application/json' },
      data: {
        service: 'web@lab',
        revision: 1,
        attempt: 1,
        outcome: 'succeeded',
        claim: { state: 'running' },
      },
    });
    expect(last?.text, 'facts for operators').not.toContain('"operator"');
    await vi.waitFor(async () => {
      const { items } = ok(await api.get(`/v1/webhooks/${id}/deliveries`));
      expect(new Set(items.map(({ state }: { state: string }) => state))).toEqual(new Set(['delivered']));
    }, PATIENT);
  });

  it(
    'are tried again in order under the same ids, also by the server after one that was killed',
    LONG,
    async () => {
      const first = await servers.start({ args: ALLOWED });
      const receiver = await Receiver.start(500);
      const { id } = await webhook(first.api, receiver);
      await running(first.api);
      await receiver.until((all) => all.length > 0);
      const deliveries = ok(await first.api.get(`/v1/webhooks/${id}/deliveries`)).items;
      expect(deliveries.at(-1)).toMatchObject({ state: 'waiting', about: 'web@lab' });
      first.process.kill('SIGKILL');
      await first.ended;
      const { api } = await servers.start({ data: first.data, args: ALLOWED });
      expect(receiver.messages, 'nothing overtakes what failed').toHaveLength(1);
      receiver.manner = 200;
      const states = await transitionsOf(api, 'web@lab');
      const came = await receiver.until((all) => all.length >= states.length);
      expect(came.map(({ body }) => body.data.to).slice(0, states.length)).toEqual(states);
      expect(receiver.received.filter((one) => one.id === came[0]?.id).length).toBeGreaterThan(1);
      const bodies = receiver.received.filter((one) => one.id === came[0]?.id).map(({ text }) => text);
      expect(new Set(bodies).size, 'equal in all tries').toBe(1);
    },
  );

  it(
    'of which one hangs hold up no other; what is no success is named, and can be sent again',
    LONG,
    async () => {
      const { api } = await servers.start({ args: ALLOWED });
      const [hanging, elsewhere] = [await Receiver.start('hangs'), await Receiver.start()];
      const leading = await Receiver.start({ status: 302, location: elsewhere.url });
      const gone = await Receiver.start(410);
      const good = await Receiver.start();
      await webhook(api, hanging);
      const redirecting = await webhook(api, leading);
      const ended = await webhook(api, gone);
      await webhook(api, good);
      await running(api);
      const states = await transitionsOf(api, 'web@lab');
      await good.until((all) => all.length >= states.length);
      await leading.until((all) => all.length > 0);
      const deliveries = async (id: string) => ok(await api.get(`/v1/webhooks/${id}/deliveries`)).items;
      await vi.waitFor(async () => {
        expect((await deliveries(redirecting.id)).at(-1)).toMatchObject({
          ...{ state: 'waiting', lastStatus: 302 },
          problem: 'It answered 302: redirections are not followed.',
        });
        expect(ok(await api.get(`/v1/webhooks/${ended.id}`))).toMatchObject({
          endedBecause: 'gone',
          waiting: 0,
        });
      }, PATIENT);
      expect(elsewhere.received).toEqual([]);
      expect(gone.received, 'a receiver that is gone is left alone').toHaveLength(1);
      expect((await deliveries(ended.id))[0]).toMatchObject({ state: 'dropped', nextTryAt: null });
      const [failed] = (await deliveries(redirecting.id)).slice(-1);
      leading.manner = 200;
      const again = `/v1/webhooks/${redirecting.id}/deliveries/${failed.id}/redeliver`;
      expect(ok(await api.post(again), 202)).toEqual({ id: failed.id });
      await leading.until((all) => all.length >= states.length);
      const sent = leading.received.length;
      for (const other of [again.replace('_1_', '_999_'), again.replace(/_\w+\/redeliver/, '_0/redeliver')])
        expect((await api.post(other)).status, other).toBe(404);
      expect(leading.received, 'a refusal sends nothing').toHaveLength(sent);
      expect(hanging.received, 'nothing overtakes what has no answer').toHaveLength(1);
    },
  );

  it(
    'tell once that a target is not known, with all of its services, and once that it is again',
    LONG,
    async () => {
      const { api } = await servers.start({ args: ALLOWED });
      const receiver = await Receiver.start();
      const { agent, shows } = await running(api, 'web@lab');
      await webhook(api, receiver, { events: ['unknown', 'recovered'], graceMs: 300 });
      const [unknown] = await receiver.until((all) => all.length > 0);
      expect(unknown?.body).toMatchObject({
        ...{ type: 'dev.evident.target.unknown', subject: 'lab' },
        data: { target: 'lab', services: 1, named: ['web@lab'], why: 'Unknown: the target is silent' },
      });
      const beating = setInterval(() => void agent.heartbeat().catch(() => {}), 200);
      try {
        await shows();
        const [, recovered] = await receiver.until((all) => all.length > 1);
        expect(recovered?.body).toMatchObject({
          ...{ type: 'dev.evident.target.recovered' },
          data: { target: 'lab', services: 1, since: unknown?.body.data.since },
        });
      } finally {
        clearInterval(beating);
      }
    },
  );

  it('speak to people in Slack, Discord and Teams; a test says that it is one', LONG, async () => {
    const { api } = await servers.start({ args: ALLOWED });
    for (const format of ['slack', 'discord', 'teams']) {
      const receiver = await Receiver.start();
      const { id, secret } = await webhook(api, receiver, { format });
      const test = ok(await api.post(`/v1/webhooks/${id}/test`), 202);
      const [message] = await receiver.until((all) => all.length > 0);
      expect(message?.id).toBe(test.id);
      expect(message?.text).toContain('This is a test');
      expect(message && verified(secret, message)).toEqual(message?.body);
    }
  });

  it('are given to none whose address is not on the internet, and keep their secrets', LONG, async () => {
    const { api } = await servers.start();
    const receiver = await Receiver.start();
    for (const url of [receiver.url, 'https://169.254.169.254/', 'https://u:p@example.com/', 'nowhere'])
      expect((await api.post('/v1/webhooks', { url, events: ['transition'] })).body).toMatchObject({
        ...{ status: 400, code: 'invalid_request' },
        errors: [expect.stringMatching(/^url: /)],
      });
    const made = { url: 'https://chat.example/services/T0/B0/very-secret', events: ['settled'] };
    const key = { headers: { 'idempotency-key': 'once' } };
    const { id, secret } = ok(await api.post('/v1/webhooks', made, key), 201);
    expect(ok(await api.post('/v1/webhooks', made, key), 201), 'the same again').toMatchObject({
      id,
      secret,
    });
    const listed = await api.get('/v1/webhooks');
    expect(listed.body.items).toMatchObject([{ id, url: 'https://chat.example/…', waiting: 0, dead: 0 }]);
    expect(JSON.stringify(listed.body)).not.toMatch(/very-secret|whsec_/);
    const next = ok(await api.post(`/v1/webhooks/${id}/secret`), 201);
    expect(next.secret).not.toBe(secret);
    const other = await api.tokenFor('admin', { org: 'other' });
    expect((await api.as(other).get(`/v1/webhooks/${id}`)).status).toBe(404);
    expect((await api.as(other).call('DELETE', `/v1/webhooks/${id}`)).status).toBe(404);
    expect((await api.call('DELETE', `/v1/webhooks/${id}`)).status).toBe(204);
    expect((await api.get(`/v1/webhooks/${id}`)).status).toBe(404);
  });
});
