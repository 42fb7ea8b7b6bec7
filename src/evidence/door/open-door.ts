import { type Digits, ZERO } from '../../contract/digits.ts';
import type { Evidence } from '../../contract/evidence.ts';
import type { Kind, Owner, Rejection } from '../../contract/vocabulary.ts';
import { readable } from '../../store/broken-row.ts';
import { CachingTx } from '../../store/caching-tx.ts';
import { Conflict, type Tx } from '../../store/port.ts';
import type { HeadRow, Key, Table } from '../../store/schema.ts';
import type { Door } from './door.ts';
import type { Draft, RejectedDraft } from './draft.ts';
import { readableHead, refuseLostHead } from './head-read.ts';
import type { CommitNotice, Host } from './host.ts';
import type { JudgedAhead } from './judge-ahead.ts';
import { LedgerWriter } from './ledger-writer.ts';
import { OpenFiles } from './open-files.ts';
import { mergePrefetches, type Prefetch, readsAround } from './prefetch.ts';
import type { RecentCommit } from './recent-commits.ts';
import type { ServiceFile, Surroundings } from './service-file.ts';
import { admitUnjudged } from './settle.ts';

/** Tables into which rows are inserted only behind the lock of their org's head. */
const BEHIND_THE_HEAD: ReadonlySet<Table> = new Set([
  'services',
  'revisions',
  'attempts',
  'commands',
  'agents',
  'registrations',
  'scopes',
  'evidenceIds',
  'keys',
  'counters',
]);

/**
 * Opens the door of an org. The org's head row is locked from here to the commit: it gives position and
 * receipt time together, so that a reader never finds 11 before 10 (S10), and every rule reads the rows it
 * decides on behind that lock. The ledger's rows and the facts folded from them commit together (F12, F13).
 * The lock, the clock behind it, and all prefetched rows are one round trip.
 */
export async function openDoor(
  tx: Tx,
  { settings, yieldIfDue }: Pick<Host, 'settings' | 'yieldIfDue'>,
  org: string,
  prefetch: readonly Prefetch[] = [],
): Promise<OpenDoor> {
  const caching = new CachingTx(tx, { exclusive: BEHIND_THE_HEAD, tracked: 'commands', yieldIfDue });
  const services = prefetch.flatMap((read) => (read.table === 'services' && 'keys' in read ? read.keys : []));
  const named = services.map(({ service }) => service);
  const [heads, now] = await caching.readAll([
    { table: 'heads', keys: [{ org }], lock: true },
    'now',
    { table: 'blinds', where: { org } },
    { table: 'beats', where: {} },
    ...[...mergePrefetches(prefetch), ...readsAround(org, named)],
  ]);
  const head = heads[0] === undefined ? await foundLedger(tx, org) : readableHead(heads[0]);
  if (heads.length === 0) await caching.lock('heads', { org });
  // mutant: receipt-time
  const at = Math.max(now, head.at);
  const ledger = new LedgerWriter(caching, settings, at, head);
  const files = new OpenFiles(ledger, yieldIfDue);
  await files.prefetchRest(named);
  return new OpenDoor(ledger, files, yieldIfDue);
}

/**
 * An org's ledger begins with its first write. Rejected: to read first whether there is one; another transaction founds
 * it meanwhile.
 */
async function foundLedger(tx: Tx, org: string): Promise<HeadRow> {
  const head: HeadRow = { org, position: ZERO, at: 0, recoveredAt: null, floor: 0 };
  if (!(await tx.insert('heads', head))) throw new Conflict('another transaction founded the ledger');
  await refuseLostHead(tx, org);
  return head;
}

/** A door that is open: the ledger's writer and the open service files, joined. Whoever opened it closes it. */
export class OpenDoor implements Door {
  readonly tx: CachingTx;
  readonly org: string;
  readonly settings: Host['settings'];
  readonly at: number;
  readonly head: HeadRow;
  readonly yieldIfDue: Host['yieldIfDue'];
  readonly #ledger: LedgerWriter;
  readonly #files: OpenFiles;

