import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { smallDisk } from '../../lab/small-disk.ts';
import { Api } from './api.ts';
import { ok } from './parties.ts';
import { useServers } from './servers.ts';

const IMAGE = `registry.example/web@sha256:${'9b1f'.repeat(16)}`;
const spec = { port: null, env: { A: 'x'.repeat(100_000) } };

const probe = smallDisk('1m');
const why = 'why' in probe ? probe.why : null;
if (!('why' in probe)) probe.remove();

describe.skipIf(why !== null)(
  `the disk of the store is full (F48)${why === null ? '' : ` (skipped: ${why})`}`,
  () => {
    const servers = useServers();

    it.each([
      ['server', []],
      ['up', ['--router-port', '0']],
    ])(
      'evident %s reports it, stays alive, and recovers when there is room',
      { timeout: 120_000 },
      async (command, args) => {
        const disk = smallDisk('4m');
        if ('why' in disk) throw new Error(disk.why);
        const data = join(disk.dir, 'data');
        const child = spawn(
          'sh',
          [
            ...['-c', `exec "$@" 2> ${join(disk.dir, 'errors')}`, 'sh', process.execPath, servers.program()],
            ...[command, '--data', data, '--port', '0', '-o', 'json', ...args],
          ],
          { stdio: ['ignore', 'pipe', 'ignore'] },
        );
        const ended = once(child, 'exit');
        try {
          const [ready] = await once(createInterface(child.stdout), 'line');
          const token = readFileSync(join(data, 'admin-token'), 'utf8').trim();
          const api = new Api((JSON.parse(ready) as { api: string }).api, token);
          ok(await api.get('/readyz'));
          let n = 0;
          const deploy = () => api.post(`/v1/services/x${n++}@lab/deployments`, { image: IMAGE, spec });
          const full = async () => {
            for (;;) {
              const answer = await deploy();
              if (answer.status !== 202) return answer;
            }
          };
          expect(await full()).toMatchObject({
            status: 503,
            body: {
              code: 'no_space',
              detail: expect.stringMatching(/Nothing was done.*made room/),
            },
          });
          expect(await api.get('/readyz')).toMatchObject({
            status: 503,
            body: { code: 'no_space', detail: expect.stringMatching(/cannot be written/) },
          });
          // A checkpoint of its own may make room for one more.
          for (let more = 0; more < 100; more++) expect([202, 503]).toContain((await deploy()).status);
          expect(child.exitCode).toBeNull();
          disk.grow('64m');
          ok(await deploy(), 202);
          while ((await api.get('/readyz')).status !== 200) await sleep(200);
          const log = join(...(command === 'up' ? [data, 'evident.log'] : [disk.dir, 'errors']));
          expect(readFileSync(log, 'utf8')).toMatch(
            /"dropped":\d+,"msg":"lines of this log could not be written"/,
          );
          child.kill('SIGTERM');
          await ended;
        } finally {
          child.kill('SIGKILL');
          await ended;
          disk.remove();
        }
      },
    );
  },
);
