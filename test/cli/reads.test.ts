import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ok } from '../server/parties.ts';
import { type Server, useServers } from '../server/servers.ts';
import { plain, useRuns } from './runs.ts';
import { type Stage, stageFor } from './stage.ts';

const servers = useServers(null, true);
const runs = useRuns(servers);
let server: Server;
let stage: Stage;
let env: Readonly<Record<string, string>>;
let dir: string;
const ref = 'web@lab';

beforeAll(async () => {
  server = await servers.start();
  stage = await stageFor(server, 'lab');
  env = { ...stage.env, PIN: 'swordfish-4711' };
  dir = runs.folder({
    'index.html': 'hello',
    'evident.yaml': 'port: 8080\nstabilityMs: 50\nenv: {MODE: test}\n',
    '.gitignore': 'secret.txt\n',
    'secret.txt': 'not to be sent',
  });
  const args = [
    'deploy',
    dir,
    '--service',
    ref,
    '--env',
    'A=b=c',
    '--secret',
    'PIN',
    '--replicas',
    '2',
    '-o',
    'yaml',
  ];
  const deploy = runs.pipe(args, { env });
  const { digest, lease } = await stage.builds();
  const { service, revision, attempt, command, fence } = lease;
  const about = {
    service,
    revision,
    attempt,
    command,
    fence,
    stream: 'build',
    at: '2026-11-15T12:00:00.000Z',
  };
  ok(await stage.builder.api.post('/v1/logs', { items: [{ ...about, seq: 1, line: 'npm ci' }] }));
  await stage.runs(digest, 2);
  expect(await deploy.code, deploy.err()).toBe(0);
  expect(parse(deploy.out())).toMatchObject({ state: 'running', settled: { outcome: 'succeeded' } });
}, 120_000);

const json = async (...args: string[]) => {
  const { code, out, err } = await runs.done([...args, '-o', 'json'], { env });
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out);
};
/** Server and token by variables: a token alone would be refused (F126). */
const asToken = (token: string) => ({ ...env, EVIDENT_SERVER: server.api.address, EVIDENT_TOKEN: token });
const words = async (...args: string[]) => {
  const { code, out, err } = await runs.done(args, { env });
  expect(code, err).toBe(0);
  return out;
};

describe('deploy', () => {
  it('records the spec of the file and of the flags, and shows no secret', async () => {
    const { spec } = ok(await server.api.get(`/v1/services/${ref}`));
    expect(spec).toMatchObject({
      port: 8080,
      replicas: 2,
      env: { MODE: 'test', A: 'b=c', PIN: { secret: true } },
    });
  });

  it('accepts an image with --detach, and refuses two origins', async () => {
    const accepted = await json(
      'deploy',
      dir,
      '--service',
      'img@lab',
      '--image',
      'registry.example/web:1.2',
      '--detach',
    );
    expect(accepted).toMatchObject({
      service: 'img@lab',
      revision: 1,
      attempt: 1,
      claim: { state: 'accepted' },
    });
    const both = await runs.done(['deploy', dir, '--image', 'a', '--observe'], { env });
    expect(both).toMatchObject({ code: 2, out: '' });
    const digest = `sha256:${'0'.repeat(64)}`;
    const gone = await runs.done(['deploy', dir, '--new-target', '--artifact', digest, '-o', 'json'], {
      env,
    });
    expect([gone.code, JSON.parse(gone.err).code]).toEqual([2, 'artifact_missing']);
  });

  it('says what was probably meant by a name that there is not', async () => {
    const image = ['--image', 'registry.example/web:1.2', '--detach'];
    const target = await runs.done(['deploy', dir, '--service', 'img@lba', ...image], { env });
    expect(target).toMatchObject({
      code: 2,
      err: expect.stringContaining('No target “lba”. Did you mean lab?'),
    });
    const service = await runs.done(['status', 'imgg@lab'], { env });
    expect(service).toMatchObject({ code: 2, err: 'No service “imgg@lab”. Did you mean img@lab?\n' });
    const nobody = await runs.done(['env'], { env });
    expect(nobody).toMatchObject({ code: 2, err: 'Can’t do that: Name the service: evident env SERVICE\n' });
    const before = await runs.done(['status', 'img@lab', '--at', '2020-01-01T00:00:00Z'], { env });
    expect(before).toMatchObject({
      code: 2,
      err: 'Nobody had requested it yet at 2020-01-01T00:00:00.000Z.\nSee what there was: evident history img@lab\n',
    });
  });

  it('tears nothing down that nobody confirmed', async () => {
    const refused = await runs.done(['rm', 'img@lab'], { env });
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('Add --yes') });
  });
});

