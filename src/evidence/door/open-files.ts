import { targetOf } from '../../contract/names.ts';
import type { LeaseLiveness } from '../../projection/facts.ts';
import { readable } from '../../store/broken-row.ts';
import type { Host } from './host.ts';
import { isAround, type JudgedAhead, type MovedFile } from './judge-ahead.ts';
import type { LedgerWriter } from './ledger-writer.ts';
import {
  commandLease,
  type PlatformLiveness,
  platformLiveness,
  type TargetLiveness,
  targetLiveness,
} from './liveness.ts';
import { markLapsed, markSilent } from './mark-silent.ts';
import { mendFacts } from './mend-facts.ts';
import { prefetchBehindServices, readsAround } from './prefetch.ts';
import { openFile, type ServiceFile, type Surroundings } from './service-file.ts';
import { serviceRow, unreadRow } from './service-row.ts';
import { recordPassedTime } from './settle.ts';

/** The service files that a transaction has open: read once, settled when they are opened, saved when they are closed. */
export class OpenFiles {
  readonly #ledger: LedgerWriter;
  readonly #yieldIfDue: Host['yieldIfDue'];
  readonly #files = new Map<string, ServiceFile>();
  /** The files that the work at hand has opened or used. */
  readonly #touched = new Set<ServiceFile>();
  /** The services whose rows have all been read. */
  readonly #prefetched = new Set<string>();
  readonly #targets = new Map<string, TargetLiveness>();
  #platform: PlatformLiveness | null = null;
  readonly #moved: MovedFile[] = [];

  constructor(ledger: LedgerWriter, yieldIfDue: Host['yieldIfDue']) {
    this.#ledger = ledger;
    this.#yieldIfDue = yieldIfDue;
  }

  /** The saved files whose recorded claim has changed, in the order of saving. */
  get moved(): readonly MovedFile[] {
    return this.#moved;
  }

  /** Reads the rows of these services' files, in three round trips for any number. */
  async prefetch(services: readonly string[]): Promise<void> {
    const { org, tx } = this.#ledger;
    const keys = services.map((service) => ({ org, service }));
    await tx.readAll([{ table: 'services', keys }, ...readsAround(org, services)]);
    await this.#prefetchBehind(services, { attempts: true });
  }

  /**
   * The same if the rows of the services and of their targets were read already: two round trips, or none if the caller
   * has named the rows behind them.
   */
  prefetchRest(services: readonly string[]): Promise<void> {
    return this.#prefetchBehind(services, { attempts: false });
  }

  async #prefetchBehind(services: readonly string[], which: { readonly attempts: boolean }): Promise<void> {
    await prefetchBehindServices(this.#ledger.tx, this.#ledger.org, services, which);
    for (const service of services) this.#prefetched.add(service);
  }

