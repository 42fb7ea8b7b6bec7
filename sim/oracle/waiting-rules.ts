import type { Claim } from '../../src/contract/claim.ts';
import { leaseId } from '../../src/contract/command-id.ts';
import type { CommandKind } from '../../src/contract/vocabulary.ts';
import type { Settings } from '../../src/projection/facts.ts';
import type { MemoryStore } from '../../src/store/memory.ts';
import type { AgentRow, CommandRow, LeaseRow, LeaseRowEnd } from '../../src/store/schema.ts';
import type { Happening } from '../oracle-port.ts';
import { attemptKey, type Books, type ServiceBook } from './books.ts';
import type { Findings } from './findings.ts';

type WorkRequest = Extract<Happening, { kind: 'work_requested' }>;

const BY_HOLDER: ReadonlySet<LeaseRowEnd> = new Set(['completed', 'failed', 'released', 'cancelled']);

/** Checks why a claim says that it waits: by who really was online and free, and what was offered or requeued. */
export class WaitingRules {
  readonly #books: Books;
  readonly #findings: Findings;
  readonly #tables: MemoryStore['tables'];
  readonly #freshForMs: number;
  readonly #leaseTtlMs: number;
  readonly #requests = new Map<string, WorkRequest>();
  /** Contacts of instances other than requests for work: until when each is online by them for certain, and at most. */
  readonly #called = new Map<string, { readonly certainUntil: number; readonly possibleUntil: number }>();

  constructor(
    books: Books,
    findings: Findings,
    tables: MemoryStore['tables'],
    settings: Pick<Settings, 'freshForMs' | 'leaseTtlMs'>,
  ) {
    this.#books = books;
    this.#findings = findings;
    this.#tables = tables;
    this.#freshForMs = settings.freshForMs;
    this.#leaseTtlMs = settings.leaseTtlMs;
  }

  requested(request: WorkRequest): void {
    this.#requests.set(`${request.org}|${request.worker}|${request.instance}`, request);
  }

  /**
   * Acknowledging, renewing or ending a lease is a contact. It counts for certain two thirds of the freshness window, and
   * possibly all of it: the code under test need not store each contact of a holder, and may lag by up to a third.
   */
  leased({ org, instance, acknowledgedAt, until, endedAt, end }: LeaseRow): void {
    if (acknowledgedAt === null) return;
    const at = end !== null && BY_HOLDER.has(end) ? (endedAt ?? 0) : until - this.#leaseTtlMs;
    this.#call(org, instance, at + this.#freshForMs - this.#freshForMs / 3, at + this.#freshForMs);
  }

  /** A report was accepted, and came from who speaks for the target. */
  reported({ org, instance }: Pick<AgentRow, 'org' | 'instance'>, at: number): void {
    this.#call(org, instance, at + this.#freshForMs, at + this.#freshForMs);
  }

  /** A registration may count as a contact, or not: both are allowed. */
  registered({ org, instance, seenAt }: AgentRow): void {
    this.#call(org, instance, 0, seenAt + this.#freshForMs);
  }