describe('commands that read', () => {
  it('status prints the claim and exits with 0 whatever its state', async () => {
    expect(await json('status', ref)).toMatchObject({ service: ref, desired: { revision: 1 } });
    expect(await words('status', ref)).toContain(`${ref}  r1 · attempt 1`);
    expect(parse(await words('status', ref, '-o', 'yaml'))).toMatchObject({ service: ref });
  });

  it('services and history print arrays; their tables show actor, duration and URLs', async () => {
    expect(await json('services')).toContainEqual(expect.objectContaining({ ref, urls: expect.any(Array) }));
    expect(await json('services', '--state', 'cancelling')).toEqual([]);
    const [revision] = await json('history', ref);
    expect(revision).toMatchObject({ revision: 1, kind: 'deploy', attempts: [{ outcome: 'succeeded' }] });
    expect(await words('history', ref)).toMatch(/r1 +deploy +succeeded +[\d.]+ s +\S+ \S+Z +server-admin/);
    expect(await words('history', ref, '-o', 'wide')).toMatch(/build [\d.]+ s/);
    expect(await words('services', '-o', 'wide')).toContain('http://web.localhost:7718/');
  });

  it('explain prints the claim, its evidence, its age, its next change and its owner; also of a past instant', async () => {
    await stage.keeps();
    const page = await words('explain', ref);
    for (const title of [
      'What is claimed',
      'On which evidence',
      'How old it is',
      'What would change it',
      'Whose move it is',
    ])
      expect(page).toContain(title);
    expect(page).toMatch(/runtime\.applied by agent/);
    const [accepted] = ok(await server.api.get(`/v1/services/${ref}/transitions?limit=1`)).items;
    const then = await json('explain', ref, '--at', accepted.at);
    expect(then).toMatchObject({ state: 'accepted', explanation: expect.any(Array) });
    const viewer = await server.api.tokenFor('viewer');
    const forViewer = await runs.done(['explain', ref], { env: asToken(viewer) });
    expect([forViewer.code, forViewer.out.includes('For operators')]).toEqual([0, false]);
    const future = await runs.done(['explain', ref, '--at', '2999-01-01'], { env });
    expect([future.code, future.err]).toEqual([2, expect.stringContaining('future')]);
  });

  it('evidence, agents and commands print arrays too', async () => {
    expect(await json('evidence', ref)).toContainEqual(expect.objectContaining({ kind: 'artifact.stored' }));
    expect(await json('evidence', ref, '--rejected')).toEqual([]);
    expect(await json('agents')).toContainEqual(expect.objectContaining({ target: 'lab' }));
    expect(await json('agents', '--workers')).toContainEqual(
      expect.objectContaining({ worker: 'builder-lab' }),
    );
    expect(await json('commands')).toEqual(expect.any(Array));
  });

  it('logs prints lines of the build or of the app, and follows until Ctrl-C', async () => {
    expect(await words('logs', ref, '--stream', 'build')).toBe('npm ci\n');
    expect(await json('logs', ref, '--stream', 'build')).toMatchObject([{ line: 'npm ci', stream: 'build' }]);
    const follow = runs.pipe(['logs', ref, '--stream', 'run', '-f'], { env });
    const line = {
      service: ref,
      revision: 1,
      attempt: 1,
      stream: 'run',
      instance: 'u1-0',
      epoch: stage.agent.epoch,
    };
    const items = ['one', 'two'].map((text, seq) => ({
      ...line,
      seq,
      at: '2026-11-15T12:00:01.000Z',
      line: text,
    }));
    ok(await stage.agent.api.post('/v1/logs', { items }));
    await follow.until('one\ntwo\n');
    process.kill(follow.pid, 'SIGINT');
    expect(await follow.code).toBe(130);
    expect(follow.out()).toBe('one\ntwo\n');

    const other = { ...line, instance: 'u1-1', seq: 1, at: '2026-11-15T12:00:02.000Z', line: 'three' };
    ok(await stage.agent.api.post('/v1/logs', { items: [other] }));
    expect(await words('logs', ref)).toBe('u1-0  one\nu1-0  two\nu1-1  three\n');
    expect(await words('logs', ref, '--instance', 'u1-1')).toBe('three\n');
  });

  it('version and config print JSON too', async () => {
    expect(await json('version')).toEqual({ version: expect.any(String), node: process.version });
    const { version } = await json('version');
    expect(await words('version')).toBe(`${version}\n`);
    const settings = await json('config', 'show');
    expect(settings).toContainEqual(
      expect.objectContaining({ name: 'routerPort', value: null, origin: 'default', flag: '--router-port' }),
    );
    const printed = await runs.done(['config', 'show'], { env: { ...env, EVIDENT_ROUTER_PORT: '8081' } });
    expect(printed.out).toMatch(/^routerPort +8081 +\(variable; /m);
  });

  it('open prints the address', async () => {
    expect(await words('open', ref)).toBe('http://web.localhost:7718/\n');
    expect(await words('open')).toContain(`${server.api.address}/#link=`);
    const none = await runs.done(['open', 'img@lab'], { env });
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('evident explain img@lab')]);
  });

  it('a command ends quietly when its output is no longer read', async () => {
    const { program } = servers;
    const shell = `"${process.execPath}" "${program()}" evidence ${ref} -o json | true`;
    const { stderr } = spawnSync('sh', ['-c', shell], { env: { ...process.env, ...env }, encoding: 'utf8' });
    expect(stderr).toBe('');
  });
});

