import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS } from '../../src/projection/facts.ts';
import { beat } from '../../src/repair/beat.ts';
import { PostgresStore } from '../../src/store/postgres/store.ts';
import { SqliteStore } from '../../src/store/sqlite/store.ts';
import type { ClockSetBack } from '../../src/store/steady-clock.ts';
import type { OpenStore } from '../crash/open-store.ts';
import { describeWithPostgres } from '../lab.ts';
import type { Agent } from '../verbs/agent.ts';
import { Platform } from '../verbs/driver.ts';
import { running } from '../verbs/life.ts';
import { T0 } from '../verbs/names.ts';

const HOUR = 3_600_000;
const Y2100 = Date.UTC(2100, 0);
const { freshForMs } = DEFAULT_SETTINGS;

interface Wall {
  readonly wall: () => number;
  readonly awayMs: number;
  readonly onSetBack: (found: ClockSetBack) => void;
  readonly onInstantIgnored: (instant: number) => void;
}

type Open = (wall: Wall) => Promise<OpenStore>;

/** A store that is opened repeatedly, with a wall clock that can be set. */
function suite(newLocation: () => Promise<Open>, several: boolean): void {
  const opened: OpenStore[] = [];
  const closeAll = async () => {
    for (const store of opened.splice(0)) await store.close();
  };
  afterEach(closeAll);
  const starting = async () => {
    const open = await newLocation();
    const clock = { now: T0 };
    const found: ClockSetBack[] = [];
    const ignored: number[] = [];
    const start = async () => {
      const store = await open({
        wall: () => clock.now,
        awayMs: freshForMs,
        onSetBack: (back) => found.push(back),
        onInstantIgnored: (instant) => ignored.push(instant),
      });
      opened.push(store);
      const lab = new Platform(store, clock);
      await beat(lab.host, `server-${opened.length}`);
      return lab;
    };
    return { clock, found, ignored, start };
  };

  it('a server that starts with its clock behind counts no earlier observation as fresh, until the agent reports again', async () => {
    const { clock, found, start } = await starting();
    const before = await start();
    const agent = await running(before);
    // Calm reports do not move the head of a ledger: their receipt is the newest recorded instant.
    await agent.watches(4 * freshForMs);
    expect((await before.claim()).state).toBe('running');
    await closeAll();
    clock.now -= HOUR;
    const lab = await start();
    expect(await lab.claim()).toMatchObject({ state: 'unknown', cause: { code: 'stale_runtime' } });
    expect(found).toEqual([{ byMs: HOUR, found: 'at the start' }]);
    await continuedAt(agent, lab).heartbeat();
    expect((await lab.claim()).state).toBe('running');
  });

  it('a server that starts with its clock ahead counts recent observations as fresh', async () => {
    const { found, start } = await starting();
    await running(await start());
    await closeAll();
    expect([(await (await start()).claim()).state, found]).toEqual(['running', []]);
  });

  it('a server reports a clock that is set back while it runs, and continues', async () => {
    const { clock, found, start } = await starting();
    const lab = await start();
    await running(lab);
    clock.now -= HOUR;
    for (let n = 0; n < 3; n++) expect((await lab.claim()).state).toBe('running');
    expect(found).toEqual([{ byMs: HOUR, found: 'while running' }]);
  });

  it.each(['beats', 'scopes'] as const)(
    'a broken number in %s does not move the clock, set back or not (F56)',
    async (table) => {
      const { clock, found, ignored, start } = await starting();
      const before = await start();
      await running(before);
      await before.store.transact(async (tx) => {
        const [at, receivedAt] = [Y2100, Y2100];
        for (const row of await tx.select(table, {}))
          await tx.update(table, row, {}, table === 'beats' ? { at } : { receivedAt });
      });
      await closeAll();
      clock.now += HOUR;
      expect(await (await start()).store.read((tx) => tx.now())).toBe(clock.now);
      await closeAll();
      const newest = clock.now;
      clock.now -= 2 * HOUR;
      const lab = await start();
      const storeNow = await lab.store.read((tx) => tx.now());
      expect(storeNow).toBeGreaterThanOrEqual(newest - HOUR);
      expect(storeNow).toBeLessThan(newest + HOUR);
      expect([found.length, ignored]).toEqual([1, [Y2100, Y2100]]);
    },
  );

  if (several)
    it('a server that starts while another runs has the same time: a report to either is fresh at both', async () => {
      const { clock, start } = await starting();
      const first = await start();
      const agent = await running(first);
      clock.now -= HOUR;
      const second = await start();
      for (const lab of [first, second]) expect((await lab.claim()).state).toBe('unknown');
      for (const receiver of [first, second, first]) {
        await continuedAt(agent, receiver).heartbeat();
        agent.seq += 1;
        for (const lab of [first, second]) expect((await lab.claim()).state).toBe('running');
      }
    });
}

/** The same agent, which continues at a server that reads its registration from the store. */
function continuedAt({ epoch, seq, base }: Agent, lab: Platform): Agent {
  return Object.assign(lab.agent(), { epoch, seq, base });
}

describe('a clock that is behind when the store is opened (F35): SQLite', () => {
  const dirs: string[] = [];
  afterEach(() => {
    for (const dir of dirs.splice(0)) rmSync(dir, { recursive: true, force: true });
  });
  suite(async () => {
    const dir = mkdtempSync(join(tmpdir(), 'evident-behind-'));
    dirs.push(dir);
    return (wall) => SqliteStore.open(dir, wall);
  }, false);
});

describeWithPostgres('a clock that is behind when the store is opened (F35): PostgreSQL', (newUrl) =>
  suite(async () => {
    const url = await newUrl();
    return (wall) => PostgresStore.open(url, { ...wall, connections: 4 });
  }, true),
);
