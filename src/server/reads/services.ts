import type { Claim } from '../../contract/claim.ts';
import { serviceRef } from '../../contract/names.ts';
import type { State } from '../../contract/vocabulary.ts';
import { type Binding, isBoundTo, isUnbound } from '../../evidence/door/caller.ts';
import { readFacts } from '../../evidence/door/facts-cache.ts';
import type { Host } from '../../evidence/door/host.ts';
import { type ClaimReading, claimNow } from '../../evidence/read.ts';
import { wholeSpec } from '../../ownership/input.ts';
import { rfc3339OrNull } from '../../projection/instant.ts';
import { isLost, isReadable, readableOrNull } from '../../store/columns.ts';
import { gt, type ReadTx } from '../../store/port.ts';
import type { RevisionRow, ServiceRow } from '../../store/schema.ts';
import type { Audience } from '../streams/last-read.ts';
import { specView } from './spec-view.ts';

export interface Listed {
  readonly row: ServiceRow;
  readonly revision: RevisionRow | undefined;
  readonly claim: Claim;
}

export interface Filter {
  readonly after: string;
  readonly state: State | undefined;
  readonly target: string | undefined;
  /** Also those that a forced teardown took off the lists. */
  readonly hidden: boolean;
  /** Limits the services to those that the caller may see. */
  readonly binding: Binding;
  readonly limit: number;
}

const PAGE = 100;

/** Stands for a service whose own name cannot be read. */
const NAMELESS = 'a service whose name is lost';

/**
 * In order of their names, and whether there are any without. Whether one is in a state is asked of its claim, never of
 * a column that may be old.
 */
export async function listServices(
  host: Host,
  org: string,
  audience: Audience,
  filter: Filter,
): Promise<{ readonly found: readonly Listed[]; readonly unreadable: readonly string[] }> {
  const found: Listed[] = [];
  let unreadable: readonly string[] = [];
  const { state, target, hidden, limit } = filter;
  for (let after = filter.after; ; ) {
    const where = {
      org,
      service: gt(after),
      ...(target === undefined ? {} : { target }),
    };
    const rows = await host.store.read((tx) =>
      tx.select('services', where, { order: 'service', limit: PAGE }),
    );
    for (const row of rows) {
      // Nobody can ask for it by a name that cannot be read; what the ledger knows of it, a rebuild makes anew.
      if (isLost(row.service)) {
        if (isUnbound(filter.binding)) unreadable = [NAMELESS];
        continue;
      }
      // By what it says and not by the database: one that cannot say it any more is not hidden.
      if (!isBoundTo(filter.binding, row.service) || (!hidden && row.hidden === true)) continue;
      const listed = await withClaim(host, row, audience);
      await host.giveWay?.();
      if (listed === null || (state !== undefined && listed.claim.state !== state)) continue;
      found.push(listed);
      if (found.length === limit) return { found, unreadable };
    }
    const last = rows.findLast(({ service }) => !isLost(service));
    if (last === undefined || rows.length < PAGE) return { found, unreadable };
    after = last.service;
  }
}

export async function serviceOf(
  host: Host,
  org: string,
  ref: string,
  audience: Audience,
): Promise<Listed | null> {
  const row = await host.store.read((tx) => serviceOf.row(tx, org, ref));
  return row === undefined ? null : withClaim(host, row, audience, { readsLastGood: true });
}

serviceOf.row = async (tx: ReadTx, org: string, ref: string): Promise<ServiceRow | undefined> => {
  const service = serviceRef(ref);
  return service === null ? undefined : tx.get('services', { org, service });
};

async function withClaim(
  host: Host,
  row: ServiceRow,
  audience: Audience,
  reading: ClaimReading = {},
): Promise<Listed | null> {
  const answer = await claimNow(host, row.org, row.service, audience, reading);
  if (!answer.ok) return null;
  const { org, service, active } = row;
  const asked = await host.store.read((tx) => tx.get('revisions', { org, service, revision: active }));
  const revision = asked && isReadable(asked) ? asked : undefined;
  return { row, revision, claim: answer.claim };
}

/** People follow them: nothing but an address of the web (F108). */
const isLink = (url: string) => /^https?:\/\//i.test(url) && URL.canParse(url);

export function serviceView({ row, revision, claim }: Listed, whole: boolean) {
  const [name, target] = row.service.split('@');
  const urls = readFacts(row.proven)?.observed.parts.flatMap(({ entry }) => entry?.urls ?? []) ?? [];
  return {
    ref: row.service,
    name,
    target,
    org: row.org,
    urls: [...new Set(urls)].filter(isLink),
    createdAt: rfc3339OrNull(readableOrNull(row.createdAt)),
    ...(whole ? { spec: revision === undefined ? {} : specView(wholeSpec(revision)) } : {}),
    claim,
  };
}
