import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { ok } from './parties.ts';
import { useServers } from './servers.ts';

interface Media {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
interface Operation {
  readonly operationId: string;
  readonly security?: readonly object[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly schema: { type?: string };
  }[];
  readonly requestBody?: Media & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Media>>;
}

/** Every test of this folder checks its answers against the description: `Api` does it for each. */
describe('/openapi.json', () => {
  const servers = useServers(null, true);
  let api: Api;
  let schemes: object;
  const operations = new Map<string, Operation>();
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const checkOf = (schema: object) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"api:/#/components')));
  const bodyOf = (call: string) =>
    operations.get(call)?.requestBody?.content?.['application/json']?.schema ?? {};

  beforeAll(async () => {
    ({ api } = await servers.start());
    const document = ok(await api.get('/openapi.json', { token: null }));
    for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, Operation>>))
      for (const [method, operation] of Object.entries(methods))
        operations.set(`${method.toUpperCase()} ${path}`, operation);
    schemes = document.components.securitySchemes;
    ajv.addSchema({ $id: 'api:/', components: document.components });
  }, 60_000);

  it('describes the content of every answer below 400, and of every request body', () => {
    expect(operations.size).toBeGreaterThan(45);
    expect(new Set([...operations.values()].map(({ operationId }) => operationId)).size).toBe(
      operations.size,
    );
    for (const [call, { responses, requestBody }] of operations) {
      const below = Object.keys(responses).filter((status) => Number(status) < 400);
      expect(below.length, call).toBeGreaterThan(0);
      for (const status of below) {
        const content = Object.entries(responses[status]?.content ?? {});
        if (status === '204' || status.startsWith('3')) expect(content, call).toEqual([]);
        else expect(content.length, `${call} ${status}`).toBeGreaterThan(0);
        for (const [type, { schema }] of content)
          if (/json/.test(type)) expect(() => checkOf(schema ?? {}), `${call} ${status}`).not.toThrow();
      }
      const sent = requestBody?.content?.['application/json']?.schema;
      if (sent !== undefined) expect(() => checkOf(sent), call).not.toThrow();
    }
  });

  it('names the headers and parameters that change the effect of a call', () => {
    const parametersOf = (call: string, where: string) =>
      operations
        .get(call)
        ?.parameters.filter((p) => p.in === where)
        .map((p) => p.name) ?? [];
    const keyed = [...operations.keys()].filter((call) =>
      parametersOf(call, 'header').includes('Idempotency-Key'),
    );
    expect(keyed.toSorted()).toEqual(
      [
        'DELETE /v1/services/{ref}',
        'POST /v1/services/{ref}/cancellations',
        'POST /v1/services/{ref}/configuration',
        'POST /v1/services/{ref}/deployments',
        'POST /v1/services/{ref}/restarts',
        'POST /v1/services/{ref}/retries',
        'POST /v1/services/{ref}/rollbacks',
        'POST /v1/services/{ref}/scalings',
        'POST /v1/targets',
        'POST /v1/tokens',
        'POST /v1/webhooks',
      ].toSorted(),
    );
    expect(parametersOf('GET /v1/services/{ref}/events', 'header')).toEqual(['Last-Event-ID']);
    expect(parametersOf('GET /v1/services/{ref}/status', 'header')).toEqual(['If-None-Match']);
    const limit = operations.get('GET /v1/services')?.parameters.find(({ name }) => name === 'limit');
    expect(limit?.schema).toEqual({ type: 'integer', minimum: 1, maximum: 200, default: 50 });
  });

  it('names If-None-Match and 304 for reads, and not for pages and health', () => {
    const tagged = (call: string) => {
      const { parameters = [], responses = {} } = operations.get(call) ?? {};
      return [parameters.some(({ name }) => name === 'If-None-Match'), '304' in responses];
    };
    for (const call of operations.keys()) {
      const isRead = /^GET (\/v1\/|\/badges\/|\/openapi.json)/.test(call) && !/\/(events|logs)$/.test(call);
      expect(tagged(call), call).toEqual([isRead, isRead]);
    }
  });

  it('names the authentication of each call: a token, for people also a session cookie, for some none', () => {
    const securityOf = (call: string) => operations.get(call)?.security?.flatMap(Object.keys);
    expect(securityOf('GET /v1/services')).toEqual(['bearer', 'session']);
    expect(securityOf('POST /v1/leases')).toEqual(['bearer']);
    expect(securityOf('GET /healthz')).toEqual([]);
    expect(schemes).toMatchObject({ session: { type: 'apiKey', in: 'cookie', name: 'evident_session' } });
  });

  it('says which bodies are required, and describes those that are judged item by item', () => {
    expect(operations.get('POST /v1/tokens')?.requestBody?.required).toBe(true);
    expect(operations.get('POST /v1/services/{ref}/restarts')?.requestBody?.required).toBe(false);
    expect(operations.get('POST /v1/targets/{target}/reports')?.requestBody?.required).toBe(true);
    expect(operations.get('PUT /v1/artifacts/{digest}')?.requestBody?.required).toBe(true);

    const report = checkOf(bodyOf('POST /v1/targets/{target}/reports'));
    const head = { epoch: '1', seq: '2', watchAgeMs: 0 };
    const instance = { uid: 'u1', service: 'web@lab', phase: 'running', ready: true };
    expect(
      report({ ...head, complete: true, instances: [instance], services: [{ service: 'web@lab' }] }),
    ).toBe(true);
    expect(report({ ...head, complete: true, instances: [{ ...instance, phase: 'happy' }] })).toBe(false);
    expect(report({ ...head, base: '1', changed: { instances: [instance] } })).toBe(true);
    expect(report({ ...head, base: '1' })).toBe(true);
    expect(report({ seq: '1' })).toBe(false);

    const evidence = checkOf(bodyOf('POST /v1/evidence'));
    const item = { id: 'e1', service: 'web@lab', revision: 1, attempt: 1, command: 'c', fence: '1' };
    const stored = { digest: `sha256:${'0'.repeat(64)}`, size: 3, plan: { command: ['run'], port: 80 } };
    expect(evidence({ items: [{ ...item, kind: 'artifact.stored', body: stored }] })).toBe(true);
    expect(evidence({ items: [{ ...item, kind: 'artifact.stored', body: {} }] })).toBe(false);
    expect(evidence({ items: [{ ...item, kind: 'intent.recorded', body: {} }] })).toBe(false);
  });

  it('describes /openapi.json itself', async () => {
    const described = ok(await api.get('/openapi.json', { token: null }));
    expect(described.openapi).toBe('3.1.0');
    expect(described.paths['/v1/services/{ref}/deployments'].post.requestBody.content).toHaveProperty(
      'multipart/form-data',
    );
    const docs = (await api.get('/docs', { token: null })).body;
    expect(docs).toContain('POST /v1/leases');
    expect(docs, 'what it takes').toContain('<code>waitMs</code>');
    expect(docs, 'and what it answers').toContain('<code>validUntil</code>');
    expect((await api.get('/', { token: null })).body).toContain('<title>Evident</title>');
    expect(ok(await api.get('/v1/model')).states).toHaveLength(14);
    expect((await api.get('/metrics')).body).toContain('evident_http_seconds');
    expect(ok(await api.get('/readyz', { token: null }))).toEqual({ ready: true, notes: [] });
  });
});
