import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAlive, type ProcessId } from '../../src/runtime/process/proc.ts';
import type { ServiceRecord } from '../../src/runtime/supervise/record.ts';
import { WEB } from '../runtime/process-lab.ts';
import { ok } from '../server/parties.ts';
import { type Launched, type Server, useServers } from '../server/servers.ts';
import { claimed, cleanUp, deploy, endWithTest, running } from './stage.ts';

const SPEC = { command: ['node', 'web.js'], port: 3000, stabilityMs: 300 };

describe('evident agent, as a process of its own', () => {
  // First, which makes it end last: an agent that lives would start again what is killed.
  cleanUp();
  const servers = useServers();

  const launch = async ({ api, data }: Server): Promise<Launched> => {
    endWithTest(data);
    const args = ['agent', '--target', 'lab', '--runtime', 'process', '--router-port', '0', '-o', 'json'];
    const agent = servers.launch(args, { EVIDENT_DATA: data, EVIDENT_SERVER: api.address });
    await agent.until(/"event":"ready"/);
    return agent;
  };
  const record = ({ data }: Server) =>
    JSON.parse(
      readFileSync(join(data, 'runtime/lab/services/web@lab.json'), 'utf8'),
    ) as ServiceRecord<ProcessId>;
  const request = async ({ api }: Server) => {
    const { urls } = ok(await api.get('/v1/services/web@lab'));
    return (await fetch(urls.at(-1))).json() as Promise<{ pid: number; revision: string }>;
  };
  /** Polls until the condition holds; each answer is read anew. */
  const observedUntil = async (
    server: Server,
    is: (instance: { restarts: number; ready: boolean }) => boolean,
  ) => {
    for (;;) {
      const [instance] = await observed(server);
      if (instance !== undefined && is(instance)) return;
    }
  };
  const observed = async ({ api }: Server) => ok(await api.get('/v1/services/web@lab/instances')).items;

  it('an app is killed: the claim is degraded, the agent starts it again, and it runs with one restart', async () => {
    const server = await servers.start();
    await launch(server);
    await deploy(server.api, { 'web.js': WEB }, SPEC);
    await claimed(server.api, running(1));
    const { pid } = await request(server);
    const broken = claimed(server.api, (c) => c.state === 'degraded');
    process.kill(pid, 'SIGKILL');
    expect((await broken).cause.code).toMatch(/signalled|not_started|route_silent/);
    await claimed(server.api, running(1));
    expect(await observed(server)).toMatchObject([{ restarts: 1, ready: true }]);
    expect((await request(server)).pid).not.toBe(pid);
  });

  it('evident down ends server, agent and apps, though each is a process of its own', async () => {
    const server = await servers.start();
    const agent = await launch(server);
    await deploy(server.api, { 'web.js': WEB }, SPEC);
    await claimed(server.api, running(1));
    const [{ process: app = null } = {}] = record(server).instances;
    const down = servers.run(['down', '--data', server.data, '-o', 'json'], {});
    expect(down.out, down.err).toContain('{"event":"down","server":true,"ended":1}');
    expect((await agent.ended).signal ?? 'ended').toBe('ended');
    expect(app !== null && isAlive(app)).toBe(false);
  });

  it('the agent is killed: apps live on, and the next agent adopts them without a restart', async () => {
    const server = await servers.start();
    const agent = await launch(server);
    await deploy(server.api, { 'web.js': WEB }, { ...SPEC, replicas: 2 });
    await claimed(server.api, running(1));
    const before = record(server).instances.map(({ uid, process: id, restarts }) => ({ uid, id, restarts }));
    agent.process.kill('SIGKILL');
    await agent.ended;
    expect(before.every(({ id }) => id !== null && isAlive(id))).toBe(true);
    const unobserved = await claimed(
      server.api,
      (c) => c.state === 'unknown' && c.cause.code === 'stale_runtime',
    );
    expect(unobserved.lastKnown.state).toBe('running');

    await launch(server);
    await claimed(server.api, running(1));
    const after = record(server).instances.map(({ uid, process: id, restarts }) => ({ uid, id, restarts }));
    expect(after).toEqual(before);
    expect((await request(server)).revision).toBe('1');
  });

  it('the agent is stopped by SIGTERM: apps live on, and the next agent starts again those that ended meanwhile', async () => {
    const server = await servers.start();
    const agent = await launch(server);
    await deploy(server.api, { 'web.js': WEB }, SPEC);
    await claimed(server.api, running(1));
    const { pid } = await request(server);
    agent.process.kill('SIGTERM');
    expect(await agent.ended).toMatchObject({ code: 0 });
    expect(agent.output()).toContain('1 instance(s) go on running');
    process.kill(pid, 'SIGKILL');
    await launch(server);
    await observedUntil(server, ({ restarts, ready }) => restarts === 1 && ready);
    await claimed(server.api, running(1));
    expect(record(server).instances[0]?.lastExit).toEqual({ kind: 'unwatched' });
  });

  it('the agent is paused by SIGSTOP: the claim is unknown when nothing is fresh, and running with the next report', async () => {
    const server = await servers.start();
    const agent = await launch(server);
    await deploy(server.api, { 'web.js': WEB }, SPEC);
    const { freshness } = await claimed(server.api, running(1));
    expect(freshness.freshForMs).toBe(5_000);
    agent.process.kill('SIGSTOP');
    try {
      const stoppedAt = Date.now();
      const unknown = await claimed(server.api, (c) => c.state === 'unknown');
      expect(Date.parse(unknown.now) - stoppedAt).toBeLessThan(5_000 + 1_000);
      await claimed(server.api, (c) => c.state === 'unknown' && c.cause.code === 'stale_runtime');
    } finally {
      agent.process.kill('SIGCONT');
    }
    await claimed(server.api, running(1));
    expect(await observed(server)).toMatchObject([{ restarts: 0 }]);
  });

  it('the server is away: apps are routed and restarted, and the agent reports when it is back', async () => {
    const server = await servers.start();
    const agent = await launch(server);
    await deploy(server.api, { 'web.js': WEB }, SPEC);
    await claimed(server.api, running(1));
    const { pid } = await request(server);
    const url = ok(await server.api.get('/v1/services/web@lab')).urls.at(-1);
    server.process.kill('SIGKILL');
    await server.ended;
    await agent.until(/Trying again/);
    process.kill(pid, 'SIGKILL');
    for (;;) {
      const answer = await fetch(url).catch(() => null);
      if (answer?.status !== 200) continue;
      const { pid: now } = (await answer.json()) as { pid: number };
      if (now !== pid) break;
    }
    const port = new URL(server.api.address).port;
    const again = await servers.start({ data: server.data, args: ['--port', port] });
    await agent.until(/answers again/);
    await observedUntil(again, ({ restarts, ready }) => restarts === 1 && ready);
    await claimed(again.api, running(1));
  });

  it('the store was restored (F44): every claim is unknown until the same agent has reported again', async () => {
    const server = await servers.start();
    await launch(server);
    await deploy(server.api, { 'web.js': WEB }, SPEC);
    await claimed(server.api, running(1));
    const { pid } = await request(server);
    server.process.kill('SIGKILL');
    await server.ended;
    const recovered = servers.run(['recovered', '--reason', 'a backup'], { EVIDENT_DATA: server.data });
    expect(recovered.code, recovered.err).toBe(0);
    const { port } = new URL(server.api.address);
    const again = await servers.start({ data: server.data, args: ['--port', port] });
    await claimed(again.api, running(1));
    expect((await request(again)).pid).toBe(pid);
    const { digest } = await deploy(again.api, { 'web.js': `${WEB} // another` }, SPEC);
    const next = await claimed(again.api, (c) => c.state === 'running' && c.desired.artifact === digest);
    expect((await request(again)).revision).toBe(String(next.desired.revision));
  });

  it('a second agent on one directory is refused and names the owner', async () => {
    const server = await servers.start();
    await launch(server);
    const second = servers.run(['agent', '--target', 'lab', '--router-port', '0'], {
      EVIDENT_DATA: server.data,
      EVIDENT_SERVER: server.api.address,
    });
    expect(second.code).toBe(1);
    expect(second.err).toContain('belongs to a running Evident');
  });

  it('an agent whose port is taken or whose runtime does not exist ends and says what to do', async () => {
    const server = await servers.start();
    const env = { EVIDENT_DATA: server.data, EVIDENT_SERVER: server.api.address };
    const { port } = new URL(server.api.address);
    const taken = servers.run(['agent', '--target', 'lab', '--router-port', port], env);
    expect(taken).toMatchObject({ code: 1, err: expect.stringContaining('--router-port') });
    const none = servers.run(['agent', '--target', 'lab', '--runtime', 'container'], env);
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('container') });
  });
});
