import { addDigits, compareDigits, type Digits, ZERO } from '../contract/digits.ts';
import type { Host } from '../evidence/host.ts';
import { PAGE } from '../evidence/ledger-pages.ts';
import { readFrom } from '../evidence/read.ts';
import { canonicalJson } from '../store/canonical.ts';
import { gt, lte, type ReadTx, type Tx } from '../store/port.ts';
import type { CheckpointRow, ServiceRow } from '../store/schema.ts';
import { type Compared, compareService, type Difference, type Mend } from './compare-service.ts';

export interface RebuildOptions {
  /** Replace what differs; else only say what it is. */
  readonly replace: boolean;
  readonly onProgress?: (progress: Progress) => void;
  readonly onDifference?: (difference: Difference) => void;
}

export interface Progress {
  readonly org: string;
  readonly services: number;
  readonly rows: number;
}

export interface Rebuild {
  readonly services: number;
  readonly rows: number;
  readonly differences: number;
  /** Services whose rows were replaced. */
  readonly replaced: number;
  /** Differences that nothing can mend: what is gone from the ledger is gone. */
  readonly left: number;
}

/**
 * Recomputes facts and transitions from the ledger and compares them with what is stored, service by service; and,
 * if asked, replaces what differs, one service to a transaction. A running server is not in the way: each service
 * is read from one snapshot, and replaced only if nobody has written to it since.
 */
export async function rebuild(host: Host, options: RebuildOptions): Promise<Rebuild> {
  const total = { services: 0, rows: 0, differences: 0, replaced: 0, left: 0 };
  for (const { org } of await host.store.read((tx) => tx.select('heads', {}, { order: 'org' }))) {
    for (const hole of await holes(host, org)) {
      total.differences += 1;
      total.left += 1;
      options.onDifference?.(hole);
    }
    for (
      let service = await nextService(host, org, '');
      service;
      service = await nextService(host, org, service)
    ) {
      const found = await rebuildService(host, org, service, options.replace);
      total.services += 1;
      total.rows += found.rows;
      total.differences += found.differences.length;
      if (found.replaced) total.replaced += 1;
      else total.left += found.differences.length;
      for (const difference of found.differences) options.onDifference?.(difference);
      options.onProgress?.({ org, services: total.services, rows: total.rows });
    }
  }
  return total;
}

/** Every service that has a row, and every one that has a revision and lost its row. */
export function nextService(host: Host, org: string, after: string): Promise<string | undefined> {
  return host.store.read(async (tx) => {
    const where = { org, service: gt(after) };
    const [row] = await tx.select('services', where, { order: 'service', limit: 1 });
    const [asked] = await tx.select('revisions', where, { order: ['service', 'revision'], limit: 1 });
    return [row?.service, asked?.service].filter((name) => name !== undefined).sort()[0];
  });
}

const TRIES = 5;

async function rebuildService(
  host: Host,
  org: string,
  service: string,
  replace: boolean,
): Promise<Compared & { readonly replaced: boolean }> {
  for (let tries = 1; ; tries++) {
    const compared = await host.store.read(async (tx) => {
      const base = await standIn(tx, org, service);
      return compareService(tx, host, org, service, base);
    });
    if (!replace || compared.mends.length === 0) return { ...compared, replaced: false };
    const replaced = await host.store.transact((tx) => mend(tx, org, service, compared));
    if (replaced || tries >= TRIES) return { ...compared, replaced };
  }
}

/** The checkpoint that stands in for what retention has moved out. */
async function standIn(tx: ReadTx, org: string, service: string): Promise<CheckpointRow | null> {
  const kept = await tx.get('retention', { org });
  if (kept === undefined) return null;
  const newest = { order: 'position', descending: true, limit: 1 } as const;
  const where = { org, service, position: lte(kept.position) };
  return (await tx.select('checkpoints', where, newest))[0] ?? null;
}

/** False: somebody has written to the service since it was compared, and nothing was replaced. */
async function mend(tx: Tx, org: string, service: string, { stored, mends }: Compared): Promise<boolean> {
  // Nobody passes the door meanwhile.
  await tx.lock('heads', { org });
  if (!isAsBefore(stored, await tx.get('services', { org, service }))) return false;
  for (const { table, row, set } of mends) await put(tx, { table, row, set } as Mend);
  return true;
}

function isAsBefore(before: ServiceRow | undefined, now: ServiceRow | undefined): boolean {
  return canonicalJson(before ?? null) === canonicalJson(now ?? null);
}

async function put(tx: Tx, { table, row, set }: Mend): Promise<void> {
  // A whole row where it is missing or judged anew; single columns of what is otherwise immutable.
  if (await tx.insert(table, row)) return;
  await tx.update(table, row, {}, table === 'services' ? row : set);
}

/**
 * Positions without anything at them. Evidence, transitions and alarms share one count and each position is in one
 * of them, so that whatever is taken away leaves a hole; only a recovery jumps (S10).
 */
async function holes(host: Host, org: string): Promise<Difference[]> {
  const found: Difference[] = [];
  const jumps = await host.store.read((tx) => jumpsOf(tx, org));
  const { head } = await readFrom(host, org, ZERO, 1);
  const kept = await host.store.read((tx) => tx.get('retention', { org }));
  for (let at = kept?.position ?? ZERO; compareDigits(at, head) < 0; ) {
    const { entries } = await readFrom(host, org, at, PAGE);
    for (const { position } of entries) {
      const jumped = jumps.get(at) ?? at;
      if (position !== addDigits(jumped, 1) && position !== addDigits(at, 1))
        found.push(hole(org, at, position));
      at = position;
    }
    if (entries.length === 0) {
      if ((jumps.get(at) ?? at) !== head) found.push(hole(org, at, addDigits(head, 1)));
      break;
    }
  }
  return found;
}

async function jumpsOf(tx: ReadTx, org: string): Promise<ReadonlyMap<Digits, Digits>> {
  return new Map((await tx.select('recoveries', { org })).map(({ from, to }) => [from, to]));
}

function hole(org: string, after: Digits, before: Digits): Difference {
  const row = `between ${after} and ${before}`;
  return { table: 'ledger', org, service: null, row, column: 'position', stored: null, rebuilt: 'no hole' };
}
