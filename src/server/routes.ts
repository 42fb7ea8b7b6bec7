import type { ServerContext } from './context.ts';
import type { Route } from './http/route.ts';
import { SharedReads } from './reads/shared-reads.ts';
import { actionRoutes } from './routes/actions.ts';
import { adminRoutes } from './routes/admin.ts';
import { agentRoutes } from './routes/agents.ts';
import { badgeRoutes } from './routes/badges.ts';
import { evidenceRoutes } from './routes/evidence.ts';
import { fleetRoutes } from './routes/fleet.ts';
import { graphqlRoutes } from './routes/graphql.ts';
import { metaRoutes } from './routes/meta.ts';
import { ownershipRoutes } from './routes/ownership.ts';
import { readRoutes } from './routes/reads.ts';
import { ribbonRoutes } from './routes/ribbons.ts';
import { streamRoutes } from './routes/streams.ts';
import { targetRoutes } from './routes/targets.ts';
import { webhookRoutes } from './routes/webhooks.ts';

/** Every route of the server. */
export function allRoutes(context: ServerContext): readonly Route[] {
  const long = new SharedReads();
  const routes: Route[] = [
    ...actionRoutes(context),
    ...readRoutes(context, long),
    ...ribbonRoutes(context, long),
    ...badgeRoutes(context),
    ...streamRoutes(context),
    ...ownershipRoutes(context),
    ...evidenceRoutes(context),
    ...agentRoutes(context),
    ...fleetRoutes(context),
    ...targetRoutes(context),
    ...adminRoutes(context),
    ...webhookRoutes(context),
    ...graphqlRoutes(context, long),
    ...metaRoutes(context, () => routes),
  ];
  return routes;
}