describe('server and token', () => {
  it('are found together: by flags, by variables, in the nearest .evident upwards', async () => {
    const above = runs.folder({ 'deep/er/x': '' });
    symlinkSync(server.data, join(above, '.evident'));
    const cwd = join(above, 'deep', 'er');
    const nothing = { EVIDENT_DATA: '', HOME: above };
    expect((await runs.done(['status', ref], { cwd, env: nothing })).code).toBe(0);
    const viewer = await server.api.tokenFor('viewer');
    const both = ['agents', '--server', server.api.address, '--token', viewer, '-o', 'json'];
    const flags = await runs.done(both, { cwd, env: nothing });
    expect([flags.code, JSON.parse(flags.err).code]).toEqual([2, 'forbidden']);
    const far = { ...nothing, EVIDENT_SERVER: 'http://127.0.0.1:9', EVIDENT_TOKEN: viewer };
    expect((await runs.done(['status', ref], { cwd, env: far })).code).toBe(5);
    const named = await runs.done(['status', ref, '--server', server.api.address], { cwd, env: far });
    expect(named.code, named.err).toBe(0);
    const bare = await runs.done(['status', ref, '--server', '127.0.0.1:7717'], { cwd, env: nothing });
    expect([bare.code, bare.err]).toEqual([2, expect.stringContaining('http://127.0.0.1:7717')]);
  });

  it('a cloned repository that names a server gets no request with a token (F126)', async () => {
    const requests: (string | undefined)[] = [];
    const stranger = createServer((request, response) => {
      requests.push(request.headers.authorization);
      response.end('{}');
    }).listen(0);
    try {
      const api = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
      const cwd = runs.folder({ '.evident/server.json': JSON.stringify({ api }) });
      const home = runs.folder({});
      symlinkSync(server.data, join(home, '.evident'));
      const folder = { EVIDENT_DATA: '', HOME: home };
      const viewer = await server.api.tokenFor('viewer');
      for (const env of [folder, { ...folder, EVIDENT_TOKEN: viewer }]) {
        const { code, err } = await runs.done(['status', ref], { cwd, env });
        expect([code, err]).toEqual([2, expect.stringMatching(/--token|EVIDENT_SERVER/)]);
        await runs.done(['complete', '--', 'status', ''], { cwd, env });
      }
      await runs.done(['status', ref, '--server', api], { cwd: home, env: folder });
      expect(requests).toEqual([]);
    } finally {
      stranger.close();
    }
  });
});

describe('an answer that no Evident server gives', () => {
  it.each(['hello', '{}', '[]', 'null', '{"state":"running"}', '{"items":7}'])('%s', async (body) => {
    const other = createServer((_request, response) => response.end(body)).listen(0);
    try {
      const api = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const { code, err } = await runs.done(['status', ref, '--server', api, '--token', 'none'], { env });
      expect([code, err]).toEqual([5, expect.stringContaining('is no Evident server')]);
      expect(err).not.toMatch(/\n\s+at /);
    } finally {
      other.close();
    }
  });

  it.each([
    ['services', '{"items":5}'],
    ['services', '{"items":[null],"cursor":null}'],
    ['services', '{"items":[]}'],
    ['history', '{"items":{"length":1},"cursor":null}'],
  ])('evident %s: %s', async (verb, body) => {
    const other = createServer((_request, response) => response.end(body)).listen(0);
    try {
      const api = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const named = verb === 'history' ? [ref] : [];
      const args = [verb, ...named, '--server', api, '--token', 'none'];
      const { code, err } = await runs.done(args, { env });
      expect([code, err]).toEqual([5, expect.stringContaining('is no Evident server')]);
      expect(err).not.toMatch(/\n\s+at /);
    } finally {
      other.close();
    }
  });
});

