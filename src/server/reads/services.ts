import { type Binding, isBoundTo, isUnbound } from '../../access/binding.ts';
import type { VisibleService } from '../../access/visible-service.ts';
import type { Claim } from '../../contract/claim.ts';
import type { Spec } from '../../contract/intent.ts';
import { SERVICE_REF, serviceRef } from '../../contract/names.ts';
import { STATES, type State } from '../../contract/vocabulary.ts';
import { readFacts } from '../../evidence/door/facts-cache.ts';
import type { Host } from '../../evidence/door/host.ts';
import type { ServiceHolding } from '../../evidence/past/holdings.ts';
import { type ClaimReadOptions, claimNow, servicesNow } from '../../evidence/read.ts';
import { completeSpec } from '../../ownership/input.ts';
import { rfc3339, rfc3339OrNull } from '../../projection/instant.ts';
import { intact, NAMELESS, readable, type Stored } from '../../store/broken-row.ts';
import { gt, type ReadTx } from '../../store/port.ts';
import type { RevisionRow } from '../../store/schema.ts';
import type { Audience } from '../streams/last-read.ts';
import { specView } from './spec-view.ts';
import { servingCopies, wantedView } from './wanted-view.ts';
import { workloadView } from './workload-view.ts';

export interface Listed {
  readonly service: string;
  readonly row: Stored<'services'>;
  readonly revision: RevisionRow | undefined;
  readonly claim: Claim;
}

interface ServiceFilter {
  /** The place of the last service of the page before (`placeIn`); empty: from the beginning. */
  readonly after: string;
  readonly order: ServiceOrder;
  readonly states?: readonly State[] | undefined;
  /** A part of its name, of its commit, or of the name of who wrote or deployed it; in small letters. */
  readonly search?: string | undefined;
  readonly target: string | undefined;
  /** Includes services that a forced teardown took off the lists. */
  readonly hidden: boolean;
  /** Limits the services to those that the caller may see. */
  readonly binding: Binding;
  readonly limit: number;
}

/** The orders of the list. */
export const SERVICE_ORDERS = ['name', 'attention'] as const;
type ServiceOrder = (typeof SERVICE_ORDERS)[number];

/** States in the order in which they call for attention. */
const BY_ATTENTION: readonly State[] = [
  ...(['failed', 'degraded', 'unknown'] as const),
  ...(['starting', 'applying_runtime_state', 'artifact_ready', 'building', 'waiting_for_worker'] as const),
  ...(['accepted', 'cancelling', 'stopping', 'running', 'cancelled', 'stopped'] as const),
];

/** The place of a service in an order: its name, behind the state that is recorded of it where that goes first. */
export const placeIn = (order: ServiceOrder, { service, row }: Listed): string =>
  order === 'name' ? service : `${readable(row).state ?? LAST}/${service}`;

/** A cursor of the order by attention. */
export const PLACE_BY_ATTENTION = new RegExp(`^(?:${STATES.join('|')})/${SERVICE_REF.source.slice(1)}`);

/** A row whose state cannot be read is found by its name alone. */
const LAST: State = 'stopped';

/** The parts that a list is read in, one after the other, from a place on. */
function partsFrom(order: ServiceOrder, after: string): readonly { state?: State; after: string }[] {
  if (order === 'name') return [{ after }];
  const [state, service = ''] = after.split('/');
  const from = Math.max(0, BY_ATTENTION.indexOf(state as State));
  return BY_ATTENTION.slice(from).map((one, i) => ({ state: one, after: i === 0 ? service : '' }));
}

/** Caps the services that are read at once, where most may be left out. */
const PAGE = 100;
/** The same where most are wanted. */
const LARGE_PAGE = 501;

/** Stands for a service whose name cannot be read. */
const LOST_NAME = 'a service whose name is lost';

/**
 * Lists services in order, and those that cannot be read. A filter by state goes by the claim, never by a column that may
 * be old. The order by attention goes by the recorded state, which the sweeper brings up within a second: a service that
 * changes while somebody reads page by page may be missed or repeated, and whoever needs each one once reads by name.
 * Rejected: ordering by the claims of now, which would compute all of them for each page. Ends when the signal says that
 * nobody waits any more.
 */
