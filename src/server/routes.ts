import type { Route } from './http/route.ts';
import type { Parts } from './parts.ts';
import { actionRoutes } from './routes/actions.ts';
import { adminRoutes } from './routes/admin.ts';
import { agentRoutes } from './routes/agents.ts';
import { evidenceRoutes } from './routes/evidence.ts';
import { fleetRoutes } from './routes/fleet.ts';
import { metaRoutes } from './routes/meta.ts';
import { ownershipRoutes } from './routes/ownership.ts';
import { readRoutes } from './routes/reads.ts';
import { streamRoutes } from './routes/streams.ts';
import { targetRoutes } from './routes/targets.ts';

/** Every call that the server knows. */
export function allRoutes(parts: Parts): readonly Route[] {
  const routes: Route[] = [
    ...actionRoutes(parts),
    ...readRoutes(parts),
    ...streamRoutes(parts),
    ...ownershipRoutes(parts),
    ...evidenceRoutes(parts),
    ...agentRoutes(parts),
    ...fleetRoutes(parts),
    ...targetRoutes(parts),
    ...adminRoutes(parts),
    ...metaRoutes(parts, () => routes),
  ];
  return routes;
}
