import { AnswerRules } from './oracle/answer-rules.ts';
import { attemptKey, Books, digitsAsNumber, type ServiceBook, workloadNamespace } from './oracle/books.ts';
import { ClaimRules } from './oracle/claim-rules.ts';
import { notePause, noteProgress } from './oracle/contract.ts';
import type { Counts } from './oracle/counters.ts';
import { Findings } from './oracle/findings.ts';
import { IntentRules } from './oracle/intent-rules.ts';
import { Journal, type Write } from './oracle/journal.ts';
import { LeaseRules } from './oracle/lease-rules.ts';
import { LedgerRules } from './oracle/ledger-rules.ts';
import { LivenessRules } from './oracle/liveness-rules.ts';
import { ObservationRules } from './oracle/observation-rules.ts';
import { RegistrationRules } from './oracle/registration-rules.ts';
import { RepairRules } from './oracle/repair-rules.ts';
import { ReplayRules } from './oracle/replay-rules.ts';
import { StreamRules } from './oracle/stream-rules.ts';
import { TransitionRules } from './oracle/transition-rules.ts';
import type { Happening, Oracle, OracleInputs, OriginalReport, Violation } from './oracle-port.ts';

/** Runs expensive checks, and those that rarely change anything, every n-th time: by a counter, never by chance. */
const SAMPLE = { calm: 16, rebuild: 16, replay: 16, holds: 8, remember: 24, effects: 64 } as const;
/** A reader that polls must have caught up with what was there so long ago (L4). */
const READERS_MS = 60_000;
/** A sleeper may wake in the middle of a beat: only a gap that is long beyond doubt is held against anybody. */
const BLIND_GAPS = 3;

/**
 * The judge of a schedule. It knows the status model's contract, what became durable, what was reported and what is
 * true, and shares no rule with the code under test: that it asks only where the code itself is the subject
 * (S9, S14, time travel).
 */
export function createOracle(surroundings: OracleInputs): Oracle {
  return new ScheduleOracle(surroundings);
}

class ScheduleOracle implements Oracle {
  readonly #around: OracleInputs;
  readonly #findings = new Findings();
  readonly #books = new Books();
  readonly #journal: Journal;
  readonly #ledger: LedgerRules;
  readonly #transitions: TransitionRules;
  readonly #intents: IntentRules;
  readonly #answers: AnswerRules;
  readonly #claims: ClaimRules;
  readonly #replays: ReplayRules;
  readonly #streams: StreamRules;
  readonly #liveness: LivenessRules;
  readonly #leases: LeaseRules;
  readonly #repairs: RepairRules;
  readonly #registrations: RegistrationRules;
  readonly #observations: ObservationRules;
  readonly #happenings: Happening[] = [];
  /** State of the commit that is being read. */
  readonly #positioned: Extract<Write, { table: 'ledger' | 'transitions' | 'alarms' }>[] = [];
  readonly #stored: Extract<Write, { table: 'services' }>[] = [];
  readonly #accepted = new Set<string>();
  /** The next instant at which time alone changes some claim. */
  #nextChange = Number.POSITIVE_INFINITY;
  #isDue = false;
  #offset: number;
  /** The latest that the store's clock ever was: who read it then may commit after it was set back. */
  #latest = 0;
  /** The sum of all steps back of the store's clock. */
  #setBackMs = 0;
  #lastBeat = 0;
  #checks = 0;
  #readings = 0;
  #calm = 0;

  constructor(surroundings: OracleInputs) {
    this.#around = surroundings;
    const { tables } = surroundings.store;
    this.#journal = new Journal(tables);
    this.#ledger = new LedgerRules(this.#books, this.#findings, tables);
    this.#transitions = new TransitionRules(this.#books, this.#findings, this.#ledger);
    this.#intents = new IntentRules(this.#books, this.#findings, tables);
    this.#answers = new AnswerRules(this.#findings, tables);
    this.#observations = new ObservationRules(this.#findings, surroundings);
    this.#claims = new ClaimRules(this.#books, this.#findings, surroundings, this.#observations);
    this.#replays = new ReplayRules(this.#findings, surroundings);
    this.#streams = new StreamRules(this.#books, this.#findings);
    this.#liveness = new LivenessRules(this.#books, this.#findings, surroundings);
    this.#leases = new LeaseRules(this.#books, this.#findings, tables, surroundings.settings.leaseTtlMs);
    this.#repairs = new RepairRules(this.#books, this.#findings);
    this.#registrations = new RegistrationRules(this.#findings);
    this.#offset = surroundings.storeNow() - surroundings.trueNow();
  }

