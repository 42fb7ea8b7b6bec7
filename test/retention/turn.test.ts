import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ArtifactStore } from '../../src/artifact/store.ts';
import { LogStore } from '../../src/logs/log-store.ts';
import { beat } from '../../src/repair/beat.ts';
import { ArchiveFiles } from '../../src/server/archive-files.ts';
import { retain } from '../../src/server/loops/retention.ts';
import { type Lab, newLab, ORG } from '../verbs/driver.ts';
import { live } from './old-store.ts';

const DAY_MS = 24 * 3_600_000;
let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'evident-retention-'));
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(dir, { recursive: true, force: true });
});

describe('a turn of retention', () => {
  const turn = async (lab: Lab, free = Number.POSITIVE_INFINITY) =>
    retain(
      {
        host: lab.host,
        config: { keepDays: 90, keepRevisions: 1 },
        archiveFiles: new ArchiveFiles(join(dir, 'archive'), 'server-1', async () => free),
        artifacts: await ArtifactStore.open(join(dir, 'artifacts')),
        logs: await LogStore.open(join(dir, 'logs')),
        log: pino({ enabled: false }),
      },
      [ORG],
    );

  it('archives rows that are old by the store’s clock and by this machine’s, not by one of them (F35)', async () => {
    const lab = newLab();
    await live(lab);
    const rows = lab.rows('ledger').length;
    const keys = lab.rows('keys').length;
    vi.useFakeTimers({ toFake: ['Date'], now: lab.now + 1_000 * DAY_MS });
    lab.now += 10 * DAY_MS;
    await turn(lab);
    expect(lab.rows('ledger')).toHaveLength(rows);
    expect(readdirSync(dir)).not.toContain('archive');

    lab.now += 90 * DAY_MS;
    vi.setSystemTime(lab.now - 99.9 * DAY_MS);
    const forgotten = lab.rows('keys').length;
    await turn(lab);
    expect(lab.rows('ledger')).toHaveLength(rows);
    expect(lab.rows('keys')).toHaveLength(forgotten);
    expect(forgotten).toBeLessThanOrEqual(keys);

    vi.setSystemTime(lab.now);
    await turn(lab);
    expect(lab.rows('ledger').length).toBeLessThan(rows);
    const day = new Date(lab.now).toISOString().slice(0, 10);
    expect(readdirSync(join(dir, 'archive', ORG))).toEqual([`${day}.server-1.ndjson`]);
  });

  it('archives old rows, though the server is up for some hours a week (F35)', async () => {
    const lab = newLab();
    await live(lab);
    vi.useFakeTimers({ toFake: ['Date'], now: lab.now });
    const rows = () => lab.rows('ledger').filter(({ kind }) => kind !== 'platform.blind').length;
    const before = rows();
    for (let week = 0; week < 20; week++) {
      for (let hour = 0; hour < 10; hour++) {
        lab.now += 3_600_000;
        vi.setSystemTime(lab.now);
        await beat(lab.host, 'server-1');
      }
      await turn(lab);
      if (week === 10) expect(rows()).toBe(before);
      lab.now += 6 * DAY_MS;
    }
    expect(rows()).toBeLessThan(before);
  });

  it('waits a day after an unobserved gap of time: the clock may have been set forward (F35)', async () => {
    const lab = newLab();
    await live(lab);
    vi.useFakeTimers({ toFake: ['Date'], now: lab.now });
    const leap = async (ms: number) => {
      lab.now += ms;
      vi.setSystemTime(lab.now);
      await beat(lab.host, 'server-1');
    };
    const count = () => {
      const rows = lab.rows('ledger').filter(({ kind }) => kind !== 'platform.blind');
      return { rows: rows.length, keys: lab.rows('keys').length };
    };
    await leap(1_000);
    await leap(1_000 * DAY_MS);
    const before = count();
    await turn(lab);
    expect(count()).toEqual(before);

    // A short sleep of the machine changes nothing.
    await leap(60_000);
    await turn(lab);
    expect(count()).toEqual(before);

    for (let hour = 0; hour < 24; hour++) await leap(3_600_000);
    await turn(lab);
    expect(count().rows).toBeLessThan(before.rows);
    expect(count().keys).toBe(0);
  });

  it('leaves the last free space to the ledger, and archives nothing (F48)', async () => {
    const lab = newLab();
    await live(lab);
    const rows = lab.rows('ledger').length;
    lab.now += 100 * DAY_MS;
    vi.useFakeTimers({ toFake: ['Date'], now: lab.now });
    await expect(turn(lab, 1_000)).rejects.toThrow(/1000 bytes are free/);
    expect(lab.rows('ledger')).toHaveLength(rows);
  });
});