  /** Opens a service, and first records changes by time alone since it was last written. */
  async open(service: string): Promise<ServiceFile | null> {
    const { tx, org, at } = this.#ledger;
    const open = this.#files.get(service);
    if (open !== undefined) {
      this.#touched.add(open);
      return open;
    }
    if (!this.#prefetched.has(service)) await this.prefetch([service]);
    const stored = await tx.get('services', { org, service });
    if (stored === undefined) return null;
    const around = await this.#around(targetOf(service));
    const named = { org, service, at };
    let file = await openFile(tx, around, named, stored);
    if (!(await markLapsed(this.#ledger, file))) file = await openFile(tx, around, named, stored);
    this.#keep(file);
    if (file.unreadable && !(await mendFacts(this.#ledger, file))) return file;
    await recordPassedTime(this.#ledger, file);
    return file;
  }

  /** True if the surroundings of this target are those that were judged ahead, at an instant that has come. */
  async isAround(target: string, judged: Surroundings, judgedAt: number): Promise<boolean> {
    return isAround(await this.#around(target), this.#ledger.at, judged, judgedAt);
  }

  /**
   * Records a service as it was judged ahead, instead of opening and saving it: the caller has checked the surroundings.
   * False if the row that it was judged from is not the one that this transaction works on, or that time is over.
   */
  async record({ file, transition, rows, until, told }: JudgedAhead): Promise<boolean> {
    const { tx, org, at } = this.#ledger;
    const { service, stored } = file;
    const key = { org, service };
    const row = rows.findLast(({ from }) => from <= at);
    if (row === undefined || at >= until || this.#files.has(service)) return false;
    if ((await tx.get('services', key)) !== stored) return false;
    await this.#ledger.recordTransition(file, transition);
    this.#moved.push({ file, told: told !== null && told.from <= at ? told : null });
    const { position } = this.#ledger;
    await tx.update('services', key, {}, { ...row.set, position, settledTo: at });
    return true;
  }

  /**
   * Opens the file of a service that nobody has requested before. No full report has covered it yet, not even
   * one of this very instant, or of a later one before the clock was set back (F35): their observations of it
   * are not recorded.
   */
  async create(service: string): Promise<ServiceFile> {
    const { tx, org, at } = this.#ledger;
    const target = targetOf(service);
    const around = await this.#around(target);
    const before = at - 1;
    const scopes = around.target.scopes.map((scope) =>
      (scope.completeAt ?? before) > before ? { ...scope, completeAt: before } : scope,
    );
    for (const [i, { scope, completeAt }] of scopes.entries())
      if (completeAt !== around.target.scopes[i]?.completeAt)
        await tx.update('scopes', { org, target, scope }, {}, { completeAt });
    // The scopes judged now must be the ones read later: the same report may have been the first of another
    // identity.
    this.#targets.set(target, { ...around.target, scopes });
    const file = await openFile(tx, await this.#around(target), { org, service, at }, undefined);
    this.#keep(file);
    return file;
  }

  /**
   * Between two works: saves and closes every file, so that the next work reads only rows that it would find
   * by itself.
   */
  async saveAndClose(): Promise<void> {
    for (const file of this.#files.values()) {
      await this.#save(file);
      await this.#yieldIfDue?.();
    }
    this.#files.clear();
    this.#touched.clear();
    this.#targets.clear();
    this.#platform = null;
  }

  /**
   * Between two works that are narrow: keeps files open, and reads the lease of their command again. Saves and closes a
   * file that the next work would find changed by more than that.
   */
  async saveAndCloseUnsteady(): Promise<void> {
    const { tx, org } = this.#ledger;
    for (const file of this.#touched) {
      const lease = await commandLease(tx, org, file.command);
      if (!isSame(lease, file.liveness.lease)) file.liveness = { ...file.liveness, lease };
      if (this.#isSteady(file)) continue;
      await this.#save(file);
      this.#files.delete(file.service);
    }
    this.#touched.clear();
  }

  #keep(file: ServiceFile): void {
    this.#files.set(file.service, file);
    this.#touched.add(file);
  }

  /** True if opening the file again at the same instant would settle nothing, and write no checkpoint. */
  #isSteady(file: ServiceFile): boolean {
    const { at, settings } = this.#ledger;
    if (file.unreadable || file.active === undefined) return false;
    const { overdue, changesAt } = file.standing(at);
    if (overdue || (changesAt !== null && changesAt <= at)) return false;
    return file.sinceCheckpoint < settings.checkpointEvery;
  }

  /**
   * Reads the liveness around the services of a target, once: a work that writes it later in the same
   * transaction changes the open files itself.
   */
  async #around(target: string): Promise<Surroundings> {
    const { tx, org, at, head, settings } = this.#ledger;
    this.#platform ??= platformLiveness(
      await tx.select('blinds', { org }),
      await tx.select('beats', {}),
      head.recoveredAt,
    );
    let liveness = this.#targets.get(target);
    if (liveness === undefined) {
      const of = { org, target };
      let scopes = await tx.select('scopes', of);
      if (!(await markSilent(this.#ledger, scopes))) scopes = await tx.select('scopes', of);
      liveness = targetLiveness(scopes, await tx.get('agents', of), at);
      this.#targets.set(target, liveness);
    }
    return { settings, platform: this.#platform, target: liveness };
  }

  async #save(file: ServiceFile): Promise<void> {
    const { tx, org, at, settings } = this.#ledger;
    const key = { org, service: file.service };
    if (file.unreadable) {
      const idle = unreadRow(file, at);
      if (idle !== null) await tx.update('services', key, {}, idle);
      return;
    }
    const { active, recorded } = file;
    if (active === undefined || recorded === null) return;
    if (file.sinceCheckpoint >= settings.checkpointEvery) await this.#checkpoint(file);
    const row = serviceRow(file, active, recorded, at);
    if (readable(file.stored ?? undefined).position !== recorded.position)
      this.#moved.push({ file, told: null });
    if (file.stored === null) await tx.insert('services', row);
    else await tx.update('services', key, {}, row);
  }

  /**
   * Writes a checkpoint of the facts, so that an instant near this one is later read without the whole ledger
   * before it.
   */
  async #checkpoint(file: ServiceFile): Promise<void> {
    const { tx, org, at, position } = this.#ledger;
    const { service, proven } = file;
    await tx.append('checkpoints', { org, service, position, receivedAt: at, proven });
    file.sinceCheckpoint = 0;
  }
}

function isSame(a: LeaseLiveness | null, b: LeaseLiveness | null): boolean {
  if (a === null || b === null) return a === b;
  return Object.entries(a).every(([name, value]) => b[name as keyof LeaseLiveness] === value);
}
