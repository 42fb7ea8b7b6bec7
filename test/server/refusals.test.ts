import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { Agent, Builder, digestOf, ok, sourceForm, submit } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

describe('every malformed request gets a defined answer, and changes nothing', () => {
  const servers = useServers(null, true);
  let api: Api;
  beforeAll(async () => {
    ({ api } = await servers.start());
  }, 60_000);

  const json = { 'content-type': 'application/json' };
  const path = '/v1/services/web@lab/deployments';
  it.each([
    ['an unknown field of a person', path, '{"image":"a","imgae":"b"}', 400],
    ['a wrong type', path, '{"image":7}', 400],
    ['a command without words', path, '{"image":"a","spec":{"command":" "}}', 400],
    ['a command without a program', path, '{"image":"a","spec":{"command":["","x"]}}', 400],
    ['a host that is none', path, '{"image":"a","spec":{"route":{"host":"a b"}}}', 400],
    ['a path that is none', path, '{"image":"a","spec":{"health":{"path":"/a b"}}}', 400],
    ['an address for a path', path, '{"image":"a","spec":{"health":{"path":"http://a/"}}}', 400],
    ['two origins', path, `{"image":"a","observe":true}`, 400],
    [
      'a command that only a shell understands (F107)',
      path,
      '{"image":"a","spec":{"command":"a && b"}}',
      400,
    ],
    ['a variable that cannot be named so', path, '{"image":"a","spec":{"env":{"A B":"c"}}}', 400],
    ['nothing to deploy', path, '{}', 400],
    ['an unknown field of a spec', path, '{"image":"a","spec":{"replica":2}}', 400],
    ['a service that cannot be named so', '/v1/services/WEB@lab/deployments', '{"image":"a"}', 400],
    ['broken JSON', path, '{"image":', 400],
    ['a document 100,000 deep (F101)', path, '['.repeat(100_000), 400],
    ['a key twice (F101)', path, '{"image":"a","image":"b"}', 400],
    ['a number that does not fit (F101)', path, '{"image":"a","spec":{"replicas":1e400}}', 400],
    ['a name that reaches a prototype (F102)', path, '{"__proto__":{"image":"a"},"image":"b"}', 400],
    ['more than a document may have', path, JSON.stringify({ image: 'a'.repeat(2 << 20) }), 413],
    ['an image that cannot be named so (F107)', path, '{"image":"a b;rm -rf /"}', 400],
    ['an image with a login (S15)', path, '{"image":"u:hunter2pw@registry.example/web:1"}', 400],
    ['an image by address', path, '{"image":"https://registry.example/web:1"}', 400],
    ['an image with what is no digest', path, '{"image":"web:1@2"}', 400],
    ['an image without a name', path, '{"image":"   "}', 400],
    ['an artifact that nobody holds', path, `{"artifact":"sha256:${'0'.repeat(64)}"}`, 422],
  ])('%s', async (_what, at, raw, status) => {
    const answer = await api.call('POST', at, { raw, headers: json });
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    expect(answer.headers.get('content-type')).toContain('application/problem+json');
    expect(answer.body).toMatchObject({
      status,
      code: expect.stringMatching(/^[a-z_]+$/),
      correlation: expect.any(String),
    });
    expect(answer.body.correlation).toBe(answer.headers.get('x-correlation-id'));
    expect(ok(await api.get('/v1/services')).items).toEqual([]);
    expect(({} as { image?: string }).image).toBeUndefined();
  });

  it('an unreadable report is refused with each field, and a stale epoch with its cause', async () => {
    const agent = api.as(await api.tokenFor('agent'));
    const broken = await agent.post('/v1/targets/odd/reports', {
      epoch: 'x',
      complete: 'yes',
      instances: {},
    });
    expect(broken).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(broken.body.errors.map((error: string) => error.split(':')[0])).toEqual([
      'epoch',
      'seq',
      'complete',
      'instances',
    ]);
    const report = { epoch: '7', seq: '1', complete: true, instances: [] };
    const never = await agent.post('/v1/targets/odd/reports', report);
    expect(never).toMatchObject({ status: 409, body: { code: 'stale_epoch' } });
    expect(never.body.detail).toMatch(/never issued/);
    const who = { agent: 'a', version: '1', identity: 'c' };
    const first = ok(await agent.post('/v1/targets/odd/registrations', { ...who, instance: 'i1' }));
    ok(await agent.post('/v1/targets/odd/registrations', { ...who, instance: 'i2' }));
    const replaced = await agent.post('/v1/targets/odd/reports', { ...report, epoch: first.epoch });
    expect(replaced).toMatchObject({ status: 409, body: { code: 'stale_epoch', title: never.body.title } });
    expect(replaced.body.detail).toMatch(/newer registration/);
    const request = { kinds: ['apply'], target: 'odd', worker: 'a', instance: 'i3', waitMs: 0 };
    const stranger = await agent.post('/v1/leases', request);
    expect(stranger).toMatchObject({ status: 409, body: { code: 'stale_epoch' } });
    expect(stranger.body.detail).not.toMatch(/newer/);
  });

  it('more items than one call takes are a 413 with the limit', async () => {
    const builder = api.as(await api.tokenFor('builder'));
    for (const at of ['/v1/evidence', '/v1/logs']) {
      const answer = await builder.post(at, { items: Array.from({ length: 1_001 }, () => ({})) });
      expect(answer, at).toMatchObject({ status: 413, body: { code: 'too_large', limit: 1_000 } });
    }
  });

  it('a body of another media type is a 415, and bytes that are no archive a 422', async () => {
    const other = await api.call('POST', path, {
      raw: 'image=a',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(other).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(other.body.detail, 'and says what is understood').toMatch(
      /application\/json.*multipart\/form-data/,
    );
    const packed = await api.call('POST', path, {
      raw: gzipSync('{"image":"a"}'),
      headers: { ...json, 'content-encoding': 'gzip' },
    });
    expect(packed).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    expect(packed.body.detail).toMatch(/gzip/);
    const form = new FormData();
    form.set('source', new Blob(['this is no tar']), 'source.tar');
    const bad = await api.call('POST', path, { raw: form });
    expect(bad).toMatchObject({ status: 422, body: { code: 'source_rejected' } });
    expect(ok(await api.get('/v1/services')).items).toEqual([]);
  });

  it.each([
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`,
      431,
      'too_large',
    ],
    [
      'an address that is too long',
      `GET /${'y'.repeat(100_000)} HTTP/1.1\r\nhost: x\r\n\r\n`,
      431,
      'too_large',
    ],
    ['no HTTP at all', 'GARBAGE\r\n\r\n', 400, 'invalid_request'],
    ['no host', 'GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n', 400, 'invalid_request'],
    [
      'two lengths',
      'POST /v1/leases HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n',
      400,
      'invalid_request',
    ],
  ])('%s: refused below every route, in the same form', async (_what, sent, status, code) => {
    const { hostname, port } = new URL(api.address);
    const gone = connect(Number(port), hostname);
    gone.write(sent, () => gone.resetAndDestroy());
    gone.on('error', () => {});
    const socket = connect(Number(port), hostname);
    socket.write(sent);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toContain(`HTTP/1.1 ${status} `);
    expect(head).toContain('content-type: application/problem+json');
    const problem = JSON.parse(body);
    expect(problem).toMatchObject({
      status,
      code,
      type: `urn:evident:problem:${code}`,
      detail: expect.any(String),
    });
    expect(head).toContain(`x-correlation-id: ${problem.correlation}`);
    expect((await api.get('/healthz')).status).toBe(200);
  });

  it('a client that breaks off in the middle of a body is not logged as a defect', async () => {
    const server = await servers.start();
    const { hostname, port } = new URL(server.api.address);
    const socket = connect(Number(port), hostname);
    const builder = await server.api.tokenFor('builder');
    const lines = [
      `PUT /v1/artifacts/${digestOf(Buffer.from('never sent whole'))} HTTP/1.1`,
      'host: x',
      'content-length: 1000',
      'content-type: application/octet-stream',
      `authorization: Bearer ${builder}`,
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\nthe first bytes`, () => socket.end());
    await text(socket);
    server.process.kill('SIGTERM');
    const { errors } = await server.ended;
    expect(errors).not.toContain('defect of ours');
  });

  it('an unknown expectation and several spaces before a token are accepted, as HTTP allows', async () => {
    const { hostname, port } = new URL(api.address);
    const socket = connect(Number(port), hostname);
    const lines = [
      'host: x',
      'expect: something',
      'connection: close',
      `authorization: Bearer   ${api.token}`,
    ];
    socket.write(`GET /v1/services?limit=1 HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
    expect(await text(socket)).toContain('HTTP/1.1 200 ');
  });

  it.each([
    '/v1/services?limit=0',
    '/v1/services?limit=-1',
    '/v1/services?limit=ten',
    '/v1/services?cursor=zzz',
    '/v1/services?state=happy',
    '/v1/services?colour=red',
    '/v1/services/web@lab/status?at=yesterday',
    '/v1/services/web@lab/status?at=2999-01-01T00:00:00Z',
    `/v1/services/none@lab/evidence?cursor=${Buffer.from('["evidence","-5"]').toString('base64url')}`,
    `/v1/services?cursor=${Buffer.from('["services","1 OR 1"]').toString('base64url')}`,
    '/v1/services/%zz/status',
  ])('%s is a 400', async (at) => {
    expect(await api.get(at)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: expect.any(Array) },
    });
  });

  it.each([
    ['0', 'limit: must be 1 or more'],
    ['-1', 'limit: must be 1 or more'],
    ['1.5', 'limit: must be a whole number'],
    ['ten', 'limit: must be a whole number'],
  ])('limit=%s is refused with that field alone', async (limit, error) => {
    expect((await api.get(`/v1/services?limit=${limit}`)).body.errors).toEqual([error]);
  });

  it.each(['200', '201', '9007199254740993', `1${'0'.repeat(20)}`, '9'.repeat(60)])(
    'limit=%s is clamped',
    async (limit) => {
      ok(await api.get(`/v1/services?limit=${limit}`));
    },
  );

  it('a wait that is too long is clamped, and one that is no number is refused', async () => {
    const builder = api.as(await api.tokenFor('builder', { service: 'none@*' }));
    const asking = (waitMs: string) => ({
      raw: `{"kinds":["build"],"worker":"b","instance":"i","waitMs":${waitMs}}`,
      headers: json,
    });
    const { address } = api;
    for (const huge of ['9007199254740993', '100000000000000000000']) {
      const stop = AbortSignal.timeout(700);
      const headers = { ...json, authorization: `Bearer ${builder.token}` };
      const waits = fetch(`${address}/v1/leases`, {
        method: 'POST',
        headers,
        body: asking(huge).raw,
        signal: stop,
      });
      await expect(waits, 'it waits').rejects.toThrow(/timeout/);
    }
    for (const none of ['-1', '1.5', '"1"'])
      expect((await builder.call('POST', '/v1/leases', asking(none))).status, none).toBe(400);
  });

  it('text that is no UTF-8 is refused from a person, in a document and in a form; in a batch it does not stop the other items', async () => {
    const broken = (before: string, after: string) =>
      Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe]), Buffer.from(after)]);
    const document = broken('{"image":"a","git":{"sha":"a","message":"', '"}}');
    const sent = await api.call('POST', path, { raw: document, headers: json });
    expect(sent).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(sent.body.detail).toMatch(/UTF-8/);
    const form = await sourceForm({});
    form.set('git', new Blob([broken('{"sha":"a","message":"', '"}') as Uint8Array<ArrayBuffer>]));
    expect((await api.call('POST', '/v1/services/utf@lab/deployments', { raw: form })).status).toBe(400);
    const builder = api.as(await api.tokenFor('builder'));
    const items = broken('{"items":[{"id":"a","kind":"', '"},{"id":"b"}]}');
    const { results } = ok(await builder.call('POST', '/v1/evidence', { raw: items, headers: json }));
    expect(results).toHaveLength(2);
  });

  it('another charset for JSON than UTF-8 is a 415', async () => {
    const say = (charset: string) =>
      api.call('POST', path, {
        raw: '{}',
        headers: { 'content-type': `application/json; charset=${charset}` },
      });
    for (const other of ['iso-8859-1', 'utf-16', '"latin1"'])
      expect(await say(other), other).toMatchObject({
        status: 415,
        body: { code: 'unsupported_media_type' },
      });
    for (const same of ['utf-8', 'UTF-8', '"utf-8"', 'utf8'])
      expect((await say(same)).status, same).toBe(400);
  });

  it('an empty batch is accepted, of evidence and of lines', async () => {
    const builder = api.as(await api.tokenFor('builder'));
    expect(ok(await builder.post('/v1/evidence', { items: [] }))).toEqual({ results: [] });
    expect(ok(await builder.post('/v1/logs', { items: [] }))).toEqual({ accepted: 0 });
  });

  it('a key may contain spaces; the refusal names the characters that it may not contain', async () => {
    const deploy = (key: string) =>
      api.post(
        '/v1/services/keyed@lab/deployments',
        { image: IMAGE },
        { headers: { 'idempotency-key': key } },
      );
    expect(ok(await deploy('one two three'), 202).revision).toBe(1);
    expect((await deploy('one two three')).headers.get('idempotency-replayed')).toBe('true');
    for (const none of ['é', 'a"b', 'x'.repeat(256)]) {
      const refused = await deploy(none);
      expect(refused.status, none).toBe(400);
      expect(refused.body.detail).toMatch(/255 printable characters of ASCII.*quotation mark/);
    }
  });

  it('NUL is refused from a person; in a batch it does not stop the other items (F29)', async () => {
    expect((await api.post(path, { image: 'x\0y' })).body).toMatchObject({
      status: 400,
      code: 'invalid_request',
    });
    expect((await api.get('/v1/services?target=%00')).status).toBe(400);
    const builder = api.as(await api.tokenFor('builder'));
    const item = {
      kind: 'build.progress',
      service: 'none@lab',
      revision: 1,
      attempt: 1,
      command: 'c',
      fence: '1',
      body: { step: 1 },
    };
    const { results } = ok(
      await builder.post('/v1/evidence', {
        items: [
          { ...item, id: 'good' },
          { ...item, id: 'bad\0' },
        ],
      }),
    );
    expect(results).toMatchObject([{ id: 'good', verdict: 'rejected' }, { verdict: 'rejected' }]);
  });

  it('rejected evidence about no existing service is listed to operators whose binding covers it', async () => {
    const builder = api.as(await api.tokenFor('builder', { name: 'lost' }));
    const item = { kind: 'build.progress', revision: 1, attempt: 1, command: 'c', fence: '1', body: {} };
    ok(
      await builder.post('/v1/evidence', {
        items: [{ ...item, id: 'no-such', service: 'nowhere@lab' }, { id: 'names-none' }, 'nothing'],
      }),
    );
    const refused = async (as: Api, query = '') => {
      const { items, cursor } = ok(await as.get(`/v1/evidence?verdict=rejected&limit=200${query}`));
      const own = items.filter(({ source }: { source: { name: string } }) => source.name === 'lost');
      return { items: own, cursor };
    };
    const { items } = await refused(api);
    expect(items).toMatchObject([
      { id: 'no-such', service: 'nowhere@lab', kind: 'build.progress', reason: expect.any(String) },
      { id: 'names-none', service: null, reason: 'invalid' },
      { id: '', service: null, reason: 'invalid', body: 'nothing' },
    ]);
    const bound = api.as(await api.tokenFor('operator', { service: 'nowhere@*' }));
    expect((await refused(bound)).items.map(({ id }: { id: string }) => id)).toEqual(['no-such']);
    const other = api.as(await api.tokenFor('operator', { service: 'other@*' }));
    expect(await refused(other)).toEqual({ items: [], cursor: null });
    const stranger = api.as(await api.tokenFor('operator', { org: 'elsewhere' }));
    expect(await refused(stranger)).toEqual({ items: [], cursor: null });

    const paged: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = ok(await api.get(`/v1/evidence?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`));
      paged.push(...page.items.map(({ position }: { position: string }) => position));
      cursor = page.cursor;
    }
    const whole = ok(await api.get('/v1/evidence?limit=200')).items;
    expect(paged).toEqual(whole.map(({ position }: { position: string }) => position));
    expect((await api.get('/v1/evidence?verdict=admitted')).status).toBe(400);
  });

  it('evidence with an invalid time is rejected and a report with a future one is refused; a displayed time may be any', async () => {
    const builder = new Builder(api.as(await api.tokenFor('builder', { service: 'times@*' })));
    const deployed = await api.call('POST', '/v1/services/times@lab/deployments', {
      raw: await sourceForm({}),
    });
    ok(deployed, 202);
    const lease = await builder.take();
    const says = async (observedAt: string) => {
      const sent = await submit(builder.api, lease, 'build.progress', { step: 1 }, { observedAt });
      return ok(sent).results[0];
    };
    for (const none of ['yesterday', '<script>', '2026-13-01T00:00:00Z', '2026-11-15'])
      expect(await says(none), none).toMatchObject({ verdict: 'rejected', reason: 'invalid' });
    // Beyond 2038, and from other time zones (F43).
    for (const time of ['2099-01-01T00:00:00Z', '2026-11-15T01:00:00+00:00', '2026-11-15T01:00:00-09:30'])
      expect(await says(time), time).toMatchObject({ verdict: 'admitted' });
    const kept = ok(await api.get('/v1/services/times@lab/evidence?verdict=rejected')).items;
    expect(kept).toHaveLength(4);
    expect(kept[0]).toMatchObject({ reason: 'invalid', observedAt: null, body: { observedAt: 'yesterday' } });

    const agent = new Agent(api.as(await api.tokenFor('agent')), 'times');
    await agent.register();
    const report = (seq: string, time: string) =>
      agent.api.post('/v1/targets/times/reports', {
        epoch: agent.epoch,
        seq,
        complete: true,
        instances: [],
        heard: time,
      });
    expect(await report('1', 'yesterday')).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    for (const time of ['2099-01-01T00:00:00Z', new Date(Date.now() + 60_000).toISOString()])
      expect(await report('1', time), time).toMatchObject({
        status: 400,
        body: { code: 'invalid_request', errors: ['heard: in the future'] },
      });
    ok(await report('1', new Date().toISOString()));
    const { items } = ok(await api.get('/v1/agents'));
    const { asOf } = items.find(({ target }: { target: string }) => target === 'times');
    expect(Date.parse(asOf), 'no younger than its receipt').toBeLessThan(Date.now() + 5_000);
  });

  it('lines of a revision or an attempt that does not exist are a 404', async () => {
    ok(await api.post('/v1/services/lines@lab/deployments', { image: IMAGE }), 202);
    const logs = async (of: string) => (await api.get(`/v1/services/lines@lab/logs?${of}`)).status;
    expect(await logs('revision=1&attempt=1')).toBe(200);
    for (const none of ['revision=9', 'revision=1&attempt=2', 'revision=9&follow=1'])
      expect(await logs(none), none).toBe(404);
  });

  it('an encoded path and its plain form are the same request', async () => {
    const headers = { 'idempotency-key': 'written' };
    const first = await api.post('/v1/services/path@lab/deployments', { image: IMAGE }, { headers });
    const again = await api.post('/v1/services/path%40lab/deployments', { image: IMAGE }, { headers });
    expect(ok(again, 202).revision).toBe(ok(first, 202).revision);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    const other = await api.post('/v1/services/other@lab/deployments', { image: IMAGE }, { headers });
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } });
  });

  it('a cookie expires no later than its token', async () => {
    const token = await api.tokenFor('viewer', { expiresInMs: 90_500 });
    const signed = await api.call('POST', '/v1/sessions', { token: null, body: { token } });
    const age = Number(
      /Max-Age=(\d+)/.exec(ok(signed, 201) && (signed.headers.get('set-cookie') ?? ''))?.[1],
    );
    expect(age).toBeGreaterThan(60);
    expect(age).toBeLessThanOrEqual(90);
  });

  it('unknown fields and parameters of components are ignored', async () => {
    const builder = api.as(await api.tokenFor('builder'));
    const request = { kinds: ['build'], worker: 'b', instance: 'i', waitMs: 0, colour: 'red' };
    expect([200, 204]).toContain((await builder.post('/v1/leases?later=1', request)).status);
    expect((await api.get('/healthz?x=1', { token: null })).status).toBe(200);
  });

  it('HEAD is a 404 for a stream', async () => {
    expect((await api.call('HEAD', '/v1/services')).status).toBe(200);
    expect((await api.call('HEAD', '/v1/events')).status).toBe(404);
  });

  it('an artifact whose bytes do not match its digest is refused and not stored', async () => {
    const digest = `sha256:${'1'.repeat(64)}`;
    const builder = api.as(await api.tokenFor('builder'));
    const put = await builder.call('PUT', `/v1/artifacts/${digest}`, {
      raw: 'other',
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(put).toMatchObject({ status: 422, body: { code: 'digest_mismatch' } });
    expect(await builder.get(`/v1/artifacts/${digest}`)).toMatchObject({ status: 404 });
  });

  it('bytes of an artifact are stored unchanged, whatever their content type', async () => {
    const builder = api.as(await api.tokenFor('builder'));
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
      const raw = `{"sent as": "${type}"}`;
      const put = await builder.call('PUT', `/v1/artifacts/${digestOf(raw)}`, {
        raw,
        headers: { 'content-type': type },
      });
      expect([put.status, put.body.size]).toEqual([201, raw.length]);
    }
  });

  it('failed sign-ins are throttled, and a valid token is not', async () => {
    const statuses = [];
    for (let n = 0; n < 15; n++)
      statuses.push((await api.get('/v1/services', { token: `evd_wrong${n}` })).status);
    expect(statuses[0]).toBe(401);
    expect(statuses.at(-1)).toBe(429);
    expect((await api.get('/v1/services')).status).toBe(200);
  });
});
