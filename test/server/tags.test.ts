import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { Builder, digestOf, ok, sourceForm, submit } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describe('an answer that the caller already has is a 304', () => {
  const servers = useServers(null, true);
  let api: Api;
  beforeAll(async () => {
    ({ api } = await servers.start());
  }, 60_000);

  it('the tag of a history changes with its content and not with the clock; operators read the steps of an attempt', async () => {
    ok(await api.call('POST', '/v1/services/stages@lab/deployments', { raw: await sourceForm({}) }), 202);
    const builder = new Builder(api.as(await api.tokenFor('builder', { service: 'stages@*' })));
    const lease = await builder.take();
    ok(await submit(builder.api, lease, 'build.progress', { step: 1, message: 'compiling' }));
    const at = '/v1/services/stages@lab/revisions';
    for (const of of [at, `${at}/1`, `${at}/1/attempts/1`]) {
      const first = await api.get(of);
      const stages = ({ body }: typeof first) =>
        JSON.stringify(body.stages ?? body.attempts ?? body.items[0].attempts);
      let later = await api.get(of);
      while (stages(later) === stages(first)) later = await api.get(of);
      expect(later.headers.get('etag'), of).toBe(first.headers.get('etag'));
    }
    const tag = (await api.get(at)).headers.get('etag');
    const steps = [{ step: 1, total: null, message: 'compiling' }];
    expect(ok(await api.get(`${at}/1/attempts/1`)).build).toEqual(steps);
    expect(ok(await api.get(`${at}/1`)).attempts[0].build).toEqual(steps);
    const viewer = api.as(await api.tokenFor('viewer'));
    expect(ok(await viewer.get(`${at}/1/attempts/1`))).not.toHaveProperty('build');
    await builder.builds(lease);
    expect((await api.get(at)).headers.get('etag')).not.toBe(tag);
  });

  it('an artifact that the caller has is a 304, and a 404 outside of its binding', async () => {
    const builder = api.as(await api.tokenFor('builder'));
    const raw = 'bytes that somebody has';
    const at = `/v1/artifacts/${digestOf(raw)}`;
    const type = { 'content-type': 'application/octet-stream' };
    ok(await builder.call('PUT', at, { raw, headers: type }), 201);
    const first = await builder.get(at);
    expect([first.status, first.body]).toEqual([200, raw]);
    const headers = { 'if-none-match': String(first.headers.get('etag')) };
    const same = await builder.get(at, { headers: headers });
    expect([same.status, same.body]).toEqual([304, '']);
    expect((await builder.get(at, { headers: { 'if-none-match': '"other"' } })).body).toBe(raw);
    const bound = api.as(await api.tokenFor('builder', { service: 'other@*' }));
    expect((await bound.get(at, { headers: headers })).status).toBe(404);
  });

  it('documents of the server have tags; health, metrics and pages have none', async () => {
    for (const at of ['/openapi.json', '/v1/model', '/v1/services']) {
      const tag = String((await api.get(at)).headers.get('etag'));
      expect((await api.get(at, { headers: { 'if-none-match': tag } })).status, at).toBe(304);
    }
    for (const at of ['/healthz', '/readyz', '/metrics', '/docs'])
      expect((await api.get(at, { headers: { 'if-none-match': '*' } })).status, at).toBe(200);
  });

  it('the tag of a claim stays while the claim is the same, and changes with it', async () => {
    ok(await api.post('/v1/services/tag@lab/deployments', { image: IMAGE }), 202);
    const settled = async () => {
      for (;;) {
        const found = await api.get('/v1/services/tag@lab/status');
        if (found.body.state === 'waiting_for_worker') return found;
      }
    };
    const first = await settled();
    const tag = String(first.headers.get('etag'));
    const same = await api.get('/v1/services/tag@lab/status', { headers: { 'if-none-match': tag } });
    expect([same.status, same.body]).toEqual([304, '']);
    ok(await api.post('/v1/services/tag@lab/cancellations'), 202);
    expect((await api.get('/v1/services/tag@lab/status', { headers: { 'if-none-match': tag } })).status).toBe(
      200,
    );
  });
});
