import type { ObservationRule } from '../../src/contract/observation.ts';
import type { ScopeRow } from '../../src/store/schema.ts';
import type { OriginalReport } from '../oracle-port.ts';
import { Coverage } from './coverage.ts';
import { isDoubtful } from './doubtful.ts';
import {
  type AskedFor,
  type ExitNote,
  ExitNotes,
  type LeftBehind,
  NOTHING_ASKED,
  type ShownInstance,
} from './exits.ts';
import {
  bodyOf,
  type ReportedEntry,
  type ReportedInstance,
  type ReportItems,
  readItems,
} from './report-items.ts';

const NEVER = Number.NEGATIVE_INFINITY;

/** An instance with the observations that stand behind it. */
export interface OracleInstance extends ReportedInstance {
  /** `asOf` of the first report that showed it so, with none contrary since. */
  readonly since: number;
  readonly asOf: number;
  readonly seenAt: number;
  /** The last report that names it came when the service was there: nobody keeps what came before. */
  readonly isRecorded: boolean;
  /** When the first report that showed it so was received. */
  readonly firstReceivedAt: number;
  /** First shown so while something else about the service could not be read: no such report satisfied the contract. */
  readonly isTainted: boolean;
}

/** A stamp of which something could not be judged: no report until then showed the contract satisfied. */
interface Doubt extends Pick<ReportedInstance, 'revision' | 'attempt' | 'template'> {
  /** `asOf` of the first report after it; never, while it lasts. */
  until: number;
}

/** An entry's content, from the first report that showed it so until the next. */
export interface OracleEntry {
  readonly entry: ReportedEntry | null;
  /** `asOf` of that report, and its receipt. */
  readonly since: number;
  readonly firstReceivedAt: number;
}

/** One service as accepted reports show it. */
interface OracleService {
  readonly instances: Map<string, OracleInstance>;
  readonly doubts: Map<string, Doubt>;
  entry: ReportedEntry | null;
  /** Everything it has shown since the service was there, newest last. */
  entries: readonly OracleEntry[];
  /** As of an instance: the last report that names it came when the service was there. */
  isEntryTold: boolean;
  entryAsOf: number;
  entrySeenAt: number;
  corrupt: boolean;
  /** `asOf` of the last report before the first one in which it could not be read. */
  readUntil: number;
  /** The report that is being taken in shows something else than the one before. */
  changed: boolean;
  asOf: number;
  seenAt: number;
  /** Receipt of the last report that named it. */
  spokeAt: number;
  /** `asOf` of the newest complete observation since an instance was last seen. */
  absentAsOf: number;
}

/** One scope of a target, put together from the reports that were accepted (docs/protocol.md 5). */
interface ScopeView {
  /** The epoch whose complete report is the last word: within it, `asOf` only grows. */
  epoch: string;
  seqEpoch: string;
  seq: string;
  /** The seq of the last full or change report that was applied. */
  base: string | null;
  asOf: number;
  /** The highest `asOf` of any epoch. */
  highest: number;
  seenAt: number;
  /** `asOf` rests on what the agent heard from us, and not on receipt alone. */
  bounded: boolean;
  watchAgeMs: number;
  lastReceivedAt: number;
  /** Receipt of the last report that spoke of everything: an incomplete one says nothing of what it does not name. */
  spokeAt: number;
  /** The services that were there at the last complete snapshot: changes and heartbeats on it prove nothing of others. */
  snapshotOf: ReadonlySet<string>;
  readonly services: Map<string, OracleService>;
}

/** Everything that the reports alone prove of a service. */
export interface Sight {
  readonly exits: readonly ExitNote[];
  readonly instances: readonly OracleInstance[];
  readonly doubts: readonly Doubt[];
  readonly entry: ReportedEntry | null;
  readonly entries: readonly OracleEntry[];
  readonly entryAsOf: number;
  readonly entrySeenAt: number;
  readonly corrupt: boolean;
  /** The newest instant that any accepted report covers the service for. */
  readonly asOf: number;
  readonly seenAt: number;
  readonly bounded: boolean;
  readonly watchAgeMs: number;
  readonly absentAsOf: number;
  /** Receipt of the newest report that says anything of it; of several scopes, the one heard longest ago. */
  readonly lastReceivedAt: number;
}

