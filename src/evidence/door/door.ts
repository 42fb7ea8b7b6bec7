import { addDigits, type Digits, maxDigits, ZERO } from '../../contract/digits.ts';
import type { Body, Evidence, Source, Verdict } from '../../contract/evidence.ts';
import { targetOf } from '../../contract/names.ts';
import type { Kind, Owner, Rejection } from '../../contract/vocabulary.ts';
import type { LeaseLiveness, Settings } from '../../projection/facts.ts';
import { fold } from '../../projection/fold.ts';
import type { Standing } from '../../projection/standing.ts';
import { Image } from '../../store/image.ts';
import { Conflict, type Tx } from '../../store/port.ts';
import type { AnyLedgerRow, HeadRow, Key, Table } from '../../store/schema.ts';
import { applyConsequences } from './apply-consequences.ts';
import { neverWrote, readableHead } from './head-read.ts';
import type { Host, News } from './host.ts';
import {
  commandLease,
  type PlatformLiveness,
  platformLiveness,
  type TargetLiveness,
  targetLiveness,
} from './liveness.ts';
import { markLapsed, markSilent } from './mark-silent.ts';
import { mend } from './mend-facts.ts';
import { aroundAll, type Need, readRest, together } from './prefetch.ts';
import { type Around, loadIntent, openFile, type ServiceFile } from './service-file.ts';
import { serviceRow, unreadRow } from './service-row.ts';
import { expiredEvidence, type Step, stepOf } from './step.ts';

/** Evidence before it has a position and a receipt time. Without an id it is the platform's own. */
export interface Draft<K extends Kind = Kind> {
  readonly kind: K;
  readonly source: Source;
  readonly body: Body<K>;
  readonly id?: string;
  readonly service?: string | null;
  readonly target?: string | null;
  readonly revision?: number | null;
  readonly attempt?: number | null;
  readonly command?: string | null;
  readonly fence?: Digits | null;
  readonly seq?: Digits | null;
  readonly observedAt?: string | null;
}

/** What is refused may not even have a body of its kind. */
type AnyDraft = Omit<Draft, 'kind' | 'body'> & { readonly kind: string; readonly body: unknown };

const SETTLE_STEPS = 64;
/** How far a recovery jumps: more than any incarnation hands out between two looks of the witness. */
export const VOID = 1_000_000;
const SWEEPER: Source = { role: 'sweeper', name: 'sweeper', instance: 'door' };

/** Tables into which rows come behind the lock of their org's head, and in no other way. */
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
 * The one door into the ledger. Evidence, facts, transition and follow-up command are written together or not at
 * all. The org's head row is locked from here to the commit: it gives position and receipt time together, so a
 * reader never sees 11 before 10 (S10), and every rule below reads what it decides on behind that lock.
 */
export class Door {
  readonly tx: Image;
  readonly org: string;
  readonly settings: Settings;
  readonly giveWay: Host['giveWay'];
  /** Receipt time of everything that passes; never behind an earlier one, whatever the store's clock does (F35). */
  readonly at: number;
  /** The head as it was when the door was opened, and as it stays until it is closed. */
  readonly head: HeadRow;
  #position: Digits;
  #leap: { readonly floor: number } | null = null;
  readonly #files = new Map<string, ServiceFile>();
  /** Those that the work at hand has opened or used. */
  readonly #touched = new Set<ServiceFile>();
  readonly #alarms: News['alarms'][number][] = [];
  /** Services of which everything was read that their files are made of. */
  readonly #gathered = new Set<string>();
  readonly #targets = new Map<string, TargetLiveness>();
  #platform: PlatformLiveness | null = null;

  private constructor(
    tx: Image,
    { settings, giveWay }: Pick<Host, 'settings' | 'giveWay'>,
    at: number,
    head: HeadRow,
  ) {
    this.tx = tx;
    this.settings = settings;
    this.giveWay = giveWay;
    this.org = head.org;
    this.at = at;
    this.head = head;
    this.#position = head.position;
  }

