import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { endProcessesOf } from '../agent/stage.ts';
import { useRuns } from '../cli/runs.ts';
import { Api } from '../server/api.ts';
import { useServers } from '../server/servers.ts';

const servers = useServers();
const runs = useRuns(servers);

/** An app that answers with the bytes that the path names, in base64url; `/` is a good answer. */
const RAW_APP = {
  'package.json': JSON.stringify({ name: 'raw', scripts: { start: 'node app.js' } }),
  'app.js': `require('node:net').createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (head) => {
      const path = /^\\S+ \\/(\\S*)/.exec(head)?.[1] ?? '';
      socket.end(path === '' ? 'HTTP/1.1 200 OK\\r\\ncontent-length: 4\\r\\n\\r\\ngood' : Buffer.from(path, 'base64url'));
    });
  }).listen(process.env.PORT, '127.0.0.1');`,
};

function get(router: URL, path: string): Promise<number> {
  return new Promise((done, fail) => {
    const sent = request(
      { host: router.hostname, port: router.port, path, agent: false, headers: { host: 'raw.localhost' } },
      (answer) => {
        answer.resume().on('end', () => done(answer.statusCode ?? 0));
      },
    );
    sent.on('error', fail);
    sent.end();
  });
}

it('neither what an app answers nor idle connections end the service of others (F120, F122)', {
  timeout: 120_000,
}, async () => {
  const data = await servers.newData();
  const args = [
    servers.program(),
    'up',
    '--data',
    data,
    '--port',
    '0',
    '-o',
    'json',
    '--report-every',
    '500',
  ];
  const child = spawn('sh', ['-c', 'ulimit -n 400; exec "$@"', 'sh', process.execPath, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const idle: Socket[] = [];
  try {
    const [line] = await once(createInterface(child.stdout), 'line');
    const ready = JSON.parse(line) as { api: string; router: string };
    const api = new Api(ready.api, readFileSync(join(data, 'admin-token'), 'utf8').trim());
    const router = new URL(ready.router);
    const env = { EVIDENT_DATA: data };
    const deployed = await runs.done(['deploy', runs.folder(RAW_APP), '--service', 'raw'], { env });
    expect(deployed.code, deployed.out + deployed.err).toBe(0);

    for (const answer of ['HTTP/1.1 000 X\r\n\r\n', 'HTTP/1.1 200 a\x01b\r\n\r\n', 'HTTP/1.1 100 C\r\n\r\n'])
      expect(await get(router, `/${Buffer.from(answer).toString('base64url')}`)).toBe(502);
    expect(await get(router, '/')).toBe(200);

    for (const port of [Number(router.port), Number(new URL(ready.api).port)])
      for (let n = 0; n < 500; n += 1) {
        const socket = connect(port, '127.0.0.1');
        socket.on('error', () => {});
        idle.push(socket);
        if (n % 50 === 49) await once(socket, 'connect');
      }
    expect(await get(router, '/')).toBe(200);
    const { urls } = (await api.get('/v1/services/raw@local')).body;
    expect(urls).toEqual([
      `http://raw.localhost:${router.port}/`,
      expect.stringMatching(/^http:\/\/127\.0\.0\.1:/),
    ]);
    const claim = async () => (await api.get('/v1/services/raw@local')).body.claim;
    const before = await claim();
    expect(before).toMatchObject({ state: 'running' });
    // Until a report has come that was made with all these connections open.
    while ((await claim()).freshness.asOf === before.freshness.asOf) await sleep(50);
    expect(await claim()).toMatchObject({ state: 'running' });
    const [instance] = (await api.get('/v1/services/raw@local/instances')).body.items;
    expect(instance).toMatchObject({ restarts: 0, ready: true });
    expect(child.exitCode).toBeNull();
  } finally {
    for (const socket of idle) socket.destroy();
    child.kill('SIGKILL');
    await ended;
    await endProcessesOf(join(data, 'runtime'));
  }
});