/** The oracle's own reconstruction of what a target's agents have shown. */
export class OracleTarget {
  readonly org: string;
  readonly target: string;
  /** The target got another identity: nothing seen before is about it, until a complete report. */
  replaced = false;
  /** `asOf` of the newest observation of what it was before: until then something was known, however late it came. */
  replacedAsOf = NEVER;
  /** A report was accepted that the simulator did not announce: nothing can be judged until the next full one. */
  untold = false;
  readonly #scopes = new Map<string, ScopeView>();
  readonly #exits = new ExitNotes();

  /** Of a namespace, whose reports speak of what is in it and of nothing else; else null. */
  readonly coverage: Coverage | null;
  /** The version of the rule that its last report follows. */
  followed = 0;

  /** @param namespace a namespace that is reported as a scope of its own: that scope is then everything */
  constructor(org: string, target: string, namespace: string | null = null) {
    this.org = org;
    this.target = target;
    this.coverage = namespace === null ? null : new Coverage(namespace);
  }

  /** Counts the places that took the name, and keeps the instant at which the last one did. */
  replacements = 0;
  replacedAt = NEVER;
  /** Instances that former places showed of each service, by uid, with the place: nobody has shown that they are gone (F114). */
  readonly #left = new Map<string, Map<string, LeftBehind>>();

  replace(former: string, at: number): void {
    this.#sights.clear();
    this.replaced = true;
    this.replacements++;
    this.replacedAt = at;
    for (const { asOf, services } of this.#scopes.values()) {
      this.replacedAsOf = Math.max(this.replacedAsOf, asOf);
      for (const service of services.keys())
        for (const i of this.#shownOf(service)) this.#leave(service, i.uid, { ...i, former });
    }
    this.#scopes.clear();
    this.#exits.leave();
  }

  #leave(service: string, uid: string, as: LeftBehind): void {
    const left = this.#left.get(service) ?? new Map<string, LeftBehind>();
    left.set(uid, as);
    this.#left.set(service, left);
  }

