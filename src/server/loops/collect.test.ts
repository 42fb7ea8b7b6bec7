import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ArtifactStore } from '../../artifact/store.ts';
import { LogStore } from '../../logs/log-store.ts';
import { DEFAULT_SETTINGS } from '../../projection/facts.ts';
import { MemoryStore } from '../../store/memory.ts';
import { ArchiveFiles } from '../archive-files.ts';
import { makeToken } from '../auth/tokens.ts';
import { collectArtifacts, moveLogs } from './collect.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-collect-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const host = () => ({ store: new MemoryStore(Date.now), settings: DEFAULT_SETTINGS });
const HOURS_LATER = () => Date.now() + 2 * 3_600_000;

it('removes old bytes without a reference, and no others', async () => {
  const { store, settings } = host();
  const artifacts = await ArtifactStore.open(join(dir, 'artifacts'), { maxBytes: 1000, minFreeBytes: 0 });
  const put = async (text: string) => (await artifacts.put(Readable.from([Buffer.from(text)]), null)).digest;
  const [named, orphan] = [await put('named'), await put('orphan')];
  const admin = { role: 'admin', name: 'a', target: '*', service: '*', expiresInMs: null } as const;
  await makeToken(store, { org: 'acme', ...admin });
  await store.transact((tx) => tx.insert('artifacts', { org: 'acme', digest: named, size: 5 }));
  expect(await collectArtifacts({ store, settings }, artifacts, Date.now())).toBe(0);
  expect(await collectArtifacts({ store, settings }, artifacts, HOURS_LATER())).toBe(1);
  expect([await artifacts.has(named), await artifacts.has(orphan)]).toEqual([true, false]);
});

it('moves the logs of attempts that are no longer kept, a second time under another name', async () => {
  const { store, settings } = host();
  const logs = await LogStore.open(join(dir, 'logs'));
  const archiveFiles = new ArchiveFiles(join(dir, 'archive'), 'server-1');
  const line = {
    service: 'web@lab',
    revision: 1,
    attempt: 1,
    stream: 'build',
    seq: '1',
    at: '',
    line: 'x',
  } as const;
  await logs.append('Acme', [line, { ...line, revision: 2 }]);
  const service = { org: 'Acme', service: 'web@lab', target: 'lab' } as never;
  await store.transact(async (tx) => {
    await tx.insert('services', service);
    await tx.insert('attempts', { org: 'Acme', service: 'web@lab', revision: 2, attempt: 1 } as never);
  });
  const moved = () => moveLogs({ store, settings }, logs, archiveFiles, 'Acme');
  expect(await moved()).toBe(1);
  expect(await logs.attempts('Acme', 'web@lab')).toEqual([{ revision: 2, attempt: 1 }]);
  expect(await moved()).toBe(0);
  await logs.append('Acme', [{ ...line, seq: '2', line: 'late' }]);
  expect(await moved()).toBe(1);
  const at = (name: string) =>
    readFileSync(join(dir, 'archive/%41cme/logs/web@lab', name, 'build.ndjson'), 'utf8');
  expect([at('r1-a1'), at('r1-a1.2')]).toEqual([
    expect.stringContaining('"line":"x"'),
    expect.stringContaining('"line":"late"'),
  ]);
});
