import { covers } from '../access/binding.ts';
import type { Caller } from '../access/caller.ts';
import { isHolder } from '../access/lease-holder.ts';
import { takesKind } from '../access/roles.ts';
import { leaseId } from '../contract/command-id.ts';
import { addDigits } from '../contract/digits.ts';
import { problem } from '../contract/problem.ts';
import { ended, tokenOf } from '../evidence/door/bearer.ts';
import { stampOf } from '../evidence/door/held-lease.ts';
import { spanOf } from '../evidence/door/worker-contact.ts';
import { holderIn } from '../evidence/report/current-agent.ts';
import type { Settings } from '../projection/facts.ts';
import { isIntact, readable, type Stored } from '../store/broken-row.ts';
import { lte, oneOf, type Tx, type Update } from '../store/port.ts';
import type { CommandRow, LeaseRow } from '../store/schema.ts';
import type { Acquired, LeaseRequest, Offer } from './offer.ts';

export interface CallerRequest {
  readonly caller: Caller;
  readonly request: LeaseRequest;
}

/** A request in a transaction, with the epoch under which it acquires work, and its answer. */
interface PendingRequest extends CallerRequest {
  readonly epoch: string | null;
  readonly waiting: CommandQueue | null;
  answer: Acquired | null;
}

/** Commands of certain kinds, of one target or of any, the longest waiting first. */
interface CommandQueue {
  readonly where: { readonly kind: ReturnType<typeof oneOf<CommandRow['kind']>>; readonly target?: string };
  commands: readonly CommandRow[];
  /** True if the database may have more of them than were read. */
  more: boolean;
}

const PAGE = 50;

/**
 * Serves requests of one org in one transaction: each gets the answer it would get if they came one after the
 * other. A command is acquired by a conditional write on its state and fence, so that of two requests that
 * read it as free only one gets it (F31, F38).
 */
export async function serveRequests(
  tx: Tx,
  settings: Settings,
  org: string,
  requests: readonly CallerRequest[],
): Promise<Acquired[]> {
  const { now, all, workers, open } = await look(tx, org, requests);
  const unanswered = all.filter(({ answer }) => answer === null);
  let also = await recordContact(tx, settings, org, unanswered, workers, now);
  const tried = new Set<string>();
  for (;;) {
    // A repeated request of the same instance returns the same offer while it is open.
    for (const one of unanswered) one.answer ??= offeredAgain(one, open, now, settings);
    const wanted = await choose(tx, org, unanswered, tried, now);
    if (wanted.length + also.length > 0) await offerCommands(tx, settings, { org, now, open }, wanted, also);
    also = [];
    if (wanted.length === 0) return all.map(({ answer }) => answer ?? { ok: true, offer: null });
  }
}

/**
 * Reads all rows that the requests need, in one round trip; agents are locked, so that none is fenced while
 * it is offered work. A caller that has waited long may have lost its token meanwhile: it is offered nothing.
 */
async function look(tx: Tx, org: string, requests: readonly CallerRequest[]) {
  const agents = requests.flatMap(({ caller, request: { target } }) =>
    caller.role === 'agent' && target !== undefined ? [{ org, target }] : [],
  );
  const lists = new Map<string, CommandQueue>();
  const listOf = requests.map(({ caller, request }) => {
    const kinds = request.kinds.filter((kind) => takesKind(caller.role, kind));
    if (kinds.length === 0) return null;
    const { target } = request;
    const where = { kind: oneOf(...kinds), ...(target === undefined ? {} : { target }) };
    const name = `${kinds.toSorted()} ${target}`;
    const list = lists.get(name) ?? { where, commands: [], more: false };
    lists.set(name, list);
    return list;
  });
  const instances = padded([...new Set(requests.map(({ request }) => request.instance))]);
  const registrationsOf = requests.flatMap(({ caller, request: { target, instance } }) =>
    caller.role === 'agent' && target !== undefined ? [{ org, target, instance }] : [],
  );
  const workersOf = requests.map(({ request: { worker, instance } }) => ({ org, worker, instance }));
  const tokensOf = requests.flatMap(({ caller }) => tokenOf(caller));
  const [locked, workers, now, tokens, registrations, open, ...waiting] = await tx.readAll([
    { table: 'agents', keys: distinct(agents), lock: true },
    { table: 'workers', keys: distinct(workersOf), lock: true },
    'now',
    { table: 'tokens', keys: distinct(tokensOf) },
    { table: 'registrations', keys: distinct(registrationsOf) },
    {
      table: 'leases',
      where: { org, instance: oneOf(...instances), acknowledgedAt: null, endedAt: null },
    },
    ...[...lists.values()].map(
      ({ where }) =>
        ({
          table: 'commands',
          where: { org, state: 'published', ...where },
          options: { order: 'availableAt', limit: PAGE },
        }) as const,
    ),
  ]);
  for (const [i, list] of [...lists.values()].entries()) {
    const page = waiting[i] ?? [];
    // Compared here and not in the database, because the clock is read in the same round trip.
    const due = page.filter((row) => (readable(row).availableAt ?? Number.POSITIVE_INFINITY) <= now);
    // A command whose fence cannot be read is not offered, and the others go on (F56).
    list.commands = due.filter(isIntact);
    list.more = due.length === PAGE;
  }
  const all = requests.map(({ caller, request }, i): PendingRequest => {
    const epoch = epochOf(caller, request, locked, registrations);
    const fenced = epoch === 'fenced';
    return {
      caller,
      request,
      epoch: fenced ? null : epoch,
      waiting: listOf[i] ?? null,
      answer: ended(caller, tokens, now) ?? (fenced ? fencedBy(locked, request) : null),
    };
  });
  return { now, all, workers, open: open.filter(isIntact) };
}