  retire(identity: string): void {
    for (const left of this.#left.values())
      for (const [uid, { former }] of left) if (former === identity) left.delete(uid);
  }

  /** The number of instances that former places showed and that nobody has seen since. */
  left(service: string): number {
    return this.#left.get(service)?.size ?? 0;
  }

  /** The instant up to which all that a former place showed of a service was seen; null if nothing is left there. */
  leftSeenUntil(service: string, former: string): number | null {
    const left = [...(this.#left.get(service)?.values() ?? [])].filter((i) => i.former === former);
    return left.length === 0 ? null : Math.min(...left.map(({ lastSeen }) => lastSeen));
  }

  /** True if the scope's row is about a report that the oracle knows. */
  knows(row: ScopeRow): boolean {
    const view = this.#scopes.get(row.scope);
    return view !== undefined && view.seqEpoch === row.seqEpoch && view.seq === row.seq;
  }

  /**
   * Takes in a report that the store has accepted. `services` are those that exist at this commit, and since when.
   * Answers what is wrong with accepting it, if anything.
   */
  accept(
    report: OriginalReport,
    row: ScopeRow,
    services: ReadonlyMap<string, number>,
    asked: AskedFor = NOTHING_ASKED,
    rule: ObservationRule | null = null,
  ): string | null {
    this.#sights.clear();
    const before = this.#shown(services);
    const left = new Map([...this.#left].map(([service, uids]) => [service, new Map(uids)]));
    const wrong = this.#takeIn(report, row, services);
    this.#cover(report, services, rule);
    for (const service of services.keys())
      this.#exits.note(
        service,
        before.get(service) ?? [],
        this.#shownOf(service),
        left.get(service) ?? new Map(),
        asked,
      );
    return wrong;
  }

  #cover(report: OriginalReport, services: ReadonlyMap<string, number>, rule: ObservationRule | null): void {
    const body = bodyOf(report);
    const { kind } = report;
    if (this.coverage === null || body.unavailable != null) return;
    const items = readItems(body, kind, this.target);
    this.followed = Number(body.observation ?? 0);
    const complete = kind !== 'full' || (body.complete === true && !items.corruptAll);
    const uncovered = Array.isArray(body.uncovered) ? body.uncovered.map(String) : [];
    const { removedEntries } = items;
    const said = { kind, followed: this.followed, complete, uncovered, removedEntries, rule };
    const seen = this.#scopes.get('*')?.services;
    for (const service of services.keys()) {
      const { entry = null, instances, corrupt = false } = seen?.get(service) ?? {};
      const shown = { entry, hasInstances: (instances?.size ?? 0) > 0, isCorrupt: corrupt };
      this.coverage.note(service, said, shown);
    }
  }

  #shown(services: ReadonlyMap<string, number>): Map<string, readonly ShownInstance[]> {
    return new Map([...services.keys()].map((service) => [service, this.#shownOf(service)]));
  }

  /** Its instances, each as of the last report of its scope or of everything that could be read. */
  #shownOf(service: string): readonly ShownInstance[] {
    const everything = this.#scopes.get('*')?.asOf ?? NEVER;
    const shown: ShownInstance[] = [];
    for (const view of this.#scopes.values()) {
      const seen = view.services.get(service);
      const readUntil = seen?.corrupt ? seen.readUntil : Math.max(view.asOf, everything);
      for (const i of seen?.instances.values() ?? [])
        if (i.isRecorded) shown.push({ ...i, lastSeen: Math.max(i.asOf, readUntil) });
    }
    return shown;
  }

  #takeIn(report: OriginalReport, row: ScopeRow, services: ReadonlyMap<string, number>): string | null {
    const body = bodyOf(report);
    const { kind, epoch, seq } = report;
    const scope = this.coverage === null ? report.scope : '*';
    const view = this.#scope(scope);
    const wrong = this.#misplaced(view, report, body.base);
    const continued = view.seqEpoch === epoch;
    view.seqEpoch = epoch;
    view.seq = seq;
    // A clock that was set back: the receipt before it stands, and what was received then is no younger than it says.
    const heldUp = view.lastReceivedAt === row.receivedAt;
    view.lastReceivedAt = row.receivedAt;
    if (!continued) view.base = null;
    if (body.unavailable != null) return wrong;
    const items = readItems(body, kind, this.target);
    const { asOf: ofReceipt, bounded } = oracleAsOf(body, row.receivedAt);
    const asOf = heldUp ? Math.min(ofReceipt, row.asOf) : ofReceipt;
    const at: ReportInstant = { asOf, seenAt: report.seenAt, receivedAt: row.receivedAt, services };
    for (const { service, uid } of items.corruptAll ? [] : items.instances)
      if (!items.corrupt.has(service)) this.#left.get(service)?.delete(uid);
    const complete = kind !== 'full' || (body.complete === true && !items.corruptAll);
    const readUntil = view.asOf;
    if (complete) {
      view.asOf = view.epoch === epoch ? Math.max(view.asOf, asOf) : asOf;
      at.asOf = view.asOf;
      view.seenAt = report.seenAt;
      view.bounded = bounded;
      view.watchAgeMs = Number(body.watchAgeMs ?? 0);
      view.epoch = epoch;
      view.spokeAt = row.receivedAt;
    }
    if (kind === 'full' && complete) {
      view.snapshotOf = new Set(services.keys());
      this.replaced = false;
      this.untold = false;
      if (scope === '*') for (const name of this.#scopes.keys()) if (name !== '*') this.#scopes.delete(name);
    }
    if (items.corruptAll || items.corrupt.size > 0) view.base = null;
    else if (kind === 'change' || (kind === 'full' && complete)) view.base = seq;
    if (kind === 'full' && complete) replaceAll(view, items, at);
    else update(view, items, at);
    for (const seen of view.services.values()) noteDoubts(seen, at);
    if (complete) noteAbsence(view);
    // A report from before a service was requested proves nothing of it: the next one that counts is a full one.
    for (const service of services.keys()) {
      if (!items.corruptAll && !items.corrupt.has(service)) continue;
      const seen = seenOf(view, service);
      if (!seen.corrupt) seen.readUntil = readUntil;
      seen.corrupt = true;
      seen.changed = true;
    }
    return wrong;
  }

  /** By epoch, sequence number and base: what may be applied at all. */
  #misplaced(view: ScopeView, { kind, epoch, seq }: OriginalReport, base: unknown): string | null {
    const continued = view.seqEpoch === epoch;
    if (continued && Number(seq) <= Number(view.seq)) return `seq ${seq} is not above ${view.seq}`;
    if (kind === 'full') return null;
    if (this.untold) return null;
    if (!continued) return `a ${kind} opened epoch ${epoch}`;
    if (view.base === null || base !== view.base)
      return `its base ${String(base)} is not ${view.base ?? 'there'}, the last full or change report that was applied`;
    return null;
  }

  #scope(scope: string): ScopeView {
    let view = this.#scopes.get(scope);
    if (view === undefined) {
      view = {
        epoch: '0',
        seqEpoch: '',
        seq: '0',
        base: null,
        asOf: NEVER,
        highest: NEVER,
        seenAt: NEVER,
        bounded: true,
        watchAgeMs: 0,
        lastReceivedAt: NEVER,
        spokeAt: NEVER,
        snapshotOf: new Set(),
        services: new Map(),
      };
      this.#scopes.set(scope, view);
    }
    return view;
  }

  /** Reported by parts, of which nobody has ever said how many there are. */
  get isPartitioned(): boolean {
    return this.#scopes.size > 0 && !this.#scopes.has('*');
  }

  /** `asOf` of the newest complete observation of everything. */
  get asOf(): number {
    return this.#scopes.get('*')?.asOf ?? NEVER;
  }

  /** Receipt of the newest report of any scope. */
  get lastReceivedAt(): number {
    return Math.max(NEVER, ...[...this.#scopes.values()].map((view) => view.lastReceivedAt));
  }

  /** True if the reports show something else of a service than when this was last called. */
  hasChanged(service: string): boolean {
    let changed = false;
    for (const view of this.#scopes.values()) {
      const seen = view.services.get(service);
      if (seen === undefined || !seen.changed) continue;
      seen.changed = false;
      changed = true;
    }
    return changed;
  }

  /** Keeps the sight of each service until the next report or another place changes it. */
  readonly #sights = new Map<string, Sight | null>();

  /** Null: no accepted report covers the service. */
  sight(service: string): Sight | null {
    const known = this.#sights.get(service);
    if (known !== undefined) return known;
    const sight = this.#sightNow(service);
    this.#sights.set(service, sight);
    return sight;
  }

  #sightNow(service: string): Sight | null {
    let found: Sight | null = null;
    for (const view of this.#scopes.values()) {
      const seen = view.services.get(service);
      if (seen === undefined && view.asOf === NEVER) continue;
      const whole = sightOf(view, seen);
      const sight = view.snapshotOf.has(service) ? whole : { ...whole, absentAsOf: NEVER };
      found = found === null ? sight : merged(found, sight);
    }
    return found === null ? null : { ...found, exits: this.#exits.of(service) };
  }
}

interface ReportInstant {
  asOf: number;
  readonly seenAt: number;
  readonly receivedAt: number;
  readonly services: ReadonlyMap<string, number>;
}

/** Freshness counts from the earlier of receipt less `watchAgeMs`, and `heard + heardAgoMs` (docs/protocol.md 5). */
export function oracleAsOf(
  body: Readonly<Record<string, unknown>>,
  receipt: number,
): { asOf: number; bounded: boolean } {
  const watched = receipt - Number(body.watchAgeMs ?? 0);
  const { heard } = body as { heard?: unknown };
  if (typeof heard !== 'string') return { asOf: Math.max(0, watched), bounded: false };
  const told = Date.parse(heard) + Number(body.heardAgoMs ?? 0);
  return { asOf: Math.max(0, Math.min(watched, told)), bounded: true };
}

function seenOf(view: ScopeView, service: string): OracleService {
  let seen = view.services.get(service);
  if (seen === undefined) {
    seen = {
      instances: new Map(),
      doubts: new Map(),
      entry: null,
      entries: [],
      isEntryTold: false,
      entryAsOf: NEVER,
      entrySeenAt: NEVER,
      corrupt: false,
      readUntil: NEVER,
      changed: false,
      asOf: NEVER,
      seenAt: NEVER,
      spokeAt: NEVER,
      absentAsOf: NEVER,
    };
    view.services.set(service, seen);
  }
  return seen;
}

/** A complete report is all there is: what it does not name is gone, or shown to have nothing there. */
function replaceAll(view: ScopeView, items: ReportItems, at: ReportInstant): void {
  const named = new Set(at.services.keys());
  for (const { service } of items.instances) named.add(service);
  for (const { service } of items.entries) named.add(service);
  for (const service of named) seenOf(view, service);
  for (const [service, seen] of view.services) {
    if (items.corrupt.has(service)) continue;
    if (seen.corrupt) seen.changed = true;
    seen.corrupt = false;
    const uids = new Set<string>();
    for (const i of items.instances) if (i.service === service) uids.add(i.uid);
    for (const uid of seen.instances.keys()) if (!uids.has(uid)) hide(seen, uid);
    for (const i of items.instances) if (i.service === service) show(seen, i, at);
    showEntry(seen, items.entries.find((e) => e.service === service) ?? null, at);
    speak(seen, at);
  }
}

/** A change or an incomplete report adds to and updates what was there; only a change removes. What moves is of one service. */
function update(view: ScopeView, items: ReportItems, at: ReportInstant): void {
  for (const { uid, service } of items.instances)
    for (const [other, seen] of view.services)
      if (other !== service && !items.corruptAll && !items.corrupt.has(other)) hide(seen, uid);
  for (const instance of items.instances) {
    if (items.corruptAll || items.corrupt.has(instance.service)) continue;
    const seen = seenOf(view, instance.service);
    show(seen, instance, at);
    speak(seen, at);
  }
  for (const entry of items.entries) {
    if (items.corruptAll || items.corrupt.has(entry.service)) continue;
    const seen = seenOf(view, entry.service);
    showEntry(seen, entry, at);
    speak(seen, at);
  }
  if (items.removedInstances.length === 0 && items.removedEntries.length === 0) return;
  for (const [service, seen] of view.services) {
    if (items.corrupt.has(service)) continue;
    for (const uid of items.removedInstances) hide(seen, uid);
    if (items.removedEntries.includes(service)) showEntry(seen, null, at);
  }
}

function hide(seen: OracleService, uid: string): void {
  if (seen.instances.delete(uid)) seen.changed = true;
}

function speak(seen: OracleService, at: ReportInstant): void {
  seen.asOf = at.asOf;
  seen.seenAt = at.seenAt;
  seen.spokeAt = at.receivedAt;
}

function noteDoubts({ instances, doubts }: OracleService, { asOf }: ReportInstant): void {
  const lasting = new Set<string>();
  for (const i of instances.values()) {
    if (!i.isRecorded || !isDoubtful(i)) continue;
    const { revision, attempt, template } = i;
    const stamp = `${revision}/${attempt}/${template}`;
    lasting.add(stamp);
    doubts.set(stamp, { revision, attempt, template, until: Number.POSITIVE_INFINITY });
  }
  for (const [stamp, doubt] of doubts) if (!lasting.has(stamp)) doubt.until = Math.min(doubt.until, asOf);
}

function noteAbsence(view: ScopeView): void {
  view.highest = Math.max(view.highest, view.asOf);
  for (const seen of view.services.values())
    seen.absentAsOf = seen.instances.size > 0 ? NEVER : Math.max(seen.absentAsOf, view.asOf);
}

function show(seen: OracleService, instance: ReportedInstance, at: ReportInstant): void {
  const { asOf, seenAt, receivedAt, services } = at;
  const before = seen.instances.get(instance.uid);
  const isSteady = before?.isRecorded === true && !before.isTainted && isSame(before, instance);
  const since = isSteady ? before.since : asOf;
  const firstReceivedAt = isSteady ? before.firstReceivedAt : receivedAt;
  if (!isSteady || before.reason !== instance.reason) seen.changed = true;
  const isRecorded = services.has(instance.service);
  const isTainted = !isSteady && seen.corrupt;
  seen.instances.set(instance.uid, {
    ...instance,
    since,
    asOf,
    seenAt,
    isRecorded: isRecorded,
    firstReceivedAt: firstReceivedAt,
    isTainted,
  });
}

function showEntry(seen: OracleService, entry: ReportedEntry | null, at: ReportInstant): void {
  const { asOf, seenAt, receivedAt, services } = at;
  const { entry: before } = seen;
  const known = seen.isEntryTold || before === null ? seen.entries : [];
  if (known.length === 0 || !isSameEntry(before, entry)) {
    seen.entries = [...known, { entry, since: asOf, firstReceivedAt: receivedAt }];
    if (entry !== before) seen.changed = true;
  }
  if (before?.generation !== entry?.generation) seen.changed = true;
  seen.entry = entry;
  seen.isEntryTold = entry !== null && services.has(entry.service);
  seen.entryAsOf = asOf;
  seen.entrySeenAt = seenAt;
}

function isSameEntry(a: ReportedEntry | null, b: ReportedEntry | null): boolean {
  return (
    a?.answers === b?.answers &&
    a?.revision === b?.revision &&
    a?.attempt === b?.attempt &&
    a?.generationBehind === b?.generationBehind &&
    a?.template === b?.template &&
    a?.replicas === b?.replicas
  );
}

/** The same instance in the same condition, without a restart between, nor a reason that tells of one (F74). */
function isSame(a: ReportedInstance, b: ReportedInstance): boolean {
  return (
    a.phase === b.phase &&
    a.reason === b.reason &&
    a.ready === b.ready &&
    a.restarts === b.restarts &&
    a.revision === b.revision &&
    a.attempt === b.attempt &&
    a.artifact === b.artifact &&
    a.template === b.template
  );
}

/** One heartbeat keeps everything on its base fresh: the scope's instant counts where it is the newer one. */
function sightOf(view: ScopeView, seen: OracleService | undefined): Sight {
  const { asOf, seenAt, bounded, watchAgeMs } = view;
  const lastReceivedAt = Math.max(view.spokeAt, seen?.spokeAt ?? NEVER);
  if (seen === undefined) {
    const nothing = {
      exits: [],
      instances: [],
      doubts: [],
      entry: null,
      entries: [],
      corrupt: false,
      absentAsOf: view.highest,
    };
    return {
      ...nothing,
      entryAsOf: asOf,
      entrySeenAt: seenAt,
      asOf,
      seenAt,
      bounded,
      watchAgeMs,
      lastReceivedAt: lastReceivedAt,
    };
  }
  const chained = asOf >= seen.asOf;
  const instances: OracleInstance[] = [];
  for (const i of seen.instances.values())
    if (i.isRecorded) instances.push(asOf >= i.asOf ? { ...i, asOf, seenAt } : i);
  return {
    exits: [],
    instances,
    doubts: [...seen.doubts.values()],
    entry: seen.isEntryTold ? seen.entry : null,
    entries: seen.entries,
    entryAsOf: Math.max(asOf, seen.entryAsOf),
    entrySeenAt: asOf >= seen.entryAsOf ? seenAt : seen.entrySeenAt,
    corrupt: seen.corrupt,
    asOf: chained ? asOf : seen.asOf,
    seenAt: chained ? seenAt : seen.seenAt,
    bounded,
    watchAgeMs,
    lastReceivedAt: lastReceivedAt,
    absentAsOf: seen.instances.size > 0 ? NEVER : seen.absentAsOf,
  };
}

/** The newest word about each instance, the newest entry. */
function merged(a: Sight, b: Sight): Sight {
  const [newer, older] = a.asOf >= b.asOf ? [a, b] : [b, a];
  const known = new Set(newer.instances.map((i) => i.uid));
  const entry = newer.entry !== null ? newer : older;
  return {
    exits: [],
    instances: [...newer.instances, ...older.instances.filter((i) => !known.has(i.uid))],
    doubts: [...a.doubts, ...b.doubts],
    entry: entry.entry,
    entries: entry.entries,
    entryAsOf: entry.entryAsOf,
    entrySeenAt: entry.entrySeenAt,
    corrupt: a.corrupt || b.corrupt,
    asOf: newer.asOf,
    seenAt: newer.seenAt,
    bounded: a.bounded && b.bounded,
    watchAgeMs: Math.max(a.watchAgeMs, b.watchAgeMs),
    absentAsOf: Math.min(a.absentAsOf, b.absentAsOf),
    lastReceivedAt: Math.min(a.lastReceivedAt, b.lastReceivedAt),
  };
}
