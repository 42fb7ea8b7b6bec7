import type { Claim } from '../../contract/claim.ts';
import { leaseId } from '../../contract/command-id.ts';
import type { CommandKind } from '../../contract/vocabulary.ts';
import type { MemoryStore } from '../../store/memory.ts';
import type { CommandRow } from '../../store/schema.ts';
import type { Happening } from '../oracle-port.ts';
import { type Books, type ServiceBook, stampOf } from './books.ts';
import type { Findings } from './findings.ts';

type Asked = Extract<Happening, { kind: 'asked' }>;

/** Who waits is told why: by whom was really online, who of them was free, and what was offered or given back. */
export class WaitingRules {
  readonly #books: Books;
  readonly #findings: Findings;
  readonly #tables: MemoryStore['tables'];
  readonly #freshForMs: number;
  readonly #asked = new Map<string, Asked>();

  constructor(books: Books, findings: Findings, tables: MemoryStore['tables'], freshForMs: number) {
    this.#books = books;
    this.#findings = findings;
    this.#tables = tables;
    this.#freshForMs = freshForMs;
  }

  asked(given: Asked): void {
    this.#asked.set(`${given.org}|${given.worker}|${given.instance}`, given);
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
    const isFree = (a: Asked) => !this.#holds(a, now);
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
            `${certain[0]?.instance} asked for work at ${certain[0]?.calledAt}, fresh for ${this.#freshForMs}`,
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
   * Online: its kinds and binding cover the command, and it called within the freshness window. A call counts from
   * some instant between its arrival and its commit: `certain` by the one, `possible` by the other.
   */
  #online(book: ServiceBook, { kind }: CommandRow, now: number) {
    const certain: Asked[] = [];
    const possible: Asked[] = [];
    for (const a of this.#asked.values()) {
      if (a.org !== book.org || !a.kinds.includes(kind)) continue;
      if (a.target !== '*' && a.target !== book.view.target) continue;
      if (now < a.at + this.#freshForMs) possible.push(a);
      const fenced =
        kind !== 'build' && this.#tables.agents.get(`${a.org}|${book.view.target}`)?.instance !== a.instance;
      if (!fenced && now < a.calledAt + this.#freshForMs) certain.push(a);
    }
    return { certain, possible };
  }

  /** Whoever holds a lease that has not reached its end is there, and busy. */
  #holds({ org, instance }: Asked, now: number): boolean {
    for (const book of this.#books.services.values()) {
      if (book.org !== org) continue;
      for (const lease of book.openLeases.values())
        if (lease.instance === instance && now < lease.until) return true;
    }
    return false;
  }

  /** Whether somebody who could take the command holds another, however long ago they asked. */
  #someoneHolds(book: ServiceBook, { kind }: CommandRow, now: number): boolean {
    for (const a of this.#asked.values()) {
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
    if (stampOf(command.revision, command.attempt) !== stampOf(desired.revision, desired.attempt)) continue;
    if (found === null || order.indexOf(command.kind) > order.indexOf(found.kind)) found = command;
  }
  return found;
}
