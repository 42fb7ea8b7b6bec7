import { audienceOf } from '../../access/roles.ts';
import { VisibleService } from '../../access/visible-service.ts';
import { claimAt } from '../../evidence/read.ts';
import { isIntact, NAMELESS, readable } from '../../store/broken-row.ts';
import type { ServerContext } from '../context.ts';
import { unwrap } from '../http/unwrap.ts';
import { changedIn } from '../reads/changed.ts';
import { isIntactEntry, numberOf, revisionsPage, revisionView } from '../reads/history.ts';
import { evidenceItem, evidencePage, transitionsPage } from '../reads/records.ts';
import { type Listed, serviceView } from '../reads/services.ts';
import { past } from '../routes/reads.ts';
import { transitionItem } from '../streams/watch-event.ts';
import { type GraphqlCall, requireDetail } from './call.ts';
import { afterOf, connection, firstOf, type PageArguments } from './connections.ts';

/** A service with its claim; its history is read by the fields that ask for it. */
export function serviceNode(listed: Listed) {
  const { ref, name, target, urls, createdAt, claim } = serviceView(listed, null, null, null);
  return { ref, name, target, urls, createdAt, claim };
}
type ServiceNode = ReturnType<typeof serviceNode>;

const visible = ({ ref }: ServiceNode, { caller }: GraphqlCall, operation: 'read' | 'inspect') =>
  unwrap(VisibleService.authorized(caller, operation, ref)).visible;

/** The fields of `Service` that are read by themselves, each as the route of the same history reads it. */
export function serviceFields(context: ServerContext) {
  const { host } = context;
  return {
    claimAt: async ({ ref }: ServiceNode, { at }: { readonly at: string }, { caller }: GraphqlCall) => {
      const instant = (await past(context, at)) ?? 0;
      return unwrap(await claimAt(host, caller.org, ref, instant, audienceOf(caller))).claim;
    },
    revisions: async (service: ServiceNode, args: PageArguments, call: GraphqlCall) => {
      const first = firstOf(args);
      const before = Number(afterOf('revisions', args) ?? 0);
      const seen = visible(service, call, 'read');
      const found = await revisionsPage(host, seen, before, first + 1);
      const changed = await changedIn(host, seen, found);
      return connection(
        'revisions',
        found,
        args,
        (entry) => String(numberOf(entry) ?? NAMELESS),
        (entry) =>
          isIntactEntry(entry)
            ? { ...revisionView(entry), changed: changed.get(entry.intent.revision) ?? null }
            : null,
      );
    },
    transitions: async (service: ServiceNode, args: PageArguments, call: GraphqlCall) => {
      const first = firstOf(args);
      const after = afterOf('transitions', args) ?? '0';
      const found = await transitionsPage(host, visible(service, call, 'read'), after, first + 1);
      return connection(
        'transitions',
        found,
        args,
        (row) => readable(row).position ?? NAMELESS,
        (row) => (isIntact(row) ? { service: service.ref, ...transitionItem(row), claim: null } : null),
      );
    },
    evidence: async (
      service: ServiceNode,
      args: PageArguments & { readonly verdict?: 'admitted' | 'rejected' | null },
      call: GraphqlCall,
    ) => {
      requireDetail(call);
      const first = firstOf(args);
      const after = afterOf('evidence', args) ?? '0';
      const seen = visible(service, call, 'inspect');
      const found = await evidencePage(host, seen, after, first + 1, args.verdict ?? undefined);
      const secrets = await context.secrets.of(seen.org, seen.service);
      return connection(
        'evidence',
        found,
        args,
        (row) => readable(row).position ?? NAMELESS,
        (row) => (isIntact(row) ? evidenceItem(row, secrets) : null),
      );
    },
  };
}
