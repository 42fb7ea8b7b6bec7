import { expect, it } from 'vitest';
import { MemoryStore } from '../../store/memory.ts';
import type { LeaseRow, WorkerRow } from '../../store/schema.ts';
import { workersFor } from './liveness.ts';

const ORG = 'default';
const NOW = 1_000_000;
const FRESH_MS = 15_000;
const SETTINGS = { freshForMs: FRESH_MS, leaseTtlMs: 30_000 };

const worker = (name: string, seenAt: number, more: Partial<WorkerRow> = {}): WorkerRow => {
  const asks = { kinds: ['build'], target: '*', service: '*', spanFrom: 0, seenAt } as const;
  return { org: ORG, worker: name, instance: `${name}-1`, ...asks, ...more };
};

const lease = (name: string, until: number, endedAt: number | null): LeaseRow => ({
  org: ORG,
  id: `lease of ${name}`,
  command: `command of ${name}`,
  kind: 'build',
  service: 'web@lab',
  target: 'lab',
  fence: '1',
  caller: 'builder',
  worker: name,
  instance: `${name}-1`,
  epoch: null,
  grantedAt: 0,
  acknowledgedAt: 0,
  until,
  sweepAt: until,
  silenced: false,
  growing: true,
  endedAt,
  end: endedAt === null ? null : 'completed',
  lastSeq: null,
});

it('eligible workers are read from those alive, however many there were before', async () => {
  const store = new MemoryStore(() => NOW);
  await store.transact(async (tx) => {
    for (let n = 0; n < 50; n++) await tx.append('workers', worker(`old-${n}`, NOW - FRESH_MS));
    await tx.append('leases', lease('old-1', NOW, null));
    await tx.append('leases', lease('old-2', NOW + 9_000, NOW - 1));
    await tx.append('workers', worker('free', NOW - FRESH_MS + 1));
    await tx.append('workers', worker('silent but busy', NOW - 60_000));
    await tx.append('leases', lease('silent but busy', NOW + 5_000, null));
    await tx.append('workers', worker('online and busy', NOW));
    await tx.append('leases', lease('online and busy', NOW + 1, null));
    await tx.append('workers', worker('of another kind', NOW, { kinds: ['apply'] }));
    await tx.append('workers', worker('bound elsewhere', NOW, { service: 'other@*' }));
  });
  const found = await store.read((tx) =>
    workersFor(tx, { org: ORG, service: 'web@lab' }, 'build', NOW, SETTINGS),
  );
  expect(found.sort((a, b) => (a.worker < b.worker ? -1 : 1))).toEqual([
    { worker: 'free', seenAt: NOW - FRESH_MS + 1, busyUntil: null },
    { worker: 'online and busy', seenAt: NOW, busyUntil: NOW + 1 },
    { worker: 'silent but busy', seenAt: NOW - 25_000, busyUntil: NOW + 5_000 },
  ]);
});
