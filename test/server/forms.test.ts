import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { ok, sourceForm } from './parties.ts';
import { useServers } from './servers.ts';

describe('a deployment sent as a form', () => {
  const servers = useServers(null, true);
  let api: Api;
  beforeAll(async () => {
    ({ api } = await servers.start());
  }, 60_000);

  it('may send its spec as a file', async () => {
    const form = await sourceForm({});
    form.set('spec', new Blob(['{"replicas": 0}']), 'spec.json');
    expect((await api.call('POST', '/v1/services/form@lab/deployments', { raw: form })).status).toBe(202);
    expect(ok(await api.get('/v1/services/form@lab')).spec).toMatchObject({
      replicas: 0,
      concurrency: 'newest',
      stabilityMs: 3000,
    });
  });

  it('is refused when a part comes twice, since neither can be preferred', async () => {
    for (const twice of ['spec', 'git', 'source']) {
      const form = await sourceForm({ replicas: 1 });
      form.set('git', '{"sha": "3f9c2e1"}');
      form.append(twice, form.get(twice) as Blob);
      const answer = await api.call('POST', '/v1/services/twice@lab/deployments', { raw: form });
      expect(answer, twice).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(answer.body.detail).toContain(`${twice} comes twice`);
    }
    expect((await api.get('/v1/services/twice@lab')).status).toBe(404);
  });

  it('need not name the file of its source (RFC 7578)', async () => {
    const form = await sourceForm({});
    const source = Buffer.from(await (form.get('source') as Blob).arrayBuffer());
    const head = '--x\r\nContent-Disposition: form-data; name="source"\r\n\r\n';
    const raw = Buffer.concat([Buffer.from(head), source, Buffer.from('\r\n--x--\r\n')]);
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    ok(await api.call('POST', '/v1/services/unnamed@lab/deployments', { raw, headers }), 202);
  });

  it('has a spec no longer than any other document, sent as a field or as a file', async () => {
    const long = JSON.stringify({ env: { A: 'a'.repeat(2 << 20) } });
    const context = [long, new Blob([long]), new Blob([long], { type: 'application/json' })];
    for (const [n, part] of context.entries()) {
      const form = await sourceForm({}, { 'behind.it': 'x'.repeat(8 << 20) });
      form.set('spec', part);
      const answer = await api.call('POST', `/v1/services/long${n}@lab/deployments`, { raw: form });
      expect(answer).toMatchObject({ status: 413, body: { code: 'too_large', limit: 1 << 20 } });
      expect((await api.get(`/v1/services/long${n}@lab`)).status).toBe(404);
    }
  });

  it('that is malformed is a 400', async () => {
    for (const [type, raw] of [
      ['multipart/form-data', 'x'],
      ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data; name="spec"\r\n\r\n{'],
      ['multipart/form-data; boundary=x', '--x\r\nContent-Disposition: form-data\r\n\r\na\r\n--x--\r\n'],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name=""\r\n\r\na\r\n--x--\r\n',
      ],
      [
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; filename="f"\r\n\r\na\r\n--x--\r\n',
      ],
      ['multipart/form-data; boundary=x', '--x\r\n\r\na\r\n--x--\r\n'],
      ['multipart/form-data; boundary=', '--\r\n\r\na\r\n----\r\n'],
      [`multipart/form-data; boundary=${'x'.repeat(71)}`, `--${'x'.repeat(71)}--`],
      [`multipart/form-data; boundary="${'x'.repeat(300)}"`, 'x'],
      [`multipart/form-data; boundary=${'x'.repeat(5_000)}`, 'x'],
    ] as const) {
      const answer = await api.call('POST', '/v1/services/web@lab/deployments', {
        raw,
        headers: { 'content-type': type },
      });
      expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
    }
  });
});