function fencedBy(agents: readonly Stored<'agents'>[], { target }: LeaseRequest) {
  const detail = 'Another registration speaks for this target; register before asking for work.';
  return problem(
    'stale_epoch',
    detail,
    holderIn(readable(agents.find((row) => readable(row).target === target))),
  );
}

/** The epoch under which an agent acquires work, or the reason that it may not. */
function epochOf(
  caller: Caller,
  request: LeaseRequest,
  agents: readonly Stored<'agents'>[],
  registrations: readonly Stored<'registrations'>[],
): string | null | 'fenced' {
  const { target, instance } = request;
  if (caller.role !== 'agent' || target === undefined) return null;
  const agent = agents.find((row) => readable(row).target === target);
  const current = readable(agent);
  if (current.instance === instance && current.epoch !== undefined) return current.epoch;
  const registered = registrations
    .map(readable)
    .find((row) => row.target === target && row.instance === instance);
  // mutant: fenced-agent
  return registered === undefined && agent === undefined ? null : 'fenced';
}

/**
 * Records that a worker which requests work is online and which kinds it takes. Of several concurrent calls
 * each continues the row that the one before it wrote, even if that was the first ever, when there was no row
 * to lock yet.
 */
async function recordContact(
  tx: Tx,
  settings: Settings,
  org: string,
  unanswered: readonly PendingRequest[],
  workers: readonly Stored<'workers'>[],
  now: number,
): Promise<Update[]> {
  // The kinds of an instance's last call count.
  const last = new Map(
    unanswered.map((one) => [JSON.stringify([one.request.worker, one.request.instance]), one]),
  );
  const updates: Update[] = [];
  for (const { caller, request } of last.values()) {
    const key = { org, worker: request.worker, instance: request.instance };
    const target = caller.role === 'agent' ? (request.target ?? caller.target) : caller.target;
    const asks = { kinds: request.kinds, target, service: caller.service, seenAt: now };
    let row = workers.find((w) => {
      const { worker, instance } = readable(w);
      return worker === key.worker && instance === key.instance;
    });
    if (row === undefined) {
      if (await tx.insert('workers', { ...key, ...asks, spanFrom: now })) continue;
      row = await tx.lock('workers', key);
    }
    if (row === undefined || (readable(row).seenAt ?? 0) > now) continue;
    if (!isIntact(row)) {
      updates.push({ table: 'workers', key, expect: {}, set: { ...asks, spanFrom: now } });
      continue;
    }
    const expect = { seenAt: row.seenAt };
    if (now < row.seenAt + settings.freshForMs) {
      updates.push({ table: 'workers', key, expect, set: asks });
      continue;
    }
    await tx.insert('spans', spanOf(row));
    updates.push({ table: 'workers', key, expect, set: { ...asks, spanFrom: now } });
  }
  return updates;
}