export async function listServices(
  host: Host,
  org: string,
  audience: Audience,
  filter: ServiceFilter,
  signal?: AbortSignal,
): Promise<{ readonly found: readonly Listed[]; readonly unreadable: readonly string[] }> {
  const found: Listed[] = [];
  let unreadable: readonly string[] = [];
  const { states, search, target, hidden, limit } = filter;
  const parts = [...partsFrom(filter.order, filter.after)];
  for (let part = parts.shift(); part !== undefined; ) {
    signal?.throwIfAborted();
    const where = {
      org,
      ...(part.state === undefined ? {} : { state: part.state }),
      service: gt(part.after),
      ...(target === undefined ? {} : { target }),
    };
    // Without a filter by state most of what is read is wanted.
    const isMostWanted = states === undefined && search === undefined;
    const most = isMostWanted ? Math.min(LARGE_PAGE, limit - found.length) : PAGE;
    const { rows, found: onPage } = await servicesNow(host, org, {
      services: { table: 'services', where, options: { order: 'service', limit: most } },
      target: target ?? null,
      // Filters here and not in the database: a row whose `hidden` cannot be read is not hidden.
      isWanted: (row) => {
        const { service = '', hidden: isHidden } = readable(row);
        return isBoundTo(filter.binding, service) && (hidden || isHidden !== true);
      },
      ...{ audience, states },
      // A search decides later, by what was read of each.
      ...(search === undefined && { limit: limit - found.length }),
    });
    // A service whose name cannot be read is only mentioned; a rebuild restores it from the ledger.
    if (isUnbound(filter.binding) && rows.some((row) => readable(row).service === undefined))
      unreadable = [LOST_NAME];
    for (const { service, row, revision, claimFor } of onPage) {
      if (found.length === limit) break;
      if (search !== undefined && !isFoundBy(search, service, revision)) continue;
      found.push({ service, row, revision, claim: claimFor(audience) });
      await host.yieldIfDue?.();
    }
    if (found.length >= limit) return { found, unreadable };
    const last = rows.map((row) => readable(row).service).findLast((service) => service !== undefined);
    part = last === undefined || rows.length < most ? parts.shift() : { ...part, after: last };
  }
  return { found, unreadable };
}

/** Sentences about a service are not searched: they hold words of all of them. */
function isFoundBy(search: string, service: string, revision: RevisionRow | undefined): boolean {
  const { git, actor } = revision ?? {};
  const texts = [service, git?.sha, git?.message, git?.branch, git?.author, actor];
  return texts.some((text) => text?.toLowerCase().includes(search));
}

export async function serviceOf(
  host: Host,
  { org, service }: VisibleService,
  audience: Audience,
): Promise<Listed | null> {
  const found = await host.store.read((tx) => readServiceRow(tx, org, service));
  return found === undefined ? null : withClaim(host, { org, ...found }, audience, { readsLastGood: true });
}

/** The full name of a service, and its row; undefined: there is none. */
export async function readServiceRow(tx: ReadTx, org: string, ref: string) {
  const service = serviceRef(ref);
  const row = service === null ? undefined : await tx.get('services', { org, service });
  return service === null || row === undefined ? undefined : { service, row };
}

async function withClaim(
  host: Host,
  { org, service, row }: { org: string; service: string; row: Stored<'services'> },
  audience: Audience,
  reading: ClaimReadOptions = {},
): Promise<Listed | null> {
  const answer = await claimNow(host, org, service, audience, reading);
  if (!answer.ok) return null;
  const { active } = readable(row);
  const revision =
    active === undefined
      ? undefined
      : intact(await host.store.read((tx) => tx.get('revisions', { org, service, revision: active })));
  return { service, row, revision, claim: answer.claim };
}

/** People follow these links: only addresses of the web are shown (F108). */
const isLink = (url: string) => /^https?:\/\//i.test(url) && URL.canParse(url);

/** By itself a service also shows its spec and its workload; `detail`: to somebody who sees what is for operators. */
export function serviceView(
  { service, row, revision, claim }: Listed,
  alone: { readonly detail: boolean } | null,
  failingLine: string | null,
  holding: ServiceHolding | null,
) {
  const [name, target] = service.split('@');
  const { org = NAMELESS, proven, createdAt = null } = readable(row);
  const facts = readFacts(proven);
  const urls = facts?.observed.parts.flatMap(({ entry }) => entry?.urls ?? []) ?? [];
  return {
    ref: service,
    name,
    target,
    org,
    urls: [...new Set(urls)].filter(isLink),
    createdAt: rfc3339OrNull(createdAt),
    wanted: wantedView(facts, revision),
    servingCopies: servingCopies(facts, claim),
    failingLine,
    // Read after the claim, it may be of a later state.
    holding:
      holding?.state === claim.state ? { since: rfc3339(holding.since), unknownMs: holding.unknownMs } : null,
    ...(alone === null
      ? {}
      : {
          spec: revision === undefined ? {} : specView(askedSpec(revision)),
          workload: workloadView(facts, revision, alone.detail),
        }),
    claim,
  };
}

/** The complete spec, with a port as it was asked for: that the build of it found a number changes no configuration. */
function askedSpec(revision: RevisionRow): Spec {
  const isFound = typeof revision.port === 'number' && typeof revision.spec.port !== 'number';
  return { ...completeSpec(revision), ...(isFound && { port: 'auto' as const }) };
}
