import { type Binding, isBoundTo, isUnbound } from '../../access/binding.ts';
import type { VisibleService } from '../../access/visible-service.ts';
import type { Claim } from '../../contract/claim.ts';
import { serviceRef } from '../../contract/names.ts';
import type { State } from '../../contract/vocabulary.ts';
import { readFacts } from '../../evidence/door/facts-cache.ts';
import type { Host } from '../../evidence/door/host.ts';
import { type ClaimReadOptions, claimNow, servicesNow } from '../../evidence/read.ts';
import { completeSpec } from '../../ownership/input.ts';
import { rfc3339OrNull } from '../../projection/instant.ts';
import { intact, NAMELESS, readable, type Stored } from '../../store/broken-row.ts';
import { gt, type ReadTx } from '../../store/port.ts';
import type { RevisionRow } from '../../store/schema.ts';
import type { Audience } from '../streams/last-read.ts';
import { specView } from './spec-view.ts';
import { wantedView } from './wanted-view.ts';
import { workloadView } from './workload-view.ts';

export interface Listed {
  readonly service: string;
  readonly row: Stored<'services'>;
  readonly revision: RevisionRow | undefined;
  readonly claim: Claim;
}

export interface ServiceFilter {
  readonly after: string;
  readonly state: State | undefined;
  readonly target: string | undefined;
  /** Includes services that a forced teardown took off the lists. */
  readonly hidden: boolean;
  /** Limits the services to those that the caller may see. */
  readonly binding: Binding;
  readonly limit: number;
}

const PAGE = 100;

/** Stands for a service whose name cannot be read. */
const LOST_NAME = 'a service whose name is lost';

/**
 * Lists services in the order of their names, and those that cannot be read. The state is taken from the
 * claim, never from a column that may be old. Ends when the signal says that nobody waits any more.
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
  const { state, target, hidden, limit } = filter;
  for (let after = filter.after; ; ) {
    signal?.throwIfAborted();
    const where = {
      org,
      service: gt(after),
      ...(target === undefined ? {} : { target }),
    };
    const { rows, found: onPage } = await servicesNow(host, org, {
      services: { table: 'services', where, options: { order: 'service', limit: PAGE } },
      target: target ?? null,
      // Filters here and not in the database: a row whose `hidden` cannot be read is not hidden.
      isWanted: (row) => {
        const { service = '', hidden: isHidden } = readable(row);
        return isBoundTo(filter.binding, service) && (hidden || isHidden !== true);
      },
      ...{ audience, state, limit: limit - found.length },
    });
    // A service whose name cannot be read is only mentioned; a rebuild restores it from the ledger.
    if (isUnbound(filter.binding) && rows.some((row) => readable(row).service === undefined))
      unreadable = [LOST_NAME];
    for (const { service, row, revision, claimFor } of onPage) {
      found.push({ service, row, revision, claim: claimFor(audience) });
      await host.yieldIfDue?.();
    }
    if (found.length === limit) return { found, unreadable };
    const last = rows.map((row) => readable(row).service).findLast((service) => service !== undefined);
    if (last === undefined || rows.length < PAGE) return { found, unreadable };
    after = last;
  }
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
    failingLine,
    ...(alone === null
      ? {}
      : {
          spec: revision === undefined ? {} : specView(completeSpec(revision)),
          workload: workloadView(facts, revision, alone.detail),
        }),
    claim,
  };
}
