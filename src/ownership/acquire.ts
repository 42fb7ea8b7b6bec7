import type { Caller } from '../access/caller.ts';
import type { Host } from '../evidence/door/host.ts';
import type { Acquired, LeaseRequest } from './offer.ts';
import type { CallerRequest } from './pending-request.ts';
import { serveRequests } from './serve-requests.ts';

/**
 * Tries once to acquire leases, as many as are wanted; the server does the waiting. Requests of the same time share a
 * transaction.
 */
export async function acquire(host: Host, caller: Caller, request: LeaseRequest): Promise<Acquired> {
  const { org } = caller;
  const serve = (requests: readonly CallerRequest[]) =>
    host.store.transact((tx) => serveRequests(tx, host.settings, org, requests));
  const mine: CallerRequest = { caller, request };
  const [answer] =
    host.sharing === undefined
      ? await serve([mine])
      : [await host.sharing.join(`acquire ${org}`, request.max ?? 1, mine, serve)];
  if (answer === undefined) throw new Error('a request was left without an answer');
  if (answer.ok) for (const { id } of answer.offers) remember(host, id);
  return answer;
}

const REMEMBERED = 10_000;

function remember({ offers }: Host, lease: string): void {
  if (offers === undefined) return;
  if (offers.size >= REMEMBERED) offers.clear();
  offers.add(lease);
}
