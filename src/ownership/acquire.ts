import type { Caller } from '../access/caller.ts';
import type { Host } from '../evidence/door/host.ts';
import type { Together } from '../evidence/door/serve-group.ts';
import { askBesideDoor } from '../evidence/door/through-door.ts';
import type { Acquired, LeaseRequest } from './offer.ts';
import type { CallerRequest } from './pending-request.ts';
import { requestReads } from './read-requests.ts';
import { serveRequests } from './serve-requests.ts';

/** Requests for work are answered together, and take the door's queue where a group may answer them by memory. */
const REQUESTS: Together<CallerRequest, Acquired> = {
  reads: (org, requests) => requestReads(org, requests).reads,
  serve: (tx, { settings }, org, requests) => serveRequests(tx, settings, org, requests),
};

/**
 * Tries once to acquire leases, as many as are wanted; the server does the waiting. Requests of the same time share a
 * transaction.
 */
export async function acquire(host: Host, caller: Caller, request: LeaseRequest): Promise<Acquired> {
  const answer = await answered(host, { caller, request });
  if (answer.ok) for (const { id } of answer.offers) remember(host, id);
  return answer;
}

async function answered(host: Host, mine: CallerRequest): Promise<Acquired> {
  const { org } = mine.caller;
  const { max = 1 } = mine.request;
  const { sharing } = host;
  if (sharing !== undefined && host.images !== undefined)
    return askBesideDoor({ ...host, sharing }, org, REQUESTS, mine, max);
  const serve = async (requests: readonly CallerRequest[]) =>
    (await host.store.transact((tx) => serveRequests(tx, host.settings, org, requests))).answers;
  const [answer] =
    sharing === undefined ? await serve([mine]) : [await sharing.join(`acquire ${org}`, max, mine, serve)];
  if (answer === undefined) throw new Error('a request was left without an answer');
  return answer;
}

const REMEMBERED = 10_000;

function remember({ offers }: Host, lease: string): void {
  if (offers === undefined) return;
  if (offers.size >= REMEMBERED) offers.clear();
  offers.add(lease);
}
