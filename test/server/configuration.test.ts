import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { Builder, ok, sourceForm, submit } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describe('the configuration of a service, over HTTP', () => {
  const servers = useServers(null, true);
  let api: Api;
  beforeAll(async () => {
    ({ api } = await servers.start());
  }, 60_000);

  const deploy = async (service: string, body: object) =>
    ok(await api.post(`/v1/services/${service}@lab/deployments`, { image: IMAGE, ...body }), 202);

  it('stays, and every answer says what it changes', async () => {
    await deploy('stay', { spec: { replicas: 3, env: { A: 'a', KEY: { secret: 'one' } } } });
    const second = await deploy('stay', { spec: { env: { B: 'b' } }, unset: ['env.A'] });
    expect(second.changes).toEqual([
      { field: 'env.A', kind: 'removed', from: 'a' },
      { field: 'env.B', kind: 'added', to: 'b' },
    ]);
    const third = ok(
      await api.post('/v1/services/stay@lab/configuration', {
        spec: { env: { KEY: { secret: 'two' } }, replicas: 1 },
      }),
      202,
    );
    expect(third).toMatchObject({
      revision: 3,
      changes: [
        { field: 'env.KEY', kind: 'changed', from: { secret: true }, to: { secret: true } },
        { field: 'replicas', kind: 'changed', from: 3, to: 1 },
      ],
    });
    expect(ok(await api.get('/v1/services/stay@lab')).spec).toMatchObject({
      replicas: 1,
      env: { B: 'b', KEY: { secret: true } },
    });
  });

  it('keeps a port that it left open, whatever number the build of it found', async () => {
    ok(await api.call('POST', '/v1/services/open@lab/deployments', { raw: await sourceForm({}) }), 202);
    const port = async () => ok(await api.get('/v1/services/open@lab')).spec.port;
    expect(await port()).toBe('auto');
    const builder = new Builder(api.as(await api.tokenFor('builder')));
    await builder.builds(await builder.take());
    const body = { spec: { env: { A: 'a' } } };
    const { changes } = ok(await api.post('/v1/services/open@lab/configuration', body), 202);
    expect(changes).toEqual([{ field: 'env.A', kind: 'added', to: 'a' }]);
    expect(await port()).toBe('auto');
  });

  it('is shown whole with a revision, and compared with any other', async () => {
    await deploy('whole', { spec: { replicas: 3 } });
    await deploy('whole', { spec: { env: { A: 'a' } } });
    await deploy('whole', { spec: { replicas: 2 } });
    const read = async (path: string) => ok(await api.get(`/v1/services/whole@lab/revisions/${path}`));
    expect(await read('3')).toMatchObject({
      kind: 'deploy',
      origin: { kind: 'image', image: IMAGE },
      spec: { replicas: 2, env: { A: 'a' } },
      against: 2,
      changes: [{ field: 'replicas', kind: 'changed', from: 3, to: 2 }],
    });
    expect((await read('3?against=1')).changes).toEqual([
      { field: 'env.A', kind: 'added', to: 'a' },
      { field: 'replicas', kind: 'changed', from: 3, to: 2 },
    ]);
    expect(await read('1')).toMatchObject({ against: null, changes: [{ field: 'replicas', kind: 'added' }] });
    expect((await api.get('/v1/services/whole@lab/revisions/3?against=9')).status).toBe(404);
    expect((await api.get('/v1/services/whole@lab/revisions/3?against=x')).status).toBe(400);
  });

  it('of each revision in the list is compared with the one before that was not cancelled, in short', async () => {
    const long = 'a'.repeat(60);
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`V${i}`, String(i)]));
    await deploy('listed', { spec: { replicas: 3, env: { KEY: { secret: 'hush' } } } });
    await deploy('listed', { spec: { env: { LONG: long } } });
    await deploy('listed', { spec: { replicas: 9 } });
    ok(await api.post('/v1/services/listed@lab/cancellations'), 202);
    await deploy('listed', { spec: { env: many }, unset: ['env.KEY'] });
    const list = async (query: string) =>
      ok(await api.get(`/v1/services/listed@lab/revisions${query}`)).items.map(
        ({ changed }: { changed: unknown }) => changed,
      );
    const all = await list('');
    const added = Object.entries(many).map(([name, to]) => ({ field: `env.${name}`, kind: 'added', to }));
    const secret = { field: 'env.KEY', kind: 'removed', from: { secret: true } };
    expect(all).toMatchObject([
      { against: 2, more: 2, fields: [secret, ...added.slice(0, 7)] },
      { against: 2, more: 0, fields: [{ field: 'replicas', kind: 'changed', from: 3, to: 9 }] },
      { against: 1, more: 0, fields: [{ field: 'env.LONG', kind: 'added' }] },
      null,
    ]);
    expect(JSON.stringify(all)).not.toContain(long);
    // A page that ends before the one to compare with says the same.
    expect(await list('?limit=1')).toEqual([all[0]]);
  });

  it('of a form: fields that the last file declared and this one does not are removed', async () => {
    const send = async (spec: object, declared: readonly string[]) => {
      const form = await sourceForm(spec);
      form.set('declared', JSON.stringify(declared));
      return ok(await api.call('POST', '/v1/services/file@lab/deployments', { raw: form }), 202);
    };
    await send({ env: { A: 'a', B: 'b' } }, ['env.A', 'env.B']);
    expect((await send({ env: { A: 'a' } }, ['env.A'])).changes).toEqual([
      { field: 'env.B', kind: 'removed', from: 'b' },
    ]);
  });

  it('of a source that was never built is changed by building it with the change', async () => {
    const builder = new Builder(api.as(await api.tokenFor('builder', { service: 'unbuilt@lab' })), 'b');
    const form = await sourceForm({ env: { A: 'a' } });
    ok(await api.call('POST', '/v1/services/unbuilt@lab/deployments', { raw: form }), 202);
    const first = await builder.take(20_000);
    ok(await api.as(builder.api.token).post(`/v1/leases/${first.id}/heartbeat`, { fence: first.fence }));
    ok(await submit(builder.api, first, 'build.failed', { code: 'build_command_failed', message: 'exit 1' }));
    const change = { spec: { env: { B: 'b' } } };
    const changed = ok(await api.post('/v1/services/unbuilt@lab/configuration', change), 202);
    expect(changed).toMatchObject({ revision: 2, changes: [{ field: 'env.B', kind: 'added', to: 'b' }] });
    const second = await builder.take(20_000);
    expect(second.input).toMatchObject({
      source: (first.input as { source: string }).source,
      spec: { env: { A: 'a', B: 'b' } },
    });
    const digest = await builder.builds(second);
    expect(ok(await api.get('/v1/services/unbuilt@lab/revisions/2'))).toMatchObject({
      kind: 'config',
      artifact: digest,
    });
  });

  it('names the field that it does not know, and the service that there is not', async () => {
    const unknown = await api.post('/v1/services/stay@lab/configuration', { unset: ['enviroment.A'] });
    expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(JSON.stringify(unknown.body)).toContain('is not a field of a spec');
    const nobody = await api.post('/v1/services/nobody@lab/configuration', { spec: { replicas: 2 } });
    expect(nobody).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('of a dry run is answered and not recorded, whatever it is about', async () => {
    await deploy('dry', { spec: { replicas: 3 } });
    const path = '/v1/services/dry@lab';
    const planned = ok(
      await api.post(`${path}/deployments?dryRun=true`, { source: true, spec: { replicas: 1 } }),
    );
    expect(planned).toMatchObject({
      revision: 2,
      changes: [{ field: 'replicas', from: 3, to: 1 }],
      supersedes: { revision: 1, attempt: 1 },
    });
    expect(ok(await api.post(`${path}/scalings?dryRun=true`, { replicas: 0 })).changes).toHaveLength(1);
    expect(ok(await api.call('DELETE', `${path}?dryRun=true&force=true&reason=x`))).toMatchObject({
      revision: 2,
    });
    expect((await api.post(`${path}/rollbacks?dryRun=true`)).body.code).toBe('nothing_to_roll_back');
    expect(ok(await api.get(`${path}/revisions`)).items).toMatchObject([{ revision: 1, replicas: 3 }]);
    expect((await api.post(`${path}/deployments`, { source: true, spec: {} })).status).toBe(400);
  });
});
