import { audienceOf } from '../../access/roles.ts';
import { SERVICE_REF } from '../../contract/names.ts';
import { noService } from '../../contract/problem.ts';
import type { State } from '../../contract/vocabulary.ts';
import { publicModel } from '../../model/model.ts';
import type { ServerContext } from '../context.ts';
import { Refused } from '../http/problems.ts';
import { unwrap } from '../http/unwrap.ts';
import { agentsOf } from '../reads/agents.ts';
import { listServices, serviceOf } from '../reads/services.ts';
import type { SharedReads } from '../reads/shared-reads.ts';
import { visibleService } from '../reads/visible-service.ts';
import { type GraphqlCall, requireTo } from './call.ts';
import { afterOf, connection, firstOf, type PageArguments } from './connections.ts';
import { serviceNode } from './service-fields.ts';

interface ServicesArguments extends PageArguments {
  readonly target?: string | null;
  readonly state?: readonly State[] | null;
  readonly search?: string | null;
}

/** The fields of `Query` that are no statuses. */
export function queriesOf({ host }: ServerContext, long: SharedReads) {
  return {
    services: async (_root: unknown, args: ServicesArguments, call: GraphqlCall) => {
      requireTo('read', call);
      const first = firstOf(args);
      const { org, target, service } = call.caller;
      const audience = audienceOf(call.caller);
      const filter = {
        after: afterOf('services', args, SERVICE_REF) ?? '',
        order: 'name' as const,
        ...(args.state != null && { states: args.state }),
        ...(args.search != null && args.search !== '' && { search: args.search.toLowerCase() }),
        target: args.target ?? undefined,
        hidden: false,
        binding: { target, service },
        limit: first + 1,
      };
      const { found } = await long.read(
        org,
        JSON.stringify(['graphql', audience, filter]),
        (signal) => listServices(host, org, audience, filter, signal),
        call.left,
      );
      return connection('services', found, args, ({ service }) => service, serviceNode);
    },
    service: async (_root: unknown, { ref }: { readonly ref: string }, call: GraphqlCall) => {
      requireTo('read', call);
      const { visible } = unwrap(await visibleService(host, call.caller, 'read', ref));
      const found = await serviceOf(host, visible, audienceOf(call.caller));
      if (found === null) throw new Refused('not_found', noService().detail);
      return serviceNode(found);
    },
    agents: async (_root: unknown, _args: unknown, call: GraphqlCall) => {
      requireTo('inspect', call);
      return (await agentsOf(host, call.caller)).items;
    },
    model: (_root: unknown, _args: unknown, call: GraphqlCall) => {
      requireTo('read', call);
      return publicModel();
    },
  };
}
