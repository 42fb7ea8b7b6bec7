import { existsSync, readFileSync } from 'node:fs';
import { canonicalJson } from '../../src/store/canonical.ts';
import type { Store } from '../../src/store/port.ts';
import { openStore, type StoreLocation } from '../crash/open-store.ts';
import { instance } from '../verbs/agent.ts';
import { Platform, SOURCE } from '../verbs/driver.ts';
import { running } from '../verbs/life.ts';

const DAY_MS = 24 * 3_600_000;
const LONG_MS = 100 * DAY_MS;

/** One revision that ran, and three that were never built. */
export async function live(lab: Platform): Promise<void> {
  const agent = await running(lab);
  for (let n = 0; n < 6; n++) {
    await lab.tick(2_000);
    await agent.sees([instance('u1', { ready: n % 2 === 0 })]);
  }
  for (let n = 0; n < 3; n++) {
    await lab.deploy(SOURCE, {}, { key: `key-${n}` });
    await lab.publish();
    await lab.tick(1_000);
  }
}

/** The same deployments a hundred days ago; a server's beats are recent. */
export async function liveInThePast(lab: Platform): Promise<void> {
  await live(lab);
  lab.now += LONG_MS - 1_000;
  await lab.store.transact((tx) =>
    tx.insert('beats', { server: 'one that ran since', at: lab.now, files: null }),
  );
  await lab.tick(1_000);
}

/** A store whose deployments are a hundred days old, with recent beats; returns its current time. */
export async function createOldStore(at: StoreLocation, from = Date.now() - LONG_MS): Promise<number> {
  const clock = { now: from };
  const store = await openStore(at, () => clock.now);
  await liveInThePast(new Platform(store, clock));
  await store.close();
  return clock.now;
}

/** Tables that are exported before rows are deleted; keys and ids are only deleted, and checkpoints are rewritten. */
const EXPORTED = ['ledger', 'transitions', 'alarms', 'revisions', 'attempts', 'commands', 'leases'] as const;

export function exportedRows(store: Store): Promise<ReadonlySet<string>> {
  return store.read(async (tx) => {
    const rows = new Set<string>();
    for (const table of EXPORTED)
      for (const row of await tx.select(table, {})) rows.add(`${table} ${canonicalJson(row)}`);
    return rows;
  });
}

export async function rowsAt(at: StoreLocation): Promise<ReadonlySet<string>> {
  const store = await openStore(at);
  try {
    return await exportedRows(store);
  } finally {
    await store.close();
  }
}

/** The rows in files of NDJSON, without a line that a kill cut short. */
export function rowsIn(...files: readonly string[]): ReadonlySet<string> {
  const rows = new Set<string>();
  for (const file of files.filter((name) => existsSync(name)))
    for (const line of readFileSync(file, 'utf8').split('\n')) {
      const moved = parsed(line);
      if (moved !== null) rows.add(`${moved.table} ${canonicalJson(moved.row)}`);
    }
  return rows;
}

function parsed(line: string): { readonly table: string; readonly row: object } | null {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

/** The rows of `before` that none of `after` has. */
export const missing = (before: ReadonlySet<string>, ...after: readonly ReadonlySet<string>[]) =>
  [...before].filter((row) => !after.some((rows) => rows.has(row)));
