import { isBoundTo } from '../../access/binding.ts';
import type { Caller } from '../../access/caller.ts';
import { seesDetail } from '../../access/roles.ts';
import { serviceRef, targetOf } from '../../contract/names.ts';
import type { ServiceFile } from '../../evidence/door/service-file.ts';
import { type CurrentService, servicesNow } from '../../evidence/read.ts';
import { freshnessOf } from '../../projection/freshness.ts';
import { isCounted, isReady } from '../../projection/instances.ts';
import { rfc3339 } from '../../projection/instant.ts';
import { observedEntry, observedInstances } from '../../projection/running-contract.ts';
import { SecretValues } from '../../redact/secret-values.ts';
import { readable } from '../../store/broken-row.ts';
import { gte } from '../../store/port.ts';
import type { ServerContext } from '../context.ts';
import { instanceRows } from '../reads/observed.ts';
import { secretsIn } from '../reads/secrets.ts';
import type { SharedReads } from '../reads/shared-reads.ts';
import { type GraphqlCall, requireTo } from './call.ts';
import { afterOf, connection, firstOf, type PageArguments } from './connections.ts';

interface StatusArguments extends PageArguments {
  readonly target?: string | null;
  readonly service?: string | null;
}

/** The lists of declared beside observed, and of instances, as they were last seen, whichever way agents report. */
export function statusesOf({ host }: ServerContext, long: SharedReads) {
  const inTurn = <T>(kind: string, args: StatusArguments, call: GraphqlCall, read: () => Promise<T>) => {
    const { org, role, target, service } = call.caller;
    return long.read(org, JSON.stringify([kind, role, target, service, args]), read, call.left);
  };
  return {
    deploymentStatuses: async (_root: unknown, args: StatusArguments, call: GraphqlCall) => {
      requireTo('read', call);
      const first = firstOf(args);
      const after = afterOf('deployment statuses', args, ANY);
      const found = await inTurn('deployment statuses', args, call, () =>
        statuses(host, call.caller, args, { after, limit: first + 1 }, (one) => {
          const status = deploymentStatus(one);
          return [{ key: status.service, status }];
        }),
      );
      return connection(
        'deployment statuses',
        found,
        args,
        ({ key }) => key,
        ({ status }) => status,
      );
    },
    podStatuses: async (_root: unknown, args: StatusArguments, call: GraphqlCall) => {
      requireTo('read', call);
      const first = firstOf(args);
      const after = afterOf('pod statuses', args, ANY);
      const detail = seesDetail(call.caller.role);
      const found = await inTurn('pod statuses', args, call, () =>
        statuses(host, call.caller, args, { after, limit: first + 1 }, (one) =>
          podStatuses(one, detail, host.settings.freshForMs).map((status) => ({
            key: `${status.service} ${status.uid}`,
            status,
          })),
        ),
      );
      return connection(
        'pod statuses',
        found,
        args,
        ({ key }) => key,
        ({ status }) => status,
      );
    },
  };
}

/** A cursor names a service, and an instance of it. */
const ANY = /^[^ ]{1,320}(?: .{1,300})?$/s;

/** Services that are read at once: one more than a page holds, so that the last page is known for the last. */
const PAGE = 501;

interface Keyed<T> {
  readonly key: string;
  readonly status: T;
}

/** Statuses in the order of their services, and of their keys within one, from a key on. */
async function statuses<T>(
  host: ServerContext['host'],
  caller: Caller,
  { target, service }: StatusArguments,
  { after, limit }: { readonly after: string | null; readonly limit: number },
  statusesOf: (service: CurrentService) => readonly Keyed<T>[],
): Promise<readonly Keyed<T>[]> {
  const { org } = caller;
  const named = service == null ? null : (serviceRef(service) ?? '');
  const found: Keyed<T>[] = [];
  for (let from = after?.split(' ')[0] ?? ''; ; ) {
    const where = {
      org,
      service: named ?? gte(from),
      ...(target == null ? {} : { target }),
    };
    const { rows, found: onPage } = await servicesNow(host, org, {
      services: { table: 'services', where, options: { order: 'service', limit: PAGE } },
      target: target ?? null,
      isWanted: (row) => {
        const { service: name = '', hidden } = readable(row);
        return isBoundTo(caller, name) && hidden !== true;
      },
      audience: 'user',
    });
    for (const one of onPage) {
      const all = [...statusesOf(one)].sort((a, b) => (a.key < b.key ? -1 : 1));
      found.push(...all.filter(({ key }) => after === null || key > after));
      if (found.length >= limit) return found.slice(0, limit);
      await host.yieldIfDue?.();
    }
    const last = rows.map((row) => readable(row).service).findLast((name) => name !== undefined);
    if (named !== null || last === undefined || rows.length < PAGE) return found;
    // A character before every one that a name has.
    from = `${last} `;
  }
}

function deploymentStatus({ service, file, now, claimFor }: CurrentService) {
  const { state, message, since, desired, serving, lastKnown } = claimFor('user');
  const { asOf, until, broken } = freshnessOf(file.proven.observed, file.liveness);
  const isSeen = file.proven.observed.parts.length > 0;
  return {
    service,
    target: targetOf(service),
    state,
    message: message.title,
    since,
    declared: desired,
    observed: isSeen ? observedOf(file, serving?.revision ?? null) : null,
    observedAt: asOf === null ? null : rfc3339(asOf),
    ageMs: asOf === null ? null : Math.max(0, now - asOf),
    fresh: isSeen && asOf !== null && broken === null && now < until,
    lastKnown,
  };
}

function observedOf({ proven: { observed } }: ServiceFile, servingRevision: number | null) {
  const instances = observedInstances(observed).filter(isCounted);
  return {
    replicas: instances.length,
    ready: instances.filter(isReady).length,
    servingRevision,
    generation: observedEntry(observed)?.generation ?? null,
  };
}

function podStatuses({ service, file, now }: CurrentService, detail: boolean, freshForMs: number) {
  const secrets = new SecretValues(file.revisions.flatMap(({ spec }) => secretsIn(spec)));
  return instanceRows(file, new Map(), { detail, secrets, freshForMs }).map((row) => ({
    ...row,
    service,
    target: targetOf(service),
    node: 'node' in row ? row.node : null,
    observedAt: row.asOf,
    ageMs: Math.max(0, now - Date.parse(row.asOf)),
    fresh: row.validUntil !== null && now < Date.parse(row.validUntil),
  }));
}
