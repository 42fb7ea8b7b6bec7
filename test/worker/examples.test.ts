import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { unpackTar } from 'modern-tar/fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { throughLauncher } from '../../src/artifact/launcher.ts';
import { commandWords } from '../../src/contract/command-line.ts';
import { type Server, useServers } from '../server/servers.ts';
import { deployFolder, evidenceOf, logOf, readyAt, useWorkers } from './workers.ts';

const has = (...argv: [string, ...string[]]) => spawnSync(argv[0], argv.slice(1)).status === 0;
const missing = {
  python: has('python3', '-c', 'import venv, ensurepip') ? null : 'python3 with venv is not installed',
  go: has('go', 'version') ? null : 'go is not installed',
};
for (const reason of Object.values(missing)) if (reason !== null) console.log(`skipped: ${reason}`);

describe('the artifacts of the examples run in any directory', () => {
  const servers = useServers(null, true);
  const workers = useWorkers(servers);
  let server: Server;
  let revisions = 0;
  const running = new Set<ChildProcess>();
  beforeAll(async () => {
    server = await servers.start();
    // Uses the machine's own Go cache, so that its library is not compiled in every run of this test.
    const cache =
      missing.go === null ? execFileSync('go', ['env', 'GOCACHE'], { encoding: 'utf8' }).trim() : '';
    await workers.start(server, { args: ['--build-env', 'GOCACHE'], env: { GOCACHE: cache } });
  }, 60_000);
  afterAll(() => {
    for (const child of running) process.kill(-(child.pid ?? 0), 'SIGKILL');
  });

  /** Unpacks the bytes that the server holds in another directory than the one they were built in. */
  async function built(folder: string, spec: object = {}) {
    await deployFolder(server.api, folder, spec);
    await readyAt(server.api, ++revisions);
    const { body } = (await evidenceOf(server.api, 'artifact.stored')).at(-1);
    const token = await server.api.tokenFor('builder');
    const response = await fetch(`${server.api.address}/v1/artifacts/${body.digest}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const dir = join(workers.newDir(), 'elsewhere');
    await pipeline(Readable.fromWeb(response.body as never), unpackTar(dir));
    return {
      dir,
      plan: body.plan as { command: string | string[]; port: number | null },
      digest: body.digest,
    };
  }

  /** Starts the app as an agent does: by its command, with a port, and no variable of ours. */
  async function started({ dir, plan }: { dir: string; plan: { command: string | string[] } }) {
    const free = createServer().listen(0);
    const port = String((free.address() as AddressInfo).port);
    free.close();
    await once(free, 'close');
    const env = { PATH: `${process.env.PATH}:${dirname(process.execPath)}`, PORT: port };
    const words =
      typeof plan.command === 'string'
        ? commandWords(plan.command, (name) => (name === 'PORT' ? port : ''))
        : plan.command;
    const [program = '', ...args] = throughLauncher(dir, words);
    const child = spawn(program, args, { cwd: dir, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += text;
      });
    const ended = new Promise<number | string | null>((done) =>
      child.once('exit', (code, signal) => {
        running.delete(child);
        done(code ?? signal);
      }),
    );
    const read = async (path = '/') => {
      for (;;) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => null);
        if (response !== null) return { status: response.status, text: await response.text() };
        if (child.exitCode !== null) throw new Error(`it ended: ${output}`);
      }
    };
    return { child, read, ended, output: () => output };
  }

  const example = (name: string) => resolve('examples', name);

  it('hello answers on its port', { timeout: 60_000 }, async () => {
    const app = await started(await built(example('hello')));
    expect((await app.read()).text).toContain('Hello from Evident');
    app.child.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  it('static serves its files', { timeout: 60_000 }, async () => {
    const app = await started(await built(example('static')));
    expect(await app.read('/')).toMatchObject({
      status: 200,
      text: expect.stringContaining('folder of files'),
    });
    expect(await app.read('/nothing')).toMatchObject({
      status: 404,
      text: expect.stringContaining('no such page'),
    });
    expect((await app.read('/.evident/site.mjs')).status).toBe(404);
  });

  it('worker runs without a port', { timeout: 60_000 }, async () => {
    const artifact = await built(example('worker'));
    expect(artifact.plan).toEqual({ command: 'node worker.js', port: null });
    const app = await started(artifact);
    await once(app.child.stdout, 'data');
    app.child.kill('SIGTERM');
    expect(await app.ended).toBe(0);
  });

  it('never-ready runs and does not listen; crashes-later answers, and exits', {
    timeout: 60_000,
  }, async () => {
    const deaf = await started(await built(example('never-ready')));
    await once(deaf.child.stdout, 'data');
    expect(deaf.output()).toContain('warming up');
    const artifact = await built(example('crashes-later'));
    const app = await started(artifact);
    expect((await app.read()).status).toBe(200);
    expect(artifact.plan.port).toBe(8080);
  });

  it.skipIf(missing.python !== null)('the Python example answers', { timeout: 60_000 }, async () => {
    const app = await started(await built(example('python')));
    expect((await app.read()).text).toBe('Hello from Python\n');
  });

  it.skipIf(missing.python !== null)(
    'a Python app with dependencies finds its modules and programs in another directory, and builds to the same bytes again',
    { timeout: 120_000 },
    async () => {
      const folder = join(workers.newDir(), 'app');
      mkdirSync(folder);
      execFileSync('python3', ['-c', WHEEL, folder]);
      writeFileSync(join(folder, 'requirements.txt'), './greeting-1.0-py3-none-any.whl\n');
      writeFileSync(join(folder, 'Procfile'), 'web: greet $PORT\n');
      const first = await built(folder);
      expect(first.plan.command).toBe('greet $PORT');
      const app = await started(first);
      expect((await app.read()).text).toBe('greetings');
      // Another spec, so that it is built again, in another directory.
      const second = await built(folder, { env: { A: 'b' } });
      expect((await logOf(server.api)).join('\n')).toContain('pip install');
      expect(second.digest).toBe(first.digest);
    },
  );

  it.skipIf(missing.go !== null)('the Go example answers', { timeout: 300_000 }, async () => {
    const artifact = await built(example('go'));
    const app = await started(artifact);
    expect((await app.read()).text).toBe('Hello from Go\n');
    app.child.kill('SIGTERM');
    expect(await app.ended).toBe(0);
    // Another spec, so that it is built again: the same source is the same program.
    expect((await built(example('go'), { env: { A: 'b' } })).digest).toBe(artifact.digest);
  });
});

/** A package with a module and a program, as an index would serve it; no network is needed. */
const WHEEL = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1] + '/greeting-1.0-py3-none-any.whl', 'w') as wheel:
    info = 'greeting-1.0.dist-info/'
    wheel.writestr('greeting.py', '''
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b'greetings')
def main():
    http.server.HTTPServer(('', int(sys.argv[1])), Handler).serve_forever()
''')
    wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: greeting\\nVersion: 1.0\\n')
    wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(info + 'entry_points.txt', '[console_scripts]\\ngreet = greeting:main\\n')
    wheel.writestr(info + 'RECORD', '')
`;
