import { type Digits, ZERO } from '../contract/digits.ts';
import { orgsWithoutHead } from '../evidence/door/head-read.ts';
import type { Host } from '../evidence/door/host.ts';
import { isIntact, readable, type Stored } from '../store/broken-row.ts';
import { canonicalJson } from '../store/canonical.ts';
import { gt, lte, type ReadTx, type Tx } from '../store/port.ts';
import type { CheckpointRow } from '../store/schema.ts';
import { type Compared, compareService, type Mend } from './compare-service.ts';
import { damageOf, type RowDifference } from './difference.ts';
import { findMissingRows, type MissingRows, missingDamage, onlyPosition } from './missing-rows.ts';

interface RebuildOptions {
  /** Replaces rows that differ; otherwise only reports them. */
  readonly replace: boolean;
  readonly onProgress?: (progress: RebuildProgress) => void;
  readonly onDifference?: (difference: RowDifference) => void;
}

export interface RebuildProgress {
  readonly org: string;
  /** The phase: the search for missing rows, or the services one by one. */
  readonly at: 'holes' | 'services';
  readonly services: number;
  /** The number of rows read in this phase. */
  readonly rows: number;
}

export interface Rebuild {
  readonly services: number;
  readonly rows: number;
  readonly differences: number;
  /** The number of differences that are damage of rows that everything is rebuilt from. */
  readonly damage: number;
  /** The number of services whose rows were replaced. */
  readonly replaced: number;
  /** The number of differences that are still there. */
  readonly left: number;
}

/**
 * Recomputes facts and transitions from the ledger and compares them with the stored rows, service by
 * service; with `replace` it also replaces rows that differ, one service to a transaction. It works beside
 * running servers: each service is read from one snapshot, and replaced only if no one has written to it
 * since.
 */
export async function rebuild(host: Host, options: RebuildOptions): Promise<Rebuild> {
  const total = { services: 0, rows: 0, differences: 0, damage: 0, replaced: 0, left: 0 };
  for (const { org, damage } of await host.store.read(orgsOf))
    await new OrgRebuild(host, org, options, total).run(damage);
  return total;
}

/**
 * Every org that has a ledger, and the damage of its head: without a head the end of the ledger is unknown.
 */
async function orgsOf(
  tx: ReadTx,
): Promise<{ readonly org: string; readonly damage: readonly RowDifference[] }[]> {
  const of = (org: string) => ({ table: 'heads', org, service: null, row: org }) as const;
  const heads = await tx.select('heads', {}, { order: 'org' });
  const found = heads.flatMap((head) => {
    const { org } = readable(head);
    if (org === undefined) return [];
    const [column] = isIntact(head) ? [] : head.unreadable;
    return [{ org, damage: column === undefined ? [] : [damageOf({ ...of(org), column }, 'unreadable')] }];
  });
  const lost = (await orgsWithoutHead(tx)).map((org) => {
    return { org, damage: [damageOf({ ...of(org), column: 'position' }, 'missing')] };
  });
  return [...found, ...lost];
}

type Total = { -readonly [K in keyof Rebuild]: Rebuild[K] };

class OrgRebuild {
  readonly #host: Host;
  readonly #org: string;
  readonly #options: RebuildOptions;
  readonly #total: Total;
  #missing: readonly MissingRows[] = [];

  constructor(host: Host, org: string, options: RebuildOptions, total: Total) {
    this.#host = host;
    this.#org = org;
    this.#options = options;
    this.#total = total;
  }

