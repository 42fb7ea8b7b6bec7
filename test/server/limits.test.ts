import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { digestOf, ok, sourceForm } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describe('limits follow the settings', () => {
  const servers = useServers(null, true);
  let api: Api;
  let data: string;
  const args = ['--max-artifact-bytes', '100000', '--max-source-bytes', '200000'];
  const more = ['--max-items', '500', '--max-wait', '100', '--max-page-items', '3'];
  beforeAll(async () => {
    ({ api, data } = await servers.start({ args: [...args, ...more] }));
  }, 60_000);

  it('an artifact may have its maximum size, and nothing of a larger one is kept', async () => {
    const builder = api.as(await api.tokenFor('builder'));
    const put = (bytes: Buffer, raw: NonNullable<RequestInit['body']>) =>
      builder.call('PUT', `/v1/artifacts/${digestOf(bytes)}`, {
        raw,
        headers: { 'content-type': 'application/octet-stream' },
      });
    const fits = Buffer.alloc(100_000, 'a');
    ok(await put(fits, fits), 201);
    const large = Buffer.alloc(8_000_000, 'b');
    for (const raw of [large, new Blob([large]).stream()]) {
      const answer = await put(large, raw);
      expect(answer).toMatchObject({ status: 413, body: { code: 'too_large', limit: 100_000 } });
      expect(answer.body.detail).toContain('100000');
    }
    expect((await builder.get(`/v1/artifacts/${digestOf(large)}`)).status).toBe(404);
    expect(readdirSync(join(data, 'artifacts', 'tmp'))).toEqual([]);
    const form = await sourceForm({}, { 'a.txt': 'x'.repeat(150_000) });
    ok(await api.call('POST', '/v1/services/larger@lab/deployments', { raw: form }), 202);
  });

  it('items, waits and pages are bounded by their settings', async () => {
    const builder = api.as(await api.tokenFor('builder', { service: 'none@*' }));
    for (const at of ['/v1/evidence', '/v1/logs']) {
      const sent = await builder.post(at, { items: Array.from({ length: 501 }, () => ({})) });
      expect(sent, at).toMatchObject({ status: 413, body: { limit: 500 } });
    }
    const request = { kinds: ['build'], worker: 'b', instance: 'i', waitMs: 30_000 };
    const since = performance.now();
    expect((await builder.post('/v1/leases', request)).status).toBe(204);
    expect(performance.now() - since).toBeLessThan(15_000);
    for (const name of ['a', 'b', 'c', 'd'])
      ok(await api.post(`/v1/services/${name}@lab/deployments`, { image: IMAGE }), 202);
    for (const limit of ['', '?limit=200'])
      expect(ok(await api.get(`/v1/services${limit}`)).items).toHaveLength(3);
  });
});