  constructor(ledger: LedgerWriter, files: OpenFiles, yieldIfDue: Host['yieldIfDue']) {
    this.tx = ledger.tx;
    this.org = ledger.org;
    this.settings = ledger.settings;
    this.at = ledger.at;
    this.head = ledger.head;
    this.yieldIfDue = yieldIfDue;
    this.#ledger = ledger;
    this.#files = files;
  }

  file(service: string): Promise<ServiceFile | null> {
    return this.#files.open(service);
  }

  newFile(service: string): Promise<ServiceFile> {
    return this.#files.create(service);
  }

  prefetch(services: readonly string[]): Promise<void> {
    return this.#files.prefetch(services);
  }

  isAround(target: string, judged: Surroundings, judgedAt: number): Promise<boolean> {
    return this.#files.isAround(target, judged, judgedAt);
  }

  fileJudgedAhead(judged: JudgedAhead): Promise<boolean> {
    return this.#files.record(judged);
  }

  async admit<K extends Kind>(file: ServiceFile, draft: Draft<K>): Promise<Evidence<K>> {
    const evidence = await admitUnjudged(this.#ledger, file, draft);
    await this.rejudge(file, draft.source.role, evidence.id);
    return evidence;
  }

  admitUnjudged<K extends Kind>(file: ServiceFile, draft: Draft<K>): Promise<Evidence<K>> {
    return admitUnjudged(this.#ledger, file, draft);
  }

  append<K extends Kind>(draft: Draft<K>): Promise<Evidence<K>> {
    return this.#ledger.append(draft);
  }

  async reject(draft: RejectedDraft, reason: Rejection): Promise<Digits> {
    const { service, position } = await this.#ledger.reject(draft, reason);
    const file = service === null ? null : await this.file(service);
    if (file !== null) {
      file.rejected += 1;
      file.sinceCheckpoint += 1;
    }
    return position;
  }

  rejudge(file: ServiceFile, owner: Owner, evidence: string): Promise<void> {
    return this.#ledger.recordStanding(file, file.standing(this.at), this.at, owner, evidence);
  }

  alarm(code: string, service: string | null): Promise<void> {
    return this.#ledger.alarm(code, service);
  }

  /** See `LedgerWriter.skipLostPositions`: only a recovery may do it. */
  skipLostPositions(beyond: Digits, floor: number): { readonly from: Digits; readonly to: Digits } {
    return this.#ledger.skipLostPositions(beyond, floor);
  }

  /** The commit of this transaction, once it is closed; null if it has written nothing into the ledger. */
  get commit(): RecentCommit | null {
    if (!this.#ledger.hasGrown) return null;
    const { head: before, newHead: after, entries } = this.#ledger;
    return { before, after, entries, files: this.#files.moved };
  }

  saveAndCloseFiles(): Promise<void> {
    return this.#files.saveAndClose();
  }

  saveAndCloseUnsteadyFiles(): Promise<void> {
    return this.#files.saveAndCloseUnsteady();
  }

  async close(): Promise<void> {
    await this.#files.saveAndClose();
    await this.#ledger.close();
  }

  /**
   * The notice that the host sends after the commit. The transaction caches the commands that it wrote, so this
   * needs no round trip as a rule.
   */
  async commitNotice(): Promise<CommitNotice> {
    const { org } = this;
    const recorded: string[] = [];
    const published: string[] = [];
    for (const key of this.tx.written) {
      const { id } = key as Key<'commands'>;
      const state = readable(await this.tx.get('commands', { org, id })).state;
      if (state === 'recorded') recorded.push(id);
      if (state === 'published') published.push(id);
    }
    return { org, moved: this.#ledger.hasGrown, recorded, published, alarms: this.#ledger.alarms };
  }
}
