import { expect, it } from 'vitest';
import { Builder, ok, sourceForm, submit } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
const servers = useServers();

it('a list by attention begins with what failed, whatever its name, and gives each service once', async () => {
  const { api } = await servers.start();
  for (const name of ['a', 'b', 'c', 'd'])
    ok(await api.post(`/v1/services/${name}@lab/deployments`, { image: IMAGE }), 202);
  ok(await api.post('/v1/services/b@lab/cancellations'), 202);
  ok(await api.call('DELETE', '/v1/services/a@lab'), 202);
  ok(await api.call('POST', '/v1/services/z@lab/deployments', { raw: await sourceForm({}) }), 202);
  const builder = new Builder(api.as(await api.tokenFor('builder')));
  const failed = { code: 'build_command_failed', message: 'exit 1' };
  ok(await submit(builder.api, await builder.take(), 'build.failed', failed));

  const read: string[] = [];
  for (let next = '/v1/services?order=attention&limit=2'; ; ) {
    const { items, cursor } = ok(await api.get(next));
    read.push(
      ...items.map(({ ref, claim }: { ref: string; claim: { state: string } }) => `${ref} ${claim.state}`),
    );
    if (cursor === null) break;
    next = `/v1/services?order=attention&limit=2&cursor=${cursor}`;
    const elsewhere = await api.get(`/v1/services?limit=2&cursor=${cursor}`);
    expect(elsewhere.status, 'a cursor belongs to its order').toBe(400);
  }
  expect(read).toEqual([
    'z@lab failed',
    'c@lab waiting_for_worker',
    'd@lab waiting_for_worker',
    'b@lab cancelled',
    'a@lab stopped',
  ]);
  const ofTarget = ok(await api.get('/v1/services?order=attention&target=elsewhere'));
  expect(ofTarget).toMatchObject({ items: [], cursor: null });
});
