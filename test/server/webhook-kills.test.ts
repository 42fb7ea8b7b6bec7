import { expect, it, vi } from 'vitest';
import type { Api } from './api.ts';
import { ok } from './parties.ts';
import { Receiver } from './receiver.ts';
import { describeServers } from './servers.ts';

const ALLOWED = ['--webhook-allow', '127.0.0.0/8'];
const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
const SERVICES = ['api@lab', 'jobs@lab', 'shop@lab', 'web@lab'];
const KILLS = 4;
const PATIENT = { timeout: 50_000, interval: 50 };

interface Message {
  readonly id: string;
  readonly body: {
    readonly subject: string;
    readonly data: { readonly to: string; readonly revision: number };
  };
}

/** The states and revisions that a service went through, as the ledger has them. */
async function recorded(api: Api, service: string): Promise<string[]> {
  const { items } = ok(await api.get(`/v1/services/${service}/transitions?limit=200`));
  return items.map(({ to, revision }: { to: string; revision: number }) => `r${revision} ${to}`);
}

const toldOf = (messages: readonly Message[], service: string) =>
  messages
    .filter(({ body }) => body.subject === service)
    .map(({ body }) => `r${body.data.revision} ${body.data.to}`);

describeServers('webhooks, over kills of their servers', (servers, database) => {
  it('tell every transition, none under two ids, each service in order', { timeout: 240_000 }, async () => {
    const receiver = await Receiver.start();
    // Every ninth message fails at its first try, as a receiver does that comes and goes.
    receiver.failsFirst = 9;
    const first = await servers.start({ args: ALLOWED });
    ok(await first.api.post('/v1/webhooks', { url: receiver.url, events: ['transition'] }), 201);
    // On PostgreSQL a second server takes over what the killed one held; on SQLite the next one does.
    const other = database === 'postgres' ? await servers.start({ beside: first, args: ALLOWED }) : null;
    let server = first;
    for (let kill = 0; kill < KILLS; kill++) {
      const seen = receiver.received.length;
      const deploys = SERVICES.map((service) =>
        server.api.post(`/v1/services/${service}/deployments`, { image: IMAGE }),
      );
      for (const answer of await Promise.all(deploys)) ok(answer, 202);
      // In the midst of sending: some of what was recorded is told, and some is not.
      await receiver.until(() => receiver.received.length > seen);
      server.process.kill('SIGKILL');
      await server.ended;
      server = await servers.start({ data: server.data, args: ALLOWED });
    }
    const wanted = new Map<string, string[]>();
    for (const service of SERVICES) wanted.set(service, await recorded(server.api, service));
    const total = [...wanted.values()].flat().length;
    await receiver.until((all) => all.length >= total);
    // Whatever was sent twice under two ids would be among these.
    await vi.waitFor(async () => {
      const { items } = ok(await server.api.get('/v1/webhooks'));
      expect(items).toMatchObject([{ waiting: 0, dead: 0 }]);
    }, PATIENT);
    const { messages } = receiver;
    for (const service of SERVICES) expect(toldOf(messages, service)).toEqual(wanted.get(service));
    expect(messages).toHaveLength(total);
    other?.process.kill('SIGKILL');
  });
});
