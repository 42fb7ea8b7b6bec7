import { covers } from '../access/binding.ts';
import type { Caller } from '../access/caller.ts';
import { takesKind } from '../access/roles.ts';
import { problem } from '../contract/problem.ts';
import { ended, tokenKeysOf } from '../evidence/door/bearer.ts';
import { holderIn } from '../evidence/report/current-agent.ts';
import { isIntact, readable, type Stored } from '../store/broken-row.ts';
import { oneOf, type Tx } from '../store/port.ts';
import type { LeaseRequest } from './offer.ts';
import type { CallerRequest, CommandQueue, PendingRequest } from './pending-request.ts';

/** Commands that are read for callers whose binding may exclude some of them. */
const PAGE = 64;
/** The least that is read: few lengths give few statements. */
const FEW = 8;
/** The most that is read at first, whatever is wanted. */
const MOST = 256;

/**
 * Reads all rows that the requests need, in one round trip; agents are locked, so that none is fenced while
 * it is offered work. A caller that has waited long may have lost its token meanwhile: it is offered nothing.
 */
export async function readRequests(tx: Tx, org: string, requests: readonly CallerRequest[]) {
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
    const list = lists.get(name) ?? { where, commands: [], limit: 0, more: false };
    lists.set(name, list);
    const { max = 1 } = request;
    list.limit += covers(caller.target, target ?? '*') && caller.service === '*' ? max : PAGE;
    return list;
  });
  // As many as are handed out: each row that is read and left costs as much as one that is offered.
  for (const list of lists.values()) list.limit = Math.max(FEW, powerOfTwo(Math.min(list.limit, MOST)));
  const instances = padded([...new Set(requests.map(({ request }) => request.instance))]);
  const registrationsOf = requests.flatMap(({ caller, request: { target, instance } }) =>
    caller.role === 'agent' && target !== undefined ? [{ org, target, instance }] : [],
  );
  const workersOf = requests.map(({ request: { worker, instance } }) => ({ org, worker, instance }));
  const tokensOf = requests.flatMap(({ caller }) => tokenKeysOf(caller));
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
      ({ where, limit }) =>
        ({
          table: 'commands',
          where: { org, state: 'published', ...where },
          options: { order: 'availableAt', limit },
        }) as const,
    ),
  ]);
  for (const [i, list] of [...lists.values()].entries()) {
    const page = waiting[i] ?? [];
    // Compared here and not in the database, because the clock is read in the same round trip.
    const due = page.filter((row) => (readable(row).availableAt ?? Number.POSITIVE_INFINITY) <= now);
    // A command whose fence cannot be read is not offered, and the others go on (F56).
    list.commands = due.filter(isIntact);
    list.more = due.length === list.limit;
  }
  const all = requests.map(({ caller, request }, i): PendingRequest => {
    const epoch = epochOf(caller, request, locked, registrations);
    const fenced = epoch === 'fenced';
    return {
      caller,
      request,
      epoch: fenced ? null : epoch,
      waiting: listOf[i] ?? null,
      refusal: ended(caller, tokens, now) ?? (fenced ? fencedBy(locked, request) : null),
      offers: [],
      isServed: false,
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

/** Each key once, in the same order for all that lock them. */
function distinct<Key>(keys: readonly Key[]): Key[] {
  const named = new Map(keys.map((key) => [JSON.stringify(key), key]));
  return [...named].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
}

const powerOfTwo = (least: number) => 2 ** Math.ceil(Math.log2(Math.max(1, least)));

/** The length of a list is part of a statement's text: few lengths give few texts. */
function padded<T>(list: readonly T[]): T[] {
  const length = powerOfTwo(list.length);
  return Array.from({ length }, (_, i) => list[Math.min(i, list.length - 1)] as T);
}