describe('doctor', () => {
  it('finds no defect here, and a fix for everything that is missing', async () => {
    await stage.keeps();
    const checks: { name: string; verdict: string; fix: string | null }[] = await json('doctor');
    const verdicts = Object.fromEntries(checks.map(({ name, verdict }) => [name, verdict]));
    expect(verdicts).toMatchObject({
      Node: 'ok',
      'data directory': 'ok',
      isolation: expect.stringMatching(/^(?:ok|warn)$/),
      server: 'ok',
      clock: 'ok',
      token: 'ok',
      'agent of lab': 'ok',
    });
    for (const { verdict, fix } of checks) expect(fix === null).toBe(verdict === 'ok');
  });

  it('exits with 1 for a wrong token, no server, or a server that is not Evident', async () => {
    const wrong = await runs.done(['doctor'], { env: asToken('nonsense') });
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('✗ token')]);
    const none = await runs.done(['doctor'], { env: { EVIDENT_DATA: '/nowhere' } });
    expect([none.code, none.out]).toEqual([1, expect.stringContaining('✗ server')]);
    const other = createServer((_request, response) => response.end('hello')).listen(0);
    try {
      const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
      const found = await runs.done(['doctor', '--server', address], { env });
      expect([found.code, found.out]).toEqual([1, expect.stringContaining('is no Evident server')]);
    } finally {
      other.close();
    }
  });
});

describe('completion', () => {
  it('completes commands, options, choices and the services of the server', async () => {
    const offered = async (...typed: string[]) =>
      (await words('complete', '--', ...typed)).trim().split('\n');
    expect(await offered('st')).toEqual(['status', 'story']);
    expect(await offered('tokens', '')).toEqual(['create', 'help', 'list', 'revoke']);
    expect(await offered('status', '')).toEqual(['img@lab', ref]);
    expect(await offered('deploy', '--service', 'w')).toEqual([ref]);
    expect(await offered('logs', '--stream', '')).toEqual(['build', 'run']);
    expect(await offered('logs', ref, '--fo')).toEqual(['--follow']);
  });

  it('prints nothing where there is no server', async () => {
    const completed = await runs.done(['complete', '--', 'status', ''], {
      env: { EVIDENT_DATA: '/nowhere' },
    });
    expect(completed).toEqual({ code: 0, out: '', err: '' });
  });

  it('works in a real bash', async () => {
    const bin = join(runs.folder({}), 'bin');
    mkdirSync(bin);
    writeFileSync(
      join(bin, 'evident'),
      `#!/bin/sh\nexec "${process.execPath}" "${servers.program()}" "$@"\n`,
      { mode: 0o755 },
    );
    const script = await words('completion', 'bash');
    const complete = (line: string) => {
      const code = `${script}\nCOMP_LINE=${JSON.stringify(line)}; COMP_POINT=\${#COMP_LINE}; _evident; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const path = `${bin}:${process.env.PATH}`;
      return spawnSync('bash', ['-c', code], {
        encoding: 'utf8',
        env: { ...process.env, ...env, PATH: path },
      });
    };
    expect(complete('evident his')).toMatchObject({ stdout: 'history\n', stderr: '' });
    expect(complete('evident status ')).toMatchObject({ stdout: `img@lab\n${ref}\n` });
    expect(complete('evident status web@').stdout).toBe('lab\n');
    expect(dirname(bin)).not.toBe('');
  });

  it.each(['zsh', 'fish'])('has a script for %s that calls the same command', async (shell) => {
    const script = await words('completion', shell);
    expect(script).toContain('evident complete --');
    const there = spawnSync(shell, ['--version']).status === 0;
    if (!there) return console.log(`${shell} is not here: its script is only printed`);
    expect(spawnSync(shell, ['-n'], { input: script }).status).toBe(0);
  });
});

describe('help', () => {
  it('has examples and exit codes', async () => {
    const help = await words('rollback', '--help');
    expect(help).toMatch(/Examples:\n {2}evident rollback web/);
    expect(help).toContain('Exit codes: 0 it came true');
  });

  it('suggests the command that was meant', async () => {
    const { code, err } = await runs.done(['depoly'], { env });
    expect([code, plain(err)]).toEqual([2, expect.stringContaining('Did you mean deploy?')]);
  });
});
