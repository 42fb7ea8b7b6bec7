import { getIntrospectionQuery } from 'graphql';
import { serverAudits } from 'graphql-http';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answered, Api, StreamEvent } from './api.ts';
import { type Agent, ok, running } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;

/** A document over HTTP; answers with its data, where it has no errors. */
async function ask(api: Api, query: string, variables: object = {}) {
  const { data, errors } = await answered(api, query, variables);
  expect(errors).toBeUndefined();
  return data;
}

async function answered(api: Api, query: string, variables: object = {}): Promise<Answered['body']> {
  return ok(await api.post('/graphql', { query, variables }));
}

describe('GraphQL', () => {
  const servers = useServers(null, true);
  let api: Api;
  let viewer: Api;
  let agent: Agent;

  beforeAll(async () => {
    ({ api } = await servers.start());
    viewer = api.as(await api.tokenFor('viewer'));
    ({ agent } = await running(api, 'web@lab'));
  }, 60_000);
  beforeEach(() => agent.heartbeat());

  it('passes the audits of GraphQL over HTTP', async () => {
    const audits = serverAudits({
      url: `${api.address}/graphql`,
      fetchFn: (url: string, { headers = {}, ...init }: RequestInit = {}) =>
        fetch(url, {
          ...init,
          headers: { ...(headers as Record<string, string>), authorization: `Bearer ${api.token}` },
        }),
    });
    const results = await Promise.all(audits.map((audit) => audit.fn()));
    const failed = results
      .filter(({ status }) => status !== 'ok')
      .map(({ name, ...one }) => `${name}: ${'reason' in one ? one.reason : ''}`);
    expect(failed).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(60);
  });

  it('answers with the claims that HTTP answers with', async () => {
    const { service } = await ask(
      api,
      `query One($ref: String!) { service(ref: $ref) {
        ref name target urls claim { state desired { revision attempt artifact replicas } serving { revision }
          message { title } next { owner action retrySafe } operator { stage rejected } }
        revisions(first: 5) { nodes { revision kind actor attempts { outcome } } pageInfo { hasNextPage } }
        transitions(first: 2) { edges { cursor node { from to owner } } pageInfo { hasNextPage endCursor } }
        evidence(first: 3) { nodes { kind verdict source { role } } } } }`,
      { ref: 'web@lab' },
    );
    const claim = ok(await api.get('/v1/services/web@lab/status'));
    expect(service).toMatchObject({
      ref: 'web@lab',
      claim: {
        state: 'running',
        desired: claim.desired,
        serving: { revision: 1 },
        message: { title: claim.message.title },
        next: { owner: claim.next.owner },
        operator: { rejected: 0 },
      },
      revisions: { nodes: [{ revision: 1, kind: 'deploy', attempts: [{ outcome: 'succeeded' }] }] },
      transitions: { pageInfo: { hasNextPage: true } },
      evidence: { nodes: [{ kind: 'intent.recorded', verdict: 'admitted' }, {}, {}] },
    });
    const { service: next } = await ask(
      api,
      'query ($after: String!) { service(ref: "web@lab") { transitions(after: $after) { nodes { to } } } }',
      { after: service.transitions.pageInfo.endCursor },
    );
    const all = ok(await api.get('/v1/services/web@lab/transitions')).items;
    expect(next.transitions.nodes).toEqual(all.slice(2).map(({ to }: { to: string }) => ({ to })));
  });

  it('refuses what the caller may not see field by field, by a null with an error', async () => {
    const { data, errors } = await answered(
      viewer,
      '{ agents { id } service(ref: "web@lab") { claim { state operator { stage } } evidence { nodes { id } } } podStatuses { nodes { uid node } } }',
    );
    expect(data.service.claim).toEqual({ state: 'running', operator: null });
    expect([data.agents, data.service.evidence, data.podStatuses.nodes[0].node]).toEqual([null, null, null]);
    expect(
      errors.map(({ path, extensions }: Answered['body']) => [path.at(-1), extensions.code]).sort(),
    ).toEqual([
      ['agents', 'forbidden'],
      ['evidence', 'forbidden'],
      ['node', 'forbidden'],
      ['operator', 'forbidden'],
    ]);
    const hidden = await answered(viewer, '{ service(ref: "nobody@lab") { ref } }');
    expect(hidden).toMatchObject({
      data: { service: null },
      errors: [{ extensions: { code: 'not_found' } }],
    });
    const builder = api.as(await api.tokenFor('builder'));
    expect(await answered(builder, '{ services { nodes { ref } } }')).toMatchObject({
      data: null,
      errors: [{ extensions: { code: 'forbidden' } }],
    });
  });

  it('shows declared beside observed, and the instances', async () => {
    const data = await ask(
      api,
      `{ deploymentStatuses(target: "lab") { nodes { service state message declared { revision attempt artifact replicas }
          observed { replicas ready servingRevision generation { desired } } fresh ageMs observedAt lastKnown { state } } }
         podStatuses(service: "web@lab") { nodes { uid name revision attempt phase ready restarts fresh ageMs node containers { name } }
          pageInfo { hasNextPage } } }`,
    );
    expect(data.deploymentStatuses.nodes).toMatchObject([
      {
        service: 'web@lab',
        state: 'running',
        declared: { revision: 1, attempt: 1, artifact: IMAGE.split('@')[1], replicas: 1 },
        observed: { replicas: 1, ready: 1, servingRevision: 1, generation: null },
        fresh: true,
        lastKnown: null,
      },
    ]);
    expect(data.podStatuses).toMatchObject({
      nodes: [
        { uid: 'u1-0', revision: 1, attempt: 1, phase: 'running', ready: true, fresh: true, containers: [] },
      ],
      pageInfo: { hasNextPage: false },
    });
  });

  it('requests what people request, once per key', async () => {
    const deploy = `mutation Deploy($input: DeployInput!) { deploy(input: $input) { service revision attempt claim { state } } }`;
    const input = { service: 'api@lab', image: IMAGE, spec: { port: null }, idempotencyKey: 'once' };
    const first = await ask(api, deploy, { input });
    expect(first.deploy).toMatchObject({ service: 'api@lab', revision: 1, attempt: 1, claim: {} });
    expect((await ask(api, deploy, { input })).deploy.revision).toBe(1);
    const other = await answered(api, deploy, { input: { ...input, image: IMAGE.replace('web', 'api') } });
    expect(other.errors[0].extensions.code).toBe('idempotency_conflict');
    const scaled = await ask(
      api,
      'mutation { scale(service: "api@lab", replicas: 2) { revision changes { field to } } }',
    );
    expect(scaled.scale).toEqual({ revision: 2, changes: [{ field: 'replicas', to: 2 }] });
    const cancelled = await ask(
      api,
      'mutation { cancel(service: "api@lab") { revision claim { state outcome } } }',
    );
    expect(cancelled.cancel).toEqual({ revision: 2, claim: { state: 'cancelled', outcome: 'cancelled' } });
    const refused = await answered(viewer, 'mutation { restart(service: "web@lab") { revision } }');
    expect(refused.errors[0].extensions).toMatchObject({ code: 'forbidden', status: 403 });
    const wrong = await answered(api, deploy, { input: { service: 'api@lab', image: 'a b' } });
    expect(wrong.errors[0].extensions).toMatchObject({ code: 'invalid_request', errors: [/image/] });
  });

  it('refuses documents that ask too much before it carries anything out', async () => {
    const refusals: Record<string, string> = {
      'too deep': `{ ${'a { '.repeat(11)} b ${'}'.repeat(12)}`,
      'one field under 16 names': `{ ${Array.from({ length: 16 }, (_, i) => `a${i}: model { states }`).join(' ')} }`,
      'more than 1000 tokens': `{ ${'model { states } '.repeat(400)} }`,
      'more than 100 kB': `{ model { states } } #${'x'.repeat(100_000)}`,
      'lists in lists': '{ services(first: 500) { nodes { revisions(first: 500) { nodes { revision } } } } }',
      'fragments that double': doubling(40),
      'a fragment in itself': '{ ...a } fragment a on Query { ...a }',
      'more than 500': '{ services(first: 501) { nodes { ref } } }',
    };
    for (const [what, query] of Object.entries(refusals)) {
      const { errors } = (await api.post('/graphql', { query })).body;
      expect(errors?.[0]?.extensions?.code, what).toBe('invalid_request');
    }
    const batch = await api.post('/graphql', [{ query: '{ model { states } }' }]);
    expect(batch.status).toBe(400);
    const { data } = await answered(api, getIntrospectionQuery());
    expect(data.__schema.types.length).toBeGreaterThan(50);
  });
});

