import { covers } from '../access/binding.ts';
import type { Settings } from '../projection/facts.ts';
import { isIntact } from '../store/broken-row.ts';
import { lte, type Tx } from '../store/port.ts';
import type { CommandRow } from '../store/schema.ts';
import type { Acquired } from './offer.ts';
import { offerCommands, openOffers } from './offer-commands.ts';
import type { CallerRequest, PendingRequest } from './pending-request.ts';
import { readRequests } from './read-requests.ts';
import { recordContact } from './record-contact.ts';

const MORE = 8;

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
  const { now, all, workers, open } = await readRequests(tx, org, requests);
  const unanswered = all.filter(({ refusal }) => refusal === null);
  let also = await recordContact(tx, settings, org, unanswered, workers, now);
  const tried = new Set<string>();
  for (;;) {
    // A repeated request of the same instance returns the same offers while they are open.
    for (const one of unanswered) one.offers = openOffers(one, open, now, settings);
    const wanted = await choose(tx, org, unanswered, tried, now);
    if (wanted.length + also.length > 0) await offerCommands(tx, settings, { org, now, open }, wanted, also);
    also = [];
    if (wanted.length === 0) return all.map(({ refusal, offers }) => refusal ?? { ok: true, offers });
  }
}

/**
 * Chooses commands for each request that has room for more; for several requests of one instance only for the
 * first: the others will find its offers.
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
    const { max = 1, instance } = one.request;
    if (instances.has(instance)) continue;
    for (let room = max - one.offers.length; room > 0 && !one.isServed; room--) {
      const command = await nextFor(tx, org, one, tried, now);
      one.isServed = command === undefined;
      if (command === undefined) continue;
      tried.add(command.id);
      instances.add(instance);
      wanted.push({ one, command });
    }
  }
  return wanted;
}

/**
 * The longest waiting command that this caller may acquire. Where its binding excludes all that were read, or others
 * were faster, it reads on, each time several times as many.
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
  for (;;) {
    const found = waiting.commands.find(fits);
    if (found !== undefined || !waiting.more) return found;
    const where = { org, state: 'published', ...waiting.where, availableAt: lte(now) } as const;
    waiting.limit *= MORE;
    const rows = await tx.select('commands', where, { order: 'availableAt', limit: waiting.limit });
    waiting.commands = rows.filter(isIntact);
    waiting.more = rows.length === waiting.limit;
  }
}
