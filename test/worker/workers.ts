import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packTar } from 'modern-tar';
import { afterAll } from 'vitest';
import { removeDirectory } from '../../lab/remove-directory.ts';
import { endLeftovers } from '../../src/build/process-group.ts';
import type { Answered, Api } from '../server/api.ts';
import { claimUntil, ok, sourceForm } from '../server/parties.ts';
import type { Launched, Server, Servers } from '../server/servers.ts';

export interface Workers {
  /** Starts a worker in a process of its own, with a directory of its own or that of another. */
  start(
    server: Server,
    options?: {
      readonly name?: string;
      readonly data?: string;
      readonly args?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    },
  ): Promise<Worker>;
  newDir(): string;
}

export interface Worker extends Launched {
  readonly data: string;
}

export function useWorkers(servers: Servers): Workers {
  const dirs: string[] = [];
  afterAll(async () => {
    // Ends processes that a killed worker left, in case the test did not come to its end.
    await endLeftovers((home) => dirs.some((dir) => home.startsWith(dir)));
    for (const dir of dirs) await removeDirectory(dir);
  });
  const newDir = () => {
    const dir = mkdtempSync(join(tmpdir(), 'evident-worker-'));
    dirs.push(dir);
    return dir;
  };
  return {
    newDir,
    start: async (server, { name = 'builder-a', data = newDir(), args: more = [], env = {} } = {}) => {
      const token = await server.api.tokenFor('builder', { name: `${name}-${dirs.length}` });
      const args = [
        'worker',
        '--trust-apps',
        '--kinds',
        'build',
        '--name',
        name,
        '--data',
        data,
        '--min-free-mb',
        '1',
      ];
      const worker = servers.launch([...args, ...more, '--server', server.api.address, '--token', token], {
        ...env,
        EVIDENT_SECRET_OF_THE_WORKER: 'planted',
      });
      await worker.until(/builds for/);
      return { ...worker, data };
    },
  };
}

export const SERVICE = 'web@lab';

export async function deploy(
  api: Api,
  files: Readonly<Record<string, string>>,
  spec: object = {},
): Promise<Answered['body']> {
  const raw = await sourceForm(spec, files);
  return ok(await api.call('POST', `/v1/services/${SERVICE}/deployments`, { raw }), 202);
}

/** A folder as the command line sends it. */
export async function deployFolder(api: Api, dir: string, spec: object = {}): Promise<void> {
  const form = new FormData();
  const entries = filesIn(dir, '').map((name) => {
    const body = readFileSync(join(dir, name));
    return { header: { name, size: body.length, mtime: new Date(0) }, body };
  });
  form.set('spec', JSON.stringify(spec));
  form.set('source', new Blob([(await packTar(entries)) as Uint8Array<ArrayBuffer>]), 'source.tar');
  ok(await api.call('POST', `/v1/services/${SERVICE}/deployments`, { raw: form }), 202);
}

function filesIn(dir: string, under: string): string[] {
  return readdirSync(join(dir, under), { withFileTypes: true }).flatMap((entry) => {
    const path = under === '' ? entry.name : `${under}/${entry.name}`;
    return entry.isDirectory() ? filesIn(dir, path) : [path];
  });
}

/** Resolves when that revision is built; fails with the cause when the build fails. */
export async function readyAt(api: Api, revision: number, service = SERVICE): Promise<Answered['body']> {
  const claim = await claimUntil(
    api,
    service,
    ({ state, desired }) => desired.revision === revision && ['artifact_ready', 'failed'].includes(state),
  );
  if (claim.state === 'failed') throw new Error(`it failed: ${(await logOf(api, '', service)).join('\n')}`);
  return claim;
}

export async function logOf(api: Api, query = '', service = SERVICE): Promise<string[]> {
  const { body } = await api.get(`/v1/services/${service}/logs?stream=build&tail=200${query}`);
  return String(body)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => (JSON.parse(line) as { line: string }).line);
}

/** Polls until the log has a line that matches; each reading is a new request. */
export async function lineOf(api: Api, pattern: RegExp, query = ''): Promise<RegExpExecArray> {
  for (;;) {
    for (const line of await logOf(api, query)) {
      const found = pattern.exec(line);
      if (found !== null) return found;
    }
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers are compared with what the protocol says, field by field
export async function evidenceOf(api: Api, kind: string): Promise<any[]> {
  const { items } = ok(await api.get(`/v1/services/${SERVICE}/evidence?limit=200`));
  return items.filter((item: { kind: string }) => item.kind === kind);
}

export function isAlive(pid: number): boolean {
  try {
    return !/^[ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1] ?? 'X');
  } catch {
    return false;
  }
}

/**
 * A build that prints its number and then never ends, with a child that has left its process group; with `flag` it
 * ends.
 */
export const HANGS = {
  'package.json': JSON.stringify({ scripts: { build: 'node build.js', start: 'node build.js' } }),
  'build.js': `
    const { existsSync, writeFileSync } = require('node:fs');
    const { spawn } = require('node:child_process');
    if (existsSync(process.env.FLAG)) process.exit(0);
    writeFileSync(process.env.FLAG, '');
    process.on('SIGTERM', () => console.log('will not end'));
    const stray = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'ignore' });
    console.log('pids ' + process.pid + ' ' + stray.pid);
    setInterval(() => {}, 1000);
  `,
};
