import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from '../client/client.ts';
import { type AcquiredLease, LeaseKeeper } from '../client/lease.ts';
import { OutageLog } from '../client/persist.ts';
import { Containment } from '../runtime/process/containment.ts';
import { NO_ISOLATION } from '../runtime/process/isolation.ts';
import { BuildCommand } from './build-command.ts';
import type { BuildInput } from './build-job.ts';

interface Item {
  readonly id: string;
  readonly kind: string;
  readonly body: Record<string, unknown>;
}

let dir: string;
let server: Server;
let submitted: Item[];
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'evident-command-'));
  mkdirSync(join(dir, 'places'));
  submitted = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      const items = request.url === '/v1/evidence' ? (JSON.parse(text) as { items: Item[] }).items : [];
      submitted.push(...items);
      const isBeat = request.url?.endsWith('/heartbeat');
      const isMissing = request.url?.startsWith('/v1/artifacts');
      response.writeHead(isMissing ? 404 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          isBeat
            ? { ttlMs: 10_000, cancelRequested: false, superseded: false }
            : isMissing
              ? { code: 'not_found', status: 404, title: 'no', detail: 'none' }
              : { results: items.map(({ id }) => ({ id, verdict: 'admitted', position: '1' })), accepted: 1 },
        ),
      );
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
  rmSync(dir, { recursive: true, force: true });
});

/** The evidence that is submitted for a command with this input. */
async function execute(input: unknown): Promise<{ ended: string; last: Item | undefined }> {
  const client = new Client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'token');
  const lease = {
    id: 'l',
    command: 'c',
    kind: 'build',
    service: 'web@lab',
    revision: 1,
    attempt: 1,
    fence: '1',
  };
  const held = await LeaseKeeper.take(client, {
    ...lease,
    ttlMs: 10_000,
    input,
  } as AcquiredLease<BuildInput>);
  if (held === null) throw new Error('not taken');
  const places = join(dir, 'places');
  const resources = {
    client,
    places,
    caches: join(dir, 'caches'),
    minFreeBytes: 0,
    pass: [],
    isolation: NO_ISOLATION,
    containment: Containment.NONE,
    say: () => {},
  };
  const command = new BuildCommand({ ...resources, outages: new OutageLog(() => {}) }, held);
  const ended = await command.run(new AbortController().signal);
  return { ended, last: submitted.at(-1) };
}

describe('a command that cannot be executed', () => {
  it.each([[{}], [{ source: null, spec: {} }]])(
    'fails as an internal error, whatever is wrong with it: %j (F28)',
    async (input) => {
      const { ended, last } = await execute(input);
      expect([ended, last?.kind]).toEqual(['failed', 'build.failed']);
      expect(last?.body).toMatchObject({ code: 'builder_failed', retrySafe: true });
    },
  );

  it('fails when its source cannot be read, and leaves no directory behind', async () => {
    const { ended, last } = await execute({ source: `sha256:${'a'.repeat(64)}`, spec: {} });
    expect([ended, last?.body.code]).toEqual(['failed', 'builder_failed']);
    expect(last?.body.message).toContain('none');
    expect(readdirSync(join(dir, 'places'))).toEqual([]);
  });
});