describe('a subscription', () => {
  const servers = useServers(null, true);
  let api: Api;

  const subscribe = (after: string | null, who = api) =>
    who.events(
      '/graphql',
      { 'content-type': 'application/json' },
      {
        method: 'POST',
        headers: {
          authorization: `Bearer ${who.token}`,
          accept: 'text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          query:
            'subscription ($after: Digits) { transitions(target: "lab", after: $after) { position to service claim { state } } }',
          variables: { after },
        }),
      },
    );
  const told = (event: StreamEvent | null) => event?.data.data.transitions;

  beforeAll(async () => {
    ({ api } = await servers.start());
  }, 60_000);

  it('tells each change once, in order, and goes on after the last one that was seen', {
    timeout: 60_000,
  }, async () => {
    await running(api, 'web@lab');
    const all = ok(await api.get('/v1/services/web@lab/transitions')).items;
    const first = await subscribe('0');
    const seen = [told(await first.next()), told(await first.next())];
    expect(seen.map(({ to }) => to)).toEqual(all.slice(0, 2).map(({ to }: { to: string }) => to));
    expect(seen[1].claim.state).toBe(seen[1].to);
    first.close();
    const second = await subscribe(seen[1].position);
    const rest = [];
    for (let i = 2; i < all.length; i++) rest.push(told(await second.next()).position);
    expect(rest).toEqual(all.slice(2).map(({ position }: { position: string }) => position));
    ok(await api.post('/v1/services/elsewhere@edge/deployments', { image: IMAGE }), 202);
    ok(await api.post('/v1/services/api@lab/deployments', { image: IMAGE }), 202);
    expect(told(await second.next()).service, 'of its target alone').toBe('api@lab');
    second.close();
  });

  it('is an error with the code reset after a position that is of another story', {
    timeout: 60_000,
  }, async () => {
    const events = await subscribe('999999');
    const { errors } = (await events.next())?.data ?? {};
    expect(errors).toMatchObject([
      { extensions: { code: 'reset', position: expect.stringMatching(/^\d+$/) } },
    ]);
    expect((await events.next())?.event ?? 'complete').toBe('complete');
  });

  it('gives its place back when its client leaves', { timeout: 60_000 }, async () => {
    const streams = async () => /^evident_streams (\d+)/m.exec((await api.get('/metrics')).body)?.[1];
    const events = await subscribe(null);
    while ((await streams()) !== '1');
    events.close();
    while ((await streams()) !== '0');
  });
});

/** Fragments that spread the next one twice: written out they are 2^n fields. */
function doubling(n: number): string {
  const fragments = Array.from(
    { length: n },
    (_, i) => `fragment f${i} on Query { ...f${i + 1} x: service(ref: "a") { ref } ...f${i + 1} }`,
  );
  return `{ ...f0 } ${fragments.join(' ')} fragment f${n} on Query { y: service(ref: "b") { ref } }`;
}