function offeredAgain(
  { caller, request }: PendingRequest,
  open: readonly LeaseRow[],
  now: number,
  { leaseTtlMs }: Settings,
): Acquired | null {
  const lease = open.find(
    (l) =>
      l.instance === request.instance &&
      now < l.until &&
      isHolder(caller, l) &&
      (request.target === undefined || request.target === l.target) &&
      request.kinds.includes(l.kind),
  );
  return lease === undefined ? null : { ok: true, offer: offerOf(lease, leaseTtlMs) };
}

/**
 * Chooses a command for each request that has none yet; for several requests of one instance only for the
 * first: the others will find its offer.
 */
async function choose(
  tx: Tx,
  org: string,
  unanswered: readonly PendingRequest[],
  tried: Set<string>,
  now: number,
) {
  const wanted: { readonly one: PendingRequest; readonly command: CommandRow }[] = [];
  const instances = new Set<string>();
  for (const one of unanswered) {
    if (one.answer !== null || instances.has(one.request.instance)) continue;
    const command = await nextFor(tx, org, one, tried, now);
    if (command === undefined) {
      one.answer = { ok: true, offer: null };
      continue;
    }
    tried.add(command.id);
    instances.add(one.request.instance);
    wanted.push({ one, command });
  }
  return wanted;
}

/**
 * The longest waiting command that this caller may acquire. Its binding rarely excludes a whole page of them.
 */
async function nextFor(
  tx: Tx,
  org: string,
  { caller, waiting }: PendingRequest,
  tried: ReadonlySet<string>,
  now: number,
): Promise<CommandRow | undefined> {
  if (waiting === null) return undefined;
  const fits = (c: CommandRow) =>
    !tried.has(c.id) && covers(caller.target, c.target) && covers(caller.service, c.service);
  const found = waiting.commands.find(fits);
  if (found !== undefined || !waiting.more) return found;
  const where = { org, state: 'published', ...waiting.where, availableAt: lte(now) } as const;
  waiting.commands = (await tx.select('commands', where, { order: 'availableAt' })).filter(isIntact);
  waiting.more = false;
  return waiting.commands.find(fits);
}

async function offerCommands(
  tx: Tx,
  settings: Settings,
  at: { readonly org: string; readonly now: number; readonly open: LeaseRow[] },
  wanted: readonly { readonly one: PendingRequest; readonly command: CommandRow }[],
  also: readonly Update[],
): Promise<void> {
  const { org, now } = at;
  const offered = wanted.map(({ one, command }) => {
    // mutant: fence-grows
    const fence = addDigits(command.fence, 1);
    const lease: LeaseRow = {
      org,
      id: leaseId(command.id, fence),
      command: command.id,
      kind: command.kind,
      service: command.service,
      target: command.target,
      fence,
      caller: one.caller.name,
      worker: one.request.worker,
      instance: one.request.instance,
      epoch: one.epoch,
      grantedAt: now,
      acknowledgedAt: null,
      until: now + settings.offerMs,
      silenced: false,
      growing: true,
      endedAt: null,
      end: null,
      lastSeq: null,
    };
    const update: Update = {
      table: 'commands',
      key: { org, id: command.id },
      // mutant: acquire-guards
      expect: { state: 'published', fence: command.fence },
      set: { state: 'offered', fence },
    };
    return { one, lease, update };
  });
  // All servers write in the same order, so that two that offer the same commands do not deadlock.
  offered.sort((a, b) => (a.lease.command < b.lease.command ? -1 : 1));
  const matched = await tx.updateAll([...offered.map(({ update }) => update), ...also]);
  for (const [i, { one, lease }] of offered.entries()) {
    if (matched[i] === 0) continue;
    // A fence is issued once, by the transaction that moved its command on.
    await tx.append('leases', lease);
    at.open.push(lease);
    one.answer = { ok: true, offer: offerOf(lease, settings.leaseTtlMs) };
  }
}

function offerOf(lease: LeaseRow, ttlMs: number): Offer {
  const { id, command, kind, service, fence } = lease;
  const { revision, attempt } = stampOf(lease);
  return { id, command, kind, service, revision, attempt, fence, ttlMs };
}

/** Each key once, in the same order for all that lock them. */
function distinct<Key>(keys: readonly Key[]): Key[] {
  const named = new Map(keys.map((key) => [JSON.stringify(key), key]));
  return [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}

/** The length of a list is part of a statement's text: few lengths give few texts. */
function padded<T>(list: readonly T[]): T[] {
  const length = 2 ** Math.ceil(Math.log2(Math.max(1, list.length)));
  return Array.from({ length }, (_, i) => list[Math.min(i, list.length - 1)] as T);
}
