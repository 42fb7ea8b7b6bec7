import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Agent, claimUntil, ok, sourceForm } from '../server/parties.ts';
import { useServers } from '../server/servers.ts';
import { deploy, evidenceOf, logOf, readyAt, SERVICE, useWorkers } from './workers.ts';

const HELLO = {
  'package.json': JSON.stringify({ scripts: { start: 'node server.js' } }),
  'server.js': 'require("node:http").createServer((_, r) => r.end("hi")).listen(process.env.PORT)',
};

describe('a worker', () => {
  const servers = useServers();
  const workers = useWorkers(servers);

  it('builds a deployed source, and the artifact says how to start it', { timeout: 60_000 }, async () => {
    const server = await servers.start();
    const { api } = server;
    await workers.start(server);
    await deploy(api, HELLO);
    await claimUntil(api, SERVICE, ({ state }) => state === 'artifact_ready');
    const [stored] = await evidenceOf(api, 'artifact.stored');
    expect(stored.body.plan).toEqual({ command: ['node', 'server.js'], port: 8080 });
    const agent = new Agent(api.as(await api.tokenFor('agent', { target: 'lab' })));
    await agent.register();
    const { input } = await agent.take();
    expect(input).toMatchObject({ artifact: stored.body.digest, spec: { command: ['node', 'server.js'] } });
    expect((await logOf(api)).join('\n')).toContain('This is Node (package.json)');
    expect(await evidenceOf(api, 'build.progress')).not.toHaveLength(0);
  });

  it('does not build an unchanged source again, and logs that; the same inputs give the same bytes', {
    timeout: 60_000,
  }, async () => {
    const server = await servers.start();
    const { api } = server;
    const first = await workers.start(server);
    const ready = (revision: number) => readyAt(api, revision);
    await deploy(api, HELLO);
    await ready(1);
    await deploy(api, HELLO, { replicas: 3 });
    await ready(2);
    expect((await logOf(api, '&revision=2')).join('\n')).toContain('It is not built again');
    await deploy(api, HELLO, { env: { MODE: 'other' } });
    await ready(3);
    expect((await logOf(api, '&revision=3')).join('\n')).not.toContain('It is not built again');
    // Another worker, without kept dependencies, builds the same bytes.
    first.process.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0 });
    await workers.start(server, { name: 'builder-b' });
    await deploy(api, HELLO);
    await ready(4);
    expect((await logOf(api, '&revision=4')).join('\n')).not.toContain('It is not built again');
    const digests = (await evidenceOf(api, 'artifact.stored')).map(({ body }) => body.digest);
    expect(new Set(digests).size).toBe(1);
    expect(digests).toHaveLength(4);
  });

  it('runs builds with a clean environment, in a directory that is removed afterwards', {
    timeout: 60_000,
  }, async () => {
    const server = await servers.start();
    const { api } = server;
    const worker = await workers.start(server);
    const files = {
      'package.json': JSON.stringify({ scripts: { build: 'node build.js', start: 'node build.js' } }),
      'build.js':
        'console.log("env " + JSON.stringify(process.env)); console.log("cwd " + process.cwd()); console.log("plant\\red-4711")',
    };
    await deploy(api, files, { env: { MODE: 'plain', PASSWORD: { secret: 'planted-4711' } } });
    await claimUntil(api, SERVICE, ({ state }) => state === 'artifact_ready');
    const log = await logOf(api);
    const env = JSON.parse(log.find((line) => line.startsWith('env '))?.slice(4) ?? '{}');
    expect(env).toMatchObject({ CI: '1', MODE: 'plain', LANG: 'C.UTF-8' });
    expect(Object.keys(env).filter((name) => name.startsWith('EVIDENT_'))).toEqual([]);
    expect(log.join('').replaceAll('\r', ''), 'nor across a return').not.toContain('planted-4711');
    const cwd = log.find((line) => line.startsWith('cwd '))?.slice(4) ?? '';
    expect(cwd.startsWith(worker.data)).toBe(true);
    // The worker prints this after the result is submitted and the directory is removed.
    await worker.until(/artifact stored/);
    expect(existsSync(cwd)).toBe(false);
  });

  it('submits which step failed, with its code and its lines', { timeout: 60_000 }, async () => {
    const server = await servers.start();
    const { api } = server;
    await workers.start(server);
    await deploy(api, {
      'package.json': JSON.stringify({
        scripts: { build: 'node -e "console.log(7); process.exit(3)"', start: 'x' },
      }),
    });
    const failed = await claimUntil(api, SERVICE, ({ state }) => state === 'failed');
    expect(failed).toMatchObject({
      cause: { code: 'build_command_failed' },
      next: { owner: 'user' },
      outcome: 'failed',
    });
    const [evidence] = await evidenceOf(api, 'build.failed');
    expect(evidence.body).toMatchObject({ exitCode: 3, retrySafe: true });
    expect(await logOf(api)).toEqual(
      expect.arrayContaining(['7', expect.stringContaining('The build failed')]),
    );
  });

  it('a source of no supported kind fails with the files that were looked for', {
    timeout: 60_000,
  }, async () => {
    const server = await servers.start();
    const { api } = server;
    await workers.start(server);
    await deploy(api, { 'notes.txt': 'x' });
    const failed = await claimUntil(api, SERVICE, ({ state }) => state === 'failed');
    expect(failed.cause.code).toBe('not_recognised');
    expect(failed.message.body).toContain('package.json');
    expect((await logOf(api)).join('\n')).toContain('Found: notes.txt');
  });

  it('a missing tool fails the build with its name and who has to install it', {
    timeout: 60_000,
  }, async () => {
    const server = await servers.start();
    const { api } = server;
    await workers.start(server);
    await deploy(api, HELLO, { build: 'no-such-tool --version' });
    const failed = await claimUntil(api, SERVICE, ({ state }) => state === 'failed');
    expect(failed).toMatchObject({ cause: { code: 'tool_missing' }, next: { owner: 'platform' } });
    expect((await evidenceOf(api, 'build.failed'))[0].body.message).toContain('no-such-tool');
  });

  it('a worker without free disk space fails a build before it begins', { timeout: 60_000 }, async () => {
    const server = await servers.start();
    await workers.start(server, { args: ['--min-free-mb', '999999999'] });
    await deploy(server.api, HELLO);
    const failed = await claimUntil(server.api, SERVICE, ({ state }) => state === 'failed');
    expect(failed).toMatchObject({
      cause: { code: 'builder_disk_full' },
      next: { owner: 'platform', retrySafe: true },
    });
  });

  it('builds two at a time with --concurrency 2', { timeout: 60_000 }, async () => {
    const server = await servers.start();
    const { api } = server;
    await workers.start(server, { args: ['--concurrency', '2'] });
    const dir = workers.newDir();
    // Each build waits for the other: one after the other would never end.
    const script = `
      const { existsSync, writeFileSync } = require('node:fs');
      writeFileSync(process.env.MINE, '');
      const timer = setInterval(() => existsSync(process.env.OTHER) && clearInterval(timer), 20);
    `;
    const files = { 'package.json': JSON.stringify({ scripts: { start: 'node .' } }), 'build.js': script };
    const [one, two] = [join(dir, 'one'), join(dir, 'two')];
    await deploy(api, files, { build: 'node build.js', env: { MINE: one, OTHER: two } });
    const raw = await sourceForm({ build: 'node build.js', env: { MINE: two, OTHER: one } }, files);
    ok(await api.call('POST', '/v1/services/api@lab/deployments', { raw }), 202);
    await Promise.all([readyAt(api, 1), readyAt(api, 1, 'api@lab')]);
  });

  it('builds again an artifact that the server no longer has', { timeout: 60_000 }, async () => {
    const server = await servers.start();
    const { api } = server;
    await workers.start(server);
    await deploy(api, HELLO);
    await readyAt(api, 1);
    const [{ body }] = await evidenceOf(api, 'artifact.stored');
    const hex = body.digest.slice('sha256:'.length);
    const file = join(server.data, 'artifacts/sha256', hex.slice(0, 2), hex.slice(2));
    rmSync(file);
    await deploy(api, HELLO);
    await readyAt(api, 2);
    expect((await logOf(api, '&revision=2')).join('\n')).not.toContain('It is not built again');
    expect(existsSync(file)).toBe(true);
  });

  it('ends a build that exceeds its deadline', { timeout: 60_000 }, async () => {
    const server = await servers.start();
    const { api } = server;
    await workers.start(server);
    await deploy(api, HELLO, {
      build: ['node', '-e', 'setInterval(() => {}, 1000)'],
      deadlines: { buildMs: 1_500 },
    });
    const failed = await claimUntil(api, SERVICE, ({ state }) => state === 'failed');
    expect(failed.cause.code).toBe('build_timed_out');
  });

  it('installs by the lock file, and takes the same dependencies from the last install', {
    timeout: 120_000,
  }, async () => {
    const server = await servers.start();
    const { api } = server;
    await workers.start(server);
    const manifest = {
      name: 'app',
      version: '1.0.0',
      dependencies: { dep: 'file:./dep' },
      scripts: { start: 'node .' },
    };
    const lock = {
      name: 'app',
      version: '1.0.0',
      lockfileVersion: 3,
      requires: true,
      packages: {
        '': { name: 'app', version: '1.0.0', dependencies: { dep: 'file:./dep' } },
        dep: { version: '1.0.0', bin: { 'dep-run': 'run.js' } },
        'node_modules/dep': { resolved: 'dep', link: true },
      },
    };
    const files = {
      'package.json': JSON.stringify(manifest),
      'package-lock.json': JSON.stringify(lock),
      'dep/package.json': JSON.stringify({ name: 'dep', version: '1.0.0', bin: { 'dep-run': 'run.js' } }),
      'dep/run.js': '#!/usr/bin/env node\nconsole.log("ran")\n',
    };
    const ready = (revision: number) => readyAt(api, revision);
    await deploy(api, { ...files, Procfile: 'web: dep-run $PORT' });
    await ready(1);
    expect((await logOf(api)).join('\n')).toContain('$ npm ci');
    const [stored] = await evidenceOf(api, 'artifact.stored');
    expect(stored.body.plan.command).toBe('dep-run $PORT');
    await deploy(api, { ...files, Procfile: 'web: dep-run $PORT', 'index.js': '1' });
    await ready(2);
    const log = (await logOf(api, '&revision=2')).join('\n');
    expect(log).toContain('node_modules is taken from the last install');
    expect(log).not.toContain('$ npm ci');
  });

  it('a worker whose token is refused says so and ends', { timeout: 60_000 }, async () => {
    const { api } = await servers.start();
    const dir = workers.newDir();
    const viewer = await api.tokenFor('viewer');
    const worker = servers.launch(['worker', '--data', dir, '--server', api.address, '--token', viewer]);
    expect(await worker.ended).toMatchObject({ code: 1 });
    expect(worker.output()).toContain('The server refuses this worker');
    expect(worker.output()).not.toMatch(/\n\s+at /);
  });

  it('a worker on its server’s machine creates its own token, once', { timeout: 60_000 }, async () => {
    const server = await servers.start();
    for (let round = 1; round <= 2; round++) {
      const worker = servers.launch(['worker', '--trust-apps', '--name', 'here'], {
        EVIDENT_DATA: server.data,
      });
      await worker.until(/builds for/);
      worker.process.kill('SIGTERM');
      expect(await worker.ended).toMatchObject({ code: 0 });
    }
    const { items } = ok(await server.api.get('/v1/tokens'));
    expect(items.filter(({ role }: { role: string }) => role === 'builder')).toHaveLength(1);
    expect(readdirSync(join(server.data, 'worker'))).toContain('places');
    // A worker with a stored token can start before its server does.
    server.process.kill('SIGKILL');
    await server.ended;
    const early = servers.launch(['worker', '--trust-apps', '--name', 'here'], { EVIDENT_DATA: server.data });
    await early.until(/No server answers/);
    early.process.kill('SIGTERM');
    expect(await early.ended).toMatchObject({ code: 0 });
  });
});