  /** The lock, the clock behind it, and all that is known to be needed: one round trip. */
  static async open(
    tx: Tx,
    on: Pick<Host, 'settings' | 'giveWay'>,
    org: string,
    needs: readonly Need[] = [],
  ): Promise<Door> {
    const image = new Image(tx, { exclusive: BEHIND_THE_HEAD, noted: 'commands', giveWay: on.giveWay });
    const services = needs.flatMap((need) => (need.table === 'services' ? need.keys : []));
    const named = services.map(({ service }) => service);
    const [heads, now] = await image.readAll([
      { table: 'heads', keys: [{ org }], lock: true },
      'now',
      { table: 'blinds', where: { org } },
      { table: 'beats', where: {} },
      ...[...together(needs), ...aroundAll(org, named)],
    ]);
    const head = heads[0] === undefined ? await Door.#found(tx, org) : readableHead(heads[0]);
    if (heads.length === 0) await image.lock('heads', { org });
    const door = new Door(image, on, Math.max(now, head.at), head);
    await door.#gatherRest(named);
    return door;
  }

  /** An org's ledger begins with its first write. Who looked for one first would find what another founds meanwhile. */
  static async #found(tx: Tx, org: string): Promise<HeadRow> {
    const head: HeadRow = { org, position: ZERO, at: 0, recoveredAt: null, floor: 0 };
    if (!(await tx.insert('heads', head))) throw new Conflict('another transaction founded the ledger');
    await neverWrote(tx, org);
    return head;
  }

  /** What the files of these services are made of, in three round trips however many they are. */
  async gather(services: readonly string[]): Promise<void> {
    const { org, tx } = this;
    const keys = services.map((service) => ({ org, service }));
    await tx.readAll([{ table: 'services', keys }, ...aroundAll(org, services)]);
    await this.#gatherRest(services);
  }

  async #gatherRest(services: readonly string[]): Promise<void> {
    await readRest(this.tx, this.org, services);
    for (const service of services) this.#gathered.add(service);
  }

  /** Between two works: what is open is put back, and nothing is known that the next one would not find by itself. */
  async rest(): Promise<void> {
    for (const file of this.#files.values()) {
      await this.#save(file);
      await this.giveWay?.();
    }
    this.#files.clear();
    this.#touched.clear();
    this.#targets.clear();
    this.#platform = null;
  }

  /**
   * Between two works that are narrow: files stay open, with what is alive of their command now. One that the next
   * work would find changed by more than that is put back.
   */
  async pause(): Promise<void> {
    for (const file of this.#touched) {
      const lease = await commandLease(this.tx, this.org, file.command);
      if (!isSame(lease, file.liveness.lease)) file.liveness = { ...file.liveness, lease };
      if (this.#isSteady(file)) continue;
      await this.#save(file);
      this.#files.delete(file.service);
    }
    this.#touched.clear();
  }

  /** Opening it again at the same instant would settle nothing, and leave no checkpoint behind. */
  #isSteady(file: ServiceFile): boolean {
    if (file.unreadable || file.active === undefined) return false;
    const { overdue, changesAt } = file.standing(this.at);
    if (overdue || (changesAt !== null && changesAt <= this.at)) return false;
    return file.sinceCheckpoint < this.settings.checkpointEvery;
  }

  async close(): Promise<void> {
    await this.rest();
    if (this.#position === this.head.position) return this.tx.flush();
    const leapt = this.#leap === null ? {} : { recoveredAt: this.at, floor: this.#leap.floor };
    const moved = await this.tx.update(
      'heads',
      { org: this.org },
      { position: this.head.position },
      { position: this.#position, at: this.at, ...leapt },
    );
    if (moved === 0) throw new Conflict('the head of the ledger moved');
    await this.tx.flush();
  }

  /** Whose move it is after the commit. Commands that were written are known here, or all but: no trip, as a rule. */
  async news(): Promise<News> {
    const { org } = this;
    const recorded: string[] = [];
    const published: string[] = [];
    for (const key of this.tx.written) {
      const { id } = key as Key<'commands'>;
      const state = (await this.tx.get('commands', { org, id }))?.state;
      if (state === 'recorded') recorded.push(id);
      if (state === 'published') published.push(id);
    }
    return { org, moved: this.#position !== this.head.position, recorded, published, alarms: this.#alarms };
  }

  /** A service as it stands now: what time alone has changed since it was last written is recorded first. */
  async file(service: string): Promise<ServiceFile | null> {
    const open = this.#files.get(service);
    if (open !== undefined) {
      this.#touched.add(open);
      return open;
    }
    if (!this.#gathered.has(service)) await this.gather([service]);
    const stored = await this.tx.get('services', { org: this.org, service });
    if (stored === undefined) return null;
    const around = await this.#around(targetOf(service));
    const named = { org: this.org, service, at: this.at };
    let file = await openFile(this.tx, around, named, stored);
    if (!(await markLapsed(this, file))) file = await openFile(this.tx, around, named, stored);
    this.#files.set(service, file);
    this.#touched.add(file);
    if (file.unreadable && !(await mend(this, file))) return file;
    await this.settle(file);
    return file;
  }

  /**
   * What is alive around the services of a target, read once: whoever writes it later in the same transaction
   * tells the open files.
   */
  async #around(target: string): Promise<Around> {
    this.#platform ??= platformLiveness(
      await this.tx.select('blinds', { org: this.org }),
      await this.tx.select('beats', {}),
      this.head.recoveredAt,
    );
    let known = this.#targets.get(target);
    if (known === undefined) {
      const of = { org: this.org, target };
      let scopes = await this.tx.select('scopes', of);
      if (!(await markSilent(this, scopes))) scopes = await this.tx.select('scopes', of);
      known = targetLiveness(scopes, await this.tx.get('agents', of), this.at);
      this.#targets.set(target, known);
    }
    return { settings: this.settings, platform: this.#platform, target: known };
  }

  /** The claim after something that is no evidence about this service alone: a registration, a restored store. */
  async rejudge(file: ServiceFile, owner: Owner, evidence: string): Promise<void> {
    await this.#record(file, file.standing(this.at), this.at, owner, evidence);
  }

  /**
   * The store was recovered: nothing that is handed out from here on, no position, revision, fence or epoch, may
   * be one that was handed out before and lost. Answers the positions that are void.
   */
  leap(beyond: Digits, floor: number): { readonly from: Digits; readonly to: Digits } {
    const from = this.#position;
    this.#position = addDigits(maxDigits(from, beyond), VOID);
    this.#leap = { floor };
    return { from, to: this.#position };
  }

  /**
   * A service that nobody has asked for before. No full report has covered it yet, not even one of this very instant,
   * or of a later one before the clock was set back (F35): what they showed of it is not on record.
   */
  async newFile(service: string): Promise<ServiceFile> {
    const target = targetOf(service);
    const around = await this.#around(target);
    const before = this.at - 1;
    const scopes = around.target.scopes.map((scope) =>
      (scope.completeAt ?? before) > before ? { ...scope, completeAt: before } : scope,
    );
    for (const [i, { scope, completeAt }] of scopes.entries())
      if (completeAt !== around.target.scopes[i]?.completeAt)
        await this.tx.update('scopes', { org: this.org, target, scope }, {}, { completeAt });
    // What is judged now must be what is read later: the same report may have been the first of another identity.
    this.#targets.set(target, { ...around.target, scopes });
    const named = { org: this.org, service, at: this.at };
    const file = await openFile(this.tx, await this.#around(target), named, undefined);
    this.#files.set(service, file);
    this.#touched.add(file);
    return file;
  }

  /** Admitted evidence about a service: into the ledger, into the facts, into the claim. */
  async admit<K extends Kind>(file: ServiceFile, draft: Draft<K>): Promise<Evidence<K>> {
    const evidence = await this.#take(file, draft);
    await this.#record(file, file.standing(this.at), this.at, draft.source.role, evidence.id);
    return evidence;
  }

  /** The same, but judged only with what follows in this transaction: alone it would be held against what is old. */
  admitUnjudged<K extends Kind>(file: ServiceFile, draft: Draft<K>): Promise<Evidence<K>> {
    return this.#take(file, draft);
  }

  async #take<K extends Kind>(file: ServiceFile, draft: Draft<K>): Promise<Evidence<K>> {
    const evidence = await this.append({ ...draft, service: file.service });
    if (file.unreadable) return evidence;
    file.sinceCheckpoint += 1;
    const before = file.proven;
    file.proven = fold(file.proven, evidence as Evidence);
    await loadIntent(this.tx, file);
    await applyConsequences(this, file, before, evidence as Evidence);
    return evidence;
  }

  /** A row of the ledger that changes no service by itself. */
  async append<K extends Kind>(draft: Draft<K>): Promise<Evidence<K>> {
    const row = this.#row(draft, 'admitted');
    await this.tx.append('ledger', row as AnyLedgerRow);
    return row as unknown as Evidence<K>;
  }

  /** Refused evidence is kept with its reason and changes no claim (S8). */
  async refuse(draft: AnyDraft, reason: Rejection): Promise<Digits> {
    const row = this.#row(draft, 'rejected');
    await this.tx.append('ledger', { reason, ...row });
    const file = row.service === null ? undefined : await this.file(row.service);
    if (file) {
      file.rejected += 1;
      file.sinceCheckpoint += 1;
    }
    return row.position;
  }

  async alarm(code: string, service: string | null): Promise<void> {
    const alarm = { code, service, position: this.#next() };
    this.#alarms.push(alarm);
    await this.tx.append('alarms', { org: this.org, ...alarm, at: this.at });
  }

  /** Writes down what reading already says: every state that time alone brought, each at the instant its rule fired. */
  async settle(file: ServiceFile): Promise<void> {
    const steadyUntil = file.stored?.steadyUntil ?? null;
    if (file.stored !== null && (steadyUntil === null || this.at < steadyUntil)) return;
    let cursor = file.settledTo;
    for (let step = 0; step < SETTLE_STEPS; step++) {
      const standing = file.standing(cursor);
      await this.#settleOutcome(file, standing, cursor);
      await this.#record(file, file.standing(cursor), cursor, 'clock', expiredEvidence(file, standing));
      if (cursor === this.at) break;
      cursor = Math.min(this.at, standing.changesAt ?? this.at);
    }
    file.settledTo = this.at;
  }

  /** An outcome that only a deadline brought must be in the ledger before anything else can happen (S11). */
  async #settleOutcome(file: ServiceFile, standing: Standing, at: number): Promise<void> {
    const attempt = file.active?.attempt;
    if (attempt === undefined || attempt.settled !== null || file.active === undefined) return;
    if (standing.outcome !== 'failed' && standing.outcome !== 'abandoned') return;
    await this.#take(file, {
      kind: 'stage.timed_out',
      source: SWEEPER,
      revision: file.active.revision,
      attempt: attempt.attempt,
      body: {
        stage: standing.stage ?? 'readiness',
        outcome: standing.outcome,
        at,
        cause: standing.cause?.code ?? 'not_ready',
      },
    });
  }

  #row<V extends Verdict['verdict']>(draft: AnyDraft, verdict: V) {
    const position = this.#next();
    return {
      org: this.org,
      position,
      receivedAt: this.at,
      id: draft.id ?? `e${position}`,
      service: draft.service ?? null,
      target: draft.target ?? (draft.service ? targetOf(draft.service) : null),
      revision: draft.revision ?? null,
      attempt: draft.attempt ?? null,
      command: draft.command ?? null,
      fence: draft.fence ?? null,
      seq: draft.seq ?? null,
      source: draft.source,
      observedAt: draft.observedAt ?? null,
      kind: draft.kind,
      body: draft.body,
      verdict,
    };
  }

  #next(): Digits {
    this.#position = addDigits(this.#position, 1);
    return this.#position;
  }

  /** A transition where the claim changed; a pair that the table does not list is `unknown` and an alarm. */
  async #record(
    file: ServiceFile,
    judged: Standing,
    at: number,
    owner: Owner,
    evidence: string,
  ): Promise<void> {
    const { step, unlisted } = stepOf(file, judged, { owner, evidence, at, now: this.at });
    if (unlisted !== null) await this.alarm(unlisted, file.service);
    if (step !== null) await this.step(file, step);
  }

  /** Writes down that the claim of a service changed. */
  async step(file: ServiceFile, step: Step): Promise<void> {
    const { service } = file;
    const position = this.#next();
    await this.tx.append('transitions', { org: this.org, position, service, recordedAt: this.at, ...step });
    const { to: state, revision, attempt, at: since } = step;
    file.recorded = { state, revision, attempt, since, position };
  }

  /** The facts up to here, for whoever asks about an instant near this one later. */
  async #checkpoint(file: ServiceFile): Promise<void> {
    const { org, at } = this;
    const { service, proven } = file;
    await this.tx.append('checkpoints', { org, service, position: this.#position, receivedAt: at, proven });
    file.sinceCheckpoint = 0;
  }

  async #save(file: ServiceFile): Promise<void> {
    const key = { org: this.org, service: file.service };
    if (file.unreadable) {
      const idle = unreadRow(file, this.at);
      if (idle !== null) await this.tx.update('services', key, {}, idle);
      return;
    }
    const { active, recorded } = file;
    if (active === undefined || recorded === null) return;
    if (file.sinceCheckpoint >= this.settings.checkpointEvery) await this.#checkpoint(file);
    const row = serviceRow(file, active, recorded, this.at);
    if (file.stored === null) await this.tx.insert('services', row);
    else await this.tx.update('services', key, {}, row);
  }
}

function isSame(a: LeaseLiveness | null, b: LeaseLiveness | null): boolean {
  if (a === null || b === null) return a === b;
  return Object.entries(a).every(([name, value]) => b[name as keyof LeaseLiveness] === value);
}
