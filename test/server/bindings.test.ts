import { beforeAll, describe, expect, it } from 'vitest';
import type { Api } from './api.ts';
import { Agent, Builder, claimUntil, digestOf, type Lease, ok, sourceForm } from './parties.ts';
import { useServers } from './servers.ts';

const BYTES = { 'content-type': 'application/octet-stream' };

describe('the binding of a component limits the bytes and lines it may read and write (F111)', () => {
  const servers = useServers(null, true);
  let api: Api;
  let build: Lease & { readonly input: { readonly source: string } };
  let artifact: string;
  let builder: Builder;
  let apply: Lease;
  const bound = async (role: string, to: object) => api.as(await api.tokenFor(role, to));
  const bytesOf = async (of: Api, digest: string) => (await of.get(`/v1/artifacts/${digest}`)).status;
  const writeLine = async (of: Api, lease: Lease, more: object) => {
    const { service, revision, attempt } = lease;
    const line = { service, revision, attempt, seq: '1', at: '2026-11-15T00:00:00Z', line: 'hello' };
    return ok(await of.post('/v1/logs', { items: [{ ...line, ...more }] })).accepted;
  };

  beforeAll(async () => {
    ({ api } = await servers.start());
    builder = new Builder(await bound('builder', { service: 'web@*', name: 'builder-a' }));
    ok(await api.call('POST', '/v1/services/web@lab/deployments', { raw: await sourceForm({}) }), 202);
    build = await builder.take();
  }, 60_000);

  it('an operator bound to other services or targets does not see the builder', async () => {
    const workers = async (to: object) => {
      const { items } = ok(await (await bound('operator', to)).get('/v1/workers'));
      return items.map(({ worker }: { worker: string }) => worker);
    };
    expect(await workers({})).toContain('builder-a');
    expect(await workers({ service: 'web@lab' })).toContain('builder-a');
    expect(await workers({ service: 'other@*' })).not.toContain('builder-a');
    const anyone = new Builder(await bound('builder', { name: 'builder-b' }));
    await anyone.api.post('/v1/leases', { kinds: ['build'], worker: 'builder-b', instance: 'b', waitMs: 0 });
    expect(await workers({ target: 'lab' })).toContain('builder-b');
    expect(await workers({ target: 'nowhere' }), 'a builder for everybody').not.toContain('builder-b');
    const edge = await bound('agent', { target: 'edge' });
    const asks = { kinds: ['apply'], target: 'edge', worker: 'agent-of-edge', instance: 'e', waitMs: 0 };
    await edge.post('/v1/leases', asks);
    expect(await workers({ target: 'edge' })).toContain('agent-of-edge');
    expect(await workers({ service: 'web@*' }), 'web is not at edge').not.toContain('agent-of-edge');
  });

  it('a builder bound to the service reads its source, and no other does', async () => {
    expect(await bytesOf(builder.api, build.input.source)).toBe(200);
    const other = await bound('builder', { service: 'other@*' });
    const theirs = await other.get(`/v1/artifacts/${build.input.source}`);
    const none = await other.get(`/v1/artifacts/${digestOf('nothing')}`);
    const less = ({ correlation: _, ...rest }: { correlation: string }) => rest;
    expect([theirs.status, less(theirs.body)]).toEqual([404, less(none.body)]);
    expect(await bytesOf(await bound('builder', { target: 'prod' }), build.input.source)).toBe(404);
    expect(await bytesOf(await bound('builder', {}), build.input.source), 'bound to nothing').toBe(200);
  });

  it('no builder reads the source of a refused deploy', async () => {
    const unbound = await bound('builder', {});
    const files = { 'index.html': 'what was refused' };
    const send = async (spec: object) => {
      const raw = await sourceForm(spec, files);
      const source = Buffer.from(await (raw.get('source') as Blob).arrayBuffer());
      return [digestOf(source), await api.call('POST', '/v1/services/web@lab/deployments', { raw })] as const;
    };
    for (const [spec, status] of [
      [{ replica: 2 }, 400],
      [{ concurrency: 'refuse' }, 409],
    ] as const) {
      const [digest, answer] = await send(spec);
      expect(answer.status).toBe(status);
      expect(await bytesOf(unbound, digest)).toBe(404);
    }
    const [digest, queued] = await send({ concurrency: 'queue' });
    ok(queued, 202);
    expect(await bytesOf(unbound, digest)).toBe(200);
    const [, refused] = await send({ concurrency: 'refuse' });
    expect(refused.status).toBe(409);
    expect(await bytesOf(unbound, digest), 'the source of another deploy stays').toBe(200);
    ok(await api.post('/v1/services/web@lab/cancellations', { revision: 2 }), 202);
  });

  it('only the holder of a build’s lease writes its lines', async () => {
    const { command, fence } = build;
    const line = { stream: 'build', command, fence };
    expect(await writeLine(builder.api, build, line)).toBe(1);
    expect(
      await writeLine(builder.api, build, { ...line, fence: '99', seq: '2' }),
      'a fence never issued',
    ).toBe(0);
    expect(await writeLine(builder.api, build, { ...line, command: 'nope', seq: '2' })).toBe(0);
    expect(
      await writeLine(builder.api, build, { stream: 'build', seq: '2' }),
      'command and fence may be left out',
    ).toBe(1);
    expect(await writeLine(builder.api, build, { stream: 'run', seq: '3' }), 'a builder runs nothing').toBe(
      0,
    );
    const thief = await bound('builder', { name: 'thief' });
    expect(await writeLine(thief, build, { ...line, seq: '4' })).toBe(0);
    expect(await writeLine(thief, build, { stream: 'build', seq: '4' })).toBe(0);
  });

  it('an artifact is read inside the binding, and by the builder that has just stored it', async () => {
    const bytes = 'what was built';
    const unborn = digestOf(bytes);
    const put = { raw: bytes, headers: BYTES };
    expect((await builder.api.call('PUT', `/v1/artifacts/${unborn}`, put)).status).toBe(201);
    expect(await bytesOf(builder.api, unborn), 'nothing refers to it yet').toBe(200);
    const again = await bound('builder', { service: 'web@*' });
    expect(await bytesOf(again, unborn)).toBe(404);
    artifact = await builder.builds(build, bytes);
    expect(artifact).toBe(unborn);
    expect(await bytesOf(again, artifact)).toBe(200);
    expect(await bytesOf(await bound('builder', { service: 'other@*' }), artifact)).toBe(404);
    expect(await bytesOf(await bound('agent', { target: 'prod' }), artifact)).toBe(404);
    expect(await bytesOf(await bound('agent', { target: 'lab' }), artifact)).toBe(200);
    // The last lines of a build come behind its verdict.
    const { command, fence } = build;
    expect(await writeLine(builder.api, build, { stream: 'build', command, fence, seq: '9' })).toBe(1);
  });

  it('an agent reads the artifact of another service once it has acquired the lease to apply it', async () => {
    ok(await api.post('/v1/services/web@edge/deployments', { artifact }), 202);
    const token = await api.tokenFor('agent', { target: 'edge', name: 'agent-edge' });
    const agent = new Agent(api.as(token), 'edge', 'edge-1');
    expect(await bytesOf(agent.api, artifact), 'before it is offered').toBe(404);
    await agent.register();
    apply = await agent.take();
    expect(await bytesOf(agent.api, artifact)).toBe(200);
    await agent.applies(apply);
  });

  it('an agent bound to some services of a target is refused registration and reports, which speak for all of them', async () => {
    const some = new Agent(await bound('agent', { target: 'edge', service: 'web@*' }), 'edge', 'edge-some');
    const who = { agent: 'a', instance: 'edge-some', version: '1', identity: 'uid-1' };
    const refused = {
      status: 403,
      body: { code: 'forbidden', detail: expect.stringMatching(/bound to some services/) },
    };
    expect(await some.api.post('/v1/targets/edge/registrations', who)).toMatchObject(refused);
    const nothing = { epoch: '1', seq: '9', complete: true, instances: [], services: [] };
    expect(await some.api.post('/v1/targets/edge/reports', nothing)).toMatchObject(refused);
    const all = await bound('agent', { service: '*@elsewhere' });
    ok(await all.post('/v1/targets/elsewhere/registrations', who));
    expect((await all.post('/v1/targets/edge/registrations', who)).status).toBe(403);
  });

  it('only the current agent of a target writes the lines of its instances', async () => {
    const token = await api.tokenFor('agent', { target: 'edge', name: 'agent-edge' });
    const next = new Agent(api.as(token), 'edge', 'edge-2');
    const { epoch } = await next.register();
    expect(epoch).toBe('2');
    const line = { stream: 'run', instance: 'u1' };
    expect(await writeLine(next.api, apply, { ...line, epoch })).toBe(1);
    expect(await writeLine(next.api, apply, { ...line, epoch: '1', seq: '2' }), 'a fenced one').toBe(0);
    expect(await writeLine(next.api, apply, { ...line, epoch: '99', seq: '2' }), 'never issued').toBe(0);
    expect(await writeLine(next.api, apply, { ...line, command: 'x', fence: '1', seq: '2' })).toBe(0);
    const { command, fence } = apply;
    expect(await writeLine(next.api, apply, { ...line, epoch, command, fence, seq: '2' })).toBe(1);
    expect(await writeLine(next.api, apply, { stream: 'build', seq: '3' }), 'an agent builds nothing').toBe(
      0,
    );
    const other = await bound('agent', { target: 'lab' });
    expect(await writeLine(other, apply, { ...line, seq: '3' })).toBe(0);
  });

  it('operators read the epoch, command and fence of a line, users do not', async () => {
    await claimUntil(api, 'web@edge', () => true);
    const read = async (of: Api) =>
      String(ok(await of.get('/v1/services/web@edge/logs?stream=run')))
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
    const { command, fence } = apply;
    expect(await read(api)).toMatchObject([
      { seq: '1', epoch: '2', command: null, fence: null },
      { seq: '2', epoch: '2', command, fence },
    ]);
    for (const line of await read(await bound('viewer', {})))
      expect(Object.keys(line).sort()).toEqual(
        ['at', 'attempt', 'instance', 'line', 'revision', 'seq', 'service', 'stream'].sort(),
      );
  });
});