  #call(org: string, instance: string, certainUntil: number, possibleUntil: number): void {
    const before = this.#called.get(`${org}|${instance}`);
    this.#called.set(`${org}|${instance}`, {
      certainUntil: Math.max(certainUntil, before?.certainUntil ?? 0),
      possibleUntil: Math.max(possibleUntil, before?.possibleUntil ?? 0),
    });
  }

  claim(book: ServiceBook, claim: Claim, now: number): void {
    const command = commandOf(book, claim);
    const code = claim.cause?.code;
    if (command === null) return;
    const wrong = (why: string) =>
      this.#findings.broken(
        'waiting',
        `the claim of ${book.name}, ${claim.state} (${code}) at ${now}, but ${why}`,
      );
    if (claim.cause?.params.kind !== command.kind) wrong(`${command.id} is what it waits for`);
    const newest = this.#tables.leases.get(`${book.org}|${leaseId(command.id, command.fence)}`);
    const open = newest !== undefined && newest.endedAt === null && now < newest.until;
    const requeuedAt = book.requeued.get(command.id);
    const since = requeuedAt === undefined || newest === undefined ? 0 : newest.grantedAt - requeuedAt;
    const { certain, possible } = this.#online(book, command, now);
    const isFree = (request: WorkRequest) => !this.#holds(request, now);
    switch (code) {
      case 'offered':
        this.#findings.count('waiting.offered');
        if (!open && !possible.some(isFree)) wrong('nobody who is free was there to be offered it');
        return;
      case 'requeued':
        this.#findings.count('waiting.requeued');
        if (requeuedAt === undefined || since > 0) wrong('it was not given back since it was last offered');
        return;
      case 'all_busy':
        this.#findings.count('waiting.all_busy');
        if (possible.length === 0 && !this.#someoneHolds(book, command, now)) wrong('nobody is there');
        else if (certain.some(isFree)) wrong(`${certain.find(isFree)?.instance} is there and free`);
        break;
      case 'no_worker_online':
        this.#findings.count('waiting.no_worker_online');
        if (certain.length > 0)
          wrong(
            `${certain[0]?.instance} asked for work at ${certain[0]?.calledAt} or called since, fresh for ${this.#freshForMs}`,
          );
        break;
      default:
        wrong('that is no reason to wait');
    }
    if (open) wrong(`${newest.id} is offered until ${newest.until}`);
    if (requeuedAt !== undefined && since <= 0)
      wrong(`it was given back at ${requeuedAt} and not offered since`);
  }

  /**
   * Online: it has asked for such work, its binding covers the command, and it called within the freshness window. A
   * call counts from some instant between its arrival and its commit: `certain` by the one, `possible` by the other.
   */
  #online(book: ServiceBook, { kind }: CommandRow, now: number) {
    const certain: WorkRequest[] = [];
    const possible: WorkRequest[] = [];
    for (const a of this.#requests.values()) {
      if (a.org !== book.org || !a.kinds.includes(kind)) continue;
      if (a.target !== '*' && a.target !== book.view.target) continue;
      const { certainUntil = 0, possibleUntil = 0 } = this.#called.get(`${a.org}|${a.instance}`) ?? {};
      if (now < Math.max(a.at + this.#freshForMs, possibleUntil)) possible.push(a);
      const fenced =
        kind !== 'build' && this.#tables.agents.get(`${a.org}|${book.view.target}`)?.instance !== a.instance;
      if (!fenced && now < Math.max(a.calledAt + this.#freshForMs, certainUntil)) certain.push(a);
    }
    return { certain, possible };
  }

  /** The holder of a lease that has not reached its end is online, and busy. */
  #holds({ org, instance }: WorkRequest, now: number): boolean {
    for (const book of this.#books.services.values()) {
      if (book.org !== org) continue;
      for (const lease of book.openLeases.values())
        if (lease.instance === instance && now < lease.until) return true;
    }
    return false;
  }

  /** True if somebody who could take the command holds another, however long ago they requested work. */
  #someoneHolds(book: ServiceBook, { kind }: CommandRow, now: number): boolean {
    for (const a of this.#requests.values()) {
      if (a.org !== book.org || !a.kinds.includes(kind)) continue;
      if (a.target !== '*' && a.target !== book.view.target) continue;
      if (this.#holds(a, now)) return true;
    }
    return false;
  }
}

/** The work that the attempt waits for: of its open commands the last in the order of the stages. */
function commandOf(book: ServiceBook, { desired }: Claim): CommandRow | null {
  const order: readonly CommandKind[] = ['build', 'apply'];
  let found: CommandRow | null = null;
  for (const command of book.commands.values()) {
    if (attemptKey(command.revision, command.attempt) !== attemptKey(desired.revision, desired.attempt))
      continue;
    if (found === null || order.indexOf(command.kind) > order.indexOf(found.kind)) found = command;
  }
  return found;
}