  get counts(): Counts {
    return this.#findings.counts;
  }

  /** A report is taken in at the very commit that accepted it; everything else when its step is over. */
  happened(happening: Happening): void {
    if (happening.kind !== 'reported') this.#happenings.push(happening);
    else if (happening.ok && !happening.resync) this.#reported(happening.report);
  }

  check(): Violation | null | Promise<Violation | null> {
    this.#checks++;
    this.#watchClock();
    if (!this.#journal.isEmpty) this.#read();
    if (this.#happenings.length > 0) this.#judgeHappenings();
    if (this.#checks % SAMPLE.effects === 0) this.#effects();
    const isDue = this.#isDue || this.#around.storeNow() >= this.#nextChange;
    return this.#findings.first === null && isDue ? this.#claimsDue() : this.#findings.first;
  }

  async finish(): Promise<Violation | null> {
    const violation = await this.check();
    if (violation !== null) return violation;
    this.#effects();
    for (const book of this.#books.services.values()) {
      if (book.row === null) continue;
      const now = this.#now(book);
      const claim = await this.#claim(book, now);
      if (claim === null) continue;
      this.#replays.rebuild(book);
      this.#replays.shuffle(book, book.admitted.length);
      await this.#replays.replay(book, claim, now);
      this.#liveness.service(book, claim, now);
      this.#observations.finished(book, claim, now);
    }
    this.#streams.finish(this.#around.trueNow() - READERS_MS);
    if (this.#setBackMs === 0) await this.#replays.revisit();
    return this.#findings.first;
  }

  /** The store's clock may be set back: a state that time alone had brought may then be shown differently. */
  #watchClock(): void {
    const now = this.#around.storeNow();
    this.#latest = Math.max(this.#latest, now);
    const offset = now - this.#around.trueNow();
    if (offset === this.#offset) return;
    if (offset < this.#offset) this.#setBackMs += this.#offset - offset;
    this.#offset = offset;
    this.#allDue(null);
  }

  #now(book: ServiceBook): number {
    return Math.max(this.#around.storeNow(), this.#books.org(book.org).head?.at ?? 0);
  }

  /** Only a report that the scope's row now names was accepted: the first of its number counts. */
  #reported(report: OriginalReport): void {
    const { org, target, scope, epoch, seq } = report;
    const { tables } = this.#around.store;
    const row = tables.scopes.get(`${org}|${target}|${scope}`);
    const key = `${org}|${target}|${scope}|${epoch}|${seq}`;
    if (row === undefined || row.seqEpoch !== epoch || row.seq !== seq || this.#accepted.has(key)) return;
    this.#accepted.add(key);
    this.#findings.count(`reported.${report.kind}`);
    const view = this.#books.target(org, target, namespaceOfScope(scope));
    const agent = tables.agents.get(`${org}|${target}`);
    if (agent?.epoch !== epoch)
      this.#findings.broken(
        'S2',
        `a report of epoch ${epoch} was accepted, but ${agent?.epoch} speaks for ${target}`,
      );
    if (agent !== undefined) this.#claims.waiting.reported(agent, row.receivedAt);
    const services = new Map<string, number>();
    for (const s of tables.services.values())
      if (s.org === org && s.target === target && this.#books.service(org, s.service).view === view)
        services.set(s.service, s.createdAt);
    const freshForMs = this.#around.settings.freshForMs;
    const wasFresh = this.#around.storeNow() < view.asOf + freshForMs;
    const asked = {
      freshForMs,
      stabilityMs: (service: string) => activeRow(this.#books.service(org, service))?.stabilityMs ?? null,
      appliedAt: (service: string, revision: number, attempt: number) => {
        const { active, applied } = this.#books.service(org, service);
        const isActive = active.revision === revision && active.attempt === attempt;
        return isActive ? (applied.get(attemptKey(revision, attempt))?.at ?? null) : null;
      },
    };
    const wrong = view.accept(report, row, services, asked, this.#observations.ruleOf(org, target));
    if (wrong !== null)
      this.#findings.broken('S2', `report ${epoch}/${seq} of ${target} was accepted, although ${wrong}`);
    for (const book of this.#books.services.values()) {
      if (book.view !== view) continue;
      // An instance older than its service is new to the platform with the first report that names everything.
      const first = report.kind === 'full' && !book.covered;
      if (report.kind === 'full') book.covered = true;
      const changed = view.hasChanged(book.service) || first;
      if (changed) {
        book.movedAt = row.receivedAt;
        noteProgress(book, row.receivedAt);
      }
      notePause(book, row.receivedAt);
      if (!wasFresh || changed) this.#due(book);
      else this.#perhaps(book);
    }
  }

  #due(book: ServiceBook): void {
    book.due = true;
    this.#isDue = true;
  }

  /** Events that hardly ever change a claim: after every n-th the claim is read all the same. */
  #perhaps(book: ServiceBook): void {
    if (++this.#calm % SAMPLE.calm === 0) this.#due(book);
  }

  #allDue(org: string | null, target: string | null = null): void {
    for (const book of this.#books.services.values())
      if ((org === null || book.org === org) && (target === null || book.view.target === target))
        this.#due(book);
  }

  /** Reads the rows that became durable since the last step. */
  #read(): void {
    for (const write of this.#journal.drain()) this.#write(write);
    this.#flush();
    for (const write of this.#stored) this.#service(write);
    for (const { row } of this.#stored) this.#cached(this.#books.service(row.org, row.service));
    this.#stored.length = 0;
    for (const org of this.#books.orgs.values()) {
      if (org.head !== null && digitsAsNumber(org.head.position) !== org.position)
        this.#findings.broken(
          'S10',
          `the head of ${org.org} is ${org.head.position}, its last row ${org.position}`,
        );
    }
    const lost = this.#journal.lost[0];
    if (lost !== undefined) this.#findings.broken('S10', `${lost} disappeared`);
    this.#intents.stepComplete();
    this.#repairs.stepComplete();
  }

  /** One commit's rows of the ledger in the order of their positions, whatever table they went to. */
  #flush(): void {
    const rows = this.#positioned;
    if (rows.length === 0) return;
    if (rows.length > 1) rows.sort((a, b) => digitsAsNumber(a.row.position) - digitsAsNumber(b.row.position));
    const trueNow = this.#around.trueNow();
    for (const write of rows) {
      if (write.table === 'ledger') {
        if (write.row.verdict === 'admitted') this.#repairs.row(write.row);
        this.#ledger.row(write.row, write.before);
      } else if (write.table === 'transitions') {
        this.#repairs.transition(write.row);
        this.#transitions.row(write.row, write.before, trueNow);
      } else this.#transitions.alarm(write.row, write.before);
    }
    rows.length = 0;
    for (const org of this.#books.orgs.values()) this.#ledger.committed(org);
  }

  #write(write: Write): void {
    switch (write.table) {
      case 'ledger':
      case 'transitions':
      case 'alarms':
        this.#positioned.push(write);
        return;
      case 'heads':
        // Written last in its commit, except for the first one of an org.
        this.#flush();
        if (write.before !== undefined && write.row.at < write.before.at)
          this.#findings.broken('S10', `the head of ${write.row.org} went back to ${write.row.at}`);
        this.#books.org(write.row.org).head = write.row;
        return;
      case 'revisions':
        this.#intents.revision(write.row, write.before);
        return;
      case 'attempts':
        this.#intents.attempt(write.row, write.before);
        this.#repairs.superseded(write.row, write.before);
        return;
      case 'commands':
        this.#intents.command(write.row, write.before, write.key);
        this.#perhaps(this.#books.service(write.row.org, write.row.service));
        return;
      case 'leases':
        this.#intents.lease(write.row, write.before);
        this.#leases.written(write.row, write.before, this.#latest);
        this.#claims.waiting.leased(write.row);
        this.#perhaps(this.#books.service(write.row.org, write.row.service));
        return;
      case 'keys':
        this.#intents.key(write.row, write.before);
        return;
      case 'services':
        this.#stored.push(write);
        return;
      case 'agents':
        this.#registrations.agent(write.row, write.before);
        this.#claims.waiting.registered(write.row);
        if (write.before !== undefined && write.before.identity !== write.row.identity)
          this.#books
            .target(write.row.org, write.row.target)
            .replace(write.before.identity, write.row.registeredAt);
        for (const { identity } of write.row.places?.retired ?? [])
          this.#books.target(write.row.org, write.row.target).retire(identity);
        if (write.before?.places?.retired.length !== write.row.places?.retired.length)
          this.#allDue(write.row.org, write.row.target);
        if (write.before?.epoch !== write.row.epoch) {
          this.#allDue(write.row.org, write.row.target);
          this.#leases.registered(write.row.org, write.row.target, write.row.epoch);
        }
        return;
      case 'targets':
        this.#observations.written(write.row, write.before);
        return;
      case 'scopes':
        this.#scope(write);
        return;
      case 'blinds':
        this.#books.org(write.row.org).blinds.push(write.row);
        this.#allDue(write.row.org);
        return;
      case 'beats':
        this.#beat(write.row.at);
        this.#leases.looked(write.row.at);
        for (const book of this.#books.services.values()) if (book.overdue) this.#due(book);
        return;
    }
  }

  /** The first beat after a long time without any comes after a recorded blindness. */
  #beat(at: number): void {
    const last = this.#lastBeat;
    this.#lastBeat = Math.max(last, at);
    if (last === 0 || this.#setBackMs > 0 || at - last <= BLIND_GAPS * this.#around.settings.blindAfterMs)
      return;
    for (const org of this.#books.orgs.values()) {
      if (org.head === null || org.head.at === 0) continue;
      this.#findings.count('blind');
      const isKnown = org.blinds.some((blind) => blind.from < at && blind.to > last);
      if (!isKnown && org.receivedAt <= last)
        this.#findings.broken(
          'blind',
          `nobody beat from ${last} to ${at}, and ${org.org} has no record of it`,
        );
    }
  }

  #service({ row, before }: Extract<Write, { table: 'services' }>): void {
    const book = this.#books.service(row.org, row.service);
    book.row = row;
    if (before === undefined && book.view.coverage !== null) this.#observations.begun(book);
    const namespace = workloadNamespace(row.service);
    const part = namespace === null ? '*' : `ns/${namespace}`;
    const scope = this.#around.store.tables.scopes.get(`${row.org}|${row.target}|${part}`);
    if (this.#setBackMs === 0) this.#repairs.stored(book, row, scope?.receivedAt ?? 0);
    if (before?.proven !== row.proven) book.changes++;
    const isCalm =
      before?.state === row.state &&
      before.outcome === row.outcome &&
      before.active === row.active &&
      before.attempt === row.attempt;
    if (isCalm) this.#perhaps(book);
    else this.#due(book);
  }

  /** The stored row is a cache of the ledger and its transitions, and of nothing else (S9). */
  #cached(book: ServiceBook): void {
    const { row, lastTransition } = book;
    if (row === null) return;
    if (row.state !== lastTransition?.to || row.position !== lastTransition.position)
      this.#findings.broken(
        'S9',
        `the stored state of ${book.name} is ${row.state} at ${row.position}, its last transition ${lastTransition?.to} at ${lastTransition?.position}`,
      );
    if (book.changes - book.rebuiltAt < SAMPLE.rebuild) return;
    book.rebuiltAt = book.changes;
    this.#replays.rebuild(book);
  }

  /** A report that the simulator did not announce cannot be held against any claim. */
  #scope({ row, before }: Extract<Write, { table: 'scopes' }>): void {
    const view = this.#books.target(row.org, row.target, namespaceOfScope(row.scope));
    const reported = before === undefined || before.seq !== row.seq || before.seqEpoch !== row.seqEpoch;
    if (!reported) return;
    this.#repairs.heard(row, this.#around.settings.freshForMs);
    if (row.receivedAt > this.#latest)
      this.#findings.broken(
        'S2',
        `a report of ${row.target} was received at ${row.receivedAt}, which is in the future`,
      );
    const key = `${row.org}|${row.target}|${row.scope}|${row.seqEpoch}|${row.seq}`;
    if (this.#accepted.has(key)) return;
    const issued = this.#around.store.tables.agents.get(`${row.org}|${row.target}`)?.epoch ?? '0';
    if (digitsAsNumber(row.seqEpoch) > digitsAsNumber(issued))
      this.#findings.broken(
        'S2',
        `a report of epoch ${row.seqEpoch} was accepted, but only ${issued} was issued`,
      );
    this.#findings.count('untold report');
    view.untold = true;
  }

  #judgeHappenings(): void {
    for (const happening of this.#happenings) {
      switch (happening.kind) {
        case 'answered':
          this.#answers.answered(happening);
          break;
        case 'judged':
          this.#answers.judged(happening);
          break;
        case 'work_requested':
          this.#claims.waiting.requested(happening);
          break;
        case 'beat':
          this.#leases.beat(happening);
          break;
        case 'streamed':
          this.#streams.streamed(happening);
          break;
        case 'reported':
          break;
      }
    }
    this.#happenings.length = 0;
  }

  /** S4: a fenced effect that counts happens once. To a replaced cluster nothing was ever applied. */
  #effects(): void {
    for (const [effect, times] of this.#around.world.effects()) {
      this.#findings.count('S4.effects');
      if (times > 1 && !this.#wasReplaced(effect))
        this.#findings.broken('S4', `${effect} was applied ${times} times`);
    }
  }

  #wasReplaced(effect: string): boolean {
    for (const agent of this.#around.store.tables.agents.values())
      if (agent.identityChanged && effect.includes(`@${agent.target}.`)) return true;
    return false;
  }

  async #claimsDue(): Promise<Violation | null> {
    if (this.#around.storeNow() >= this.#nextChange) this.#findings.count('time alone');
    this.#isDue = false;
    let next = Number.POSITIVE_INFINITY;
    for (const book of this.#books.services.values()) {
      if (book.row === null) continue;
      const now = this.#now(book);
      if (book.due || now >= book.validUntil) await this.#claim(book, now);
      next = Math.min(next, book.validUntil);
    }
    this.#nextChange = next;
    return this.#findings.first;
  }

  async #claim(book: ServiceBook, now: number) {
    book.due = false;
    const claim = await this.#around.claim(book.org, book.service);
    this.#readings++;
    if (claim === null) {
      this.#findings.broken('S5', `${book.name} is recorded, but nobody knows it`);
      return null;
    }
    this.#findings.count(`state.${claim.state}`);
    const { validUntil } = claim.freshness;
    book.validUntil = validUntil === null ? Number.POSITIVE_INFINITY : Date.parse(validUntil);
    const by = claim.expecting?.by;
    // A service that waits on something unobservable is judged again with every beat: it must be given up in the end.
    const waits = claim.state === 'unknown' && claim.outcome === 'in_progress';
    book.overdue = waits || (by != null && Date.parse(by) <= now);
    if (this.#setBackMs === 0) {
      this.#repairs.noteUnknown(book, claim, now);
      this.#repairs.overstays(book, claim, now, Math.min(now, this.#lastBeat));
    }
    this.#claims.check(book, claim, now, this.#setBackMs, this.#setBackMs === 0);
    if (this.#findings.first !== null) return claim;
    if (this.#readings % SAMPLE.replay === 0) await this.#replays.replay(book, claim, now);
    if (this.#readings % SAMPLE.holds === 0) await this.#replays.holds(book, claim, now);
    if (this.#readings % SAMPLE.remember === 0)
      this.#replays.remember(book, claim, now, this.#books.org(book.org).position);
    return claim;
  }
}

const namespaceOfScope = (scope: string) => (scope.startsWith('ns/') ? scope.slice('ns/'.length) : null);

const activeRow = ({ revisions, active }: ServiceBook) => revisions.get(active.revision);