  /**
   * Replaces nothing before every service is compared. A missing row may be a transition that its service
   * recomputes; one that no service explains may have been evidence about any of them. Then nobody can say
   * of a service that differs if its facts are wrong or include the missing evidence: none of the org is
   * replaced. Services that do not differ need no replacement. Rejected: to guess the owner of a missing row
   * by its neighbours, and replace better rows by worse.
   */
  async run(headDamage: readonly RowDifference[]): Promise<void> {
    const [host, org, total] = [this.#host, this.#org, this.#total];
    const { missing, damage } = await findMissingRows(host, org, (rows) => this.#progress('holes', rows));
    this.#missing = missing;
    const differing = new Map<string, number>();
    const recreated = new Map<Digits, number>();
    for (
      let service = await nextService(host, org, '');
      service;
      service = await nextService(host, org, service)
    ) {
      const found = await this.#compare(service);
      total.services += 1;
      total.rows += found.rows;
      this.#report(found.differences);
      if (found.differences.length > 0) differing.set(service, found.differences.length);
      else if (this.#options.replace) await this.#lookAnew(service);
      for (const place of found.recreated) recreated.set(place, (recreated.get(place) ?? 0) + 1);
    }
    const lost = missing.filter((rows) => recreated.get(onlyPosition(rows) ?? '') !== 1);
    const damages = [...headDamage, ...damage, ...lost.map((rows) => missingDamage(org, rows))];
    const isExplained = lost.length === 0 && headDamage.length === 0;
    this.#report(damages);
    total.left += damages.length;
    for (const [service, count] of differing)
      if (this.#options.replace && isExplained) await this.#replace(service);
      else total.left += count;
  }

  #report(differences: readonly RowDifference[]): void {
    this.#total.differences += differences.length;
    this.#total.damage += differences.filter(({ damage }) => damage !== null).length;
    for (const difference of differences) this.#options.onDifference?.(difference);
  }

  #progress(at: RebuildProgress['at'], rows: number): void {
    this.#options.onProgress?.({ org: this.#org, at, services: this.#total.services, rows });
  }

  #compare(service: string): Promise<Compared> {
    const [org, missing, read] = [this.#org, this.#missing, this.#total.rows];
    const onRows = (rows: number) => this.#progress('services', read + rows);
    onRows(0);
    return this.#host.store.read(async (tx) => {
      const base = await baseOf(tx, org, service);
      return compareService(tx, this.#host, { org, service, base, missing, onRows });
    });
  }

  async #replace(service: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      const compared = await this.#compare(service);
      const { differences, mends, mended } = compared;
      const replaced =
        mends.length > 0 && (await this.#host.store.transact((tx) => mend(tx, this.#org, service, compared)));
      if (!replaced && mends.length > 0 && tries < TRIES) continue;
      if (replaced) this.#total.replaced += 1;
      this.#total.left += replaced ? differences.length - mended : differences.length;
      return;
    }
  }

  /**
   * Makes the service due now. Its due times depend on the current time, so they are compared with nothing.
   */
  async #lookAnew(service: string): Promise<void> {
    const key = { org: this.#org, service };
    await this.#host.store.transact(async (tx) => tx.update('services', key, {}, { due: await tx.now() }));
  }
}

/** The next service that has a row, or has a revision and lost its row. */
export function nextService(host: Host, org: string, after: string): Promise<string | undefined> {
  return host.store.read(async (tx) => {
    const where = { org, service: gt(after) };
    const [row] = await tx.select('services', where, { order: 'service', limit: 1 });
    const [revision] = await tx.select('revisions', where, { order: ['service', 'revision'], limit: 1 });
    const names = [readable(row).service, readable(revision).service];
    return names.filter((name) => name !== undefined).sort()[0];
  });
}

const TRIES = 5;

/** The checkpoint that replaces the rows that retention has moved out. */
async function baseOf(tx: ReadTx, org: string, service: string): Promise<CheckpointRow | null> {
  const retention = await tx.get('retention', { org });
  if (retention === undefined) return null;
  const newest = { order: 'position', descending: true, limit: 1 } as const;
  const { position } = readable(retention);
  // A border that cannot be read is damage, like facts that cannot be read: nothing is replaced.
  if (position === undefined) return { org, service, position: ZERO, receivedAt: 0, proven: null };
  const [row] = await tx.select('checkpoints', { org, service, position: lte(position) }, newest);
  if (row === undefined) return null;
  return { org, service, position, receivedAt: 0, proven: null, ...readable(row) };
}

/** False: the service was written since it was compared, and nothing was replaced. */
async function mend(tx: Tx, org: string, service: string, { stored, mends }: Compared): Promise<boolean> {
  // The lock closes the door to all other writers.
  await tx.lock('heads', { org });
  if (!isAsBefore(stored, await tx.get('services', { org, service }))) return false;
  for (const { table, row, set } of mends) await put(tx, { table, row, set } as Mend);
  return true;
}

function isAsBefore(before: Stored<'services'> | undefined, now: Stored<'services'> | undefined): boolean {
  return canonicalJson(before ?? null) === canonicalJson(now ?? null);
}

async function put(tx: Tx, { table, row, set }: Mend): Promise<void> {
  // Inserts the row if it is missing; otherwise sets single columns.
  if (await tx.insert(table, row)) return;
  await tx.update(table, row, {}, table === 'services' ? row : set);
}
