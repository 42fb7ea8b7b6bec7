import { openAccess } from '../../kubernetes/api/access.ts';
import { ApiConnection } from '../../kubernetes/api/connection.ts';
import { discoverResources } from '../../kubernetes/api/discovery.ts';
import { type ReadItem, readAll } from '../../kubernetes/api/read-all.ts';
import type { ApiResource, ListScope } from '../../kubernetes/api/resources.ts';

/** Reads every object of a cluster once, each kind that may be listed. */
export type ReadCluster = (scope: ListScope | 'of the context') => AsyncIterable<ReadItem>;

interface ClusterFlags {
  readonly kubeconfig?: string;
  readonly context?: string;
}

/**
 * Kinds that are never read: Secrets and what shows them, and kinds that say nothing of their own and are many. Nodes
 * are read with every scope, because a pod's word is as good as its node's.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  '/secrets',
  '/configmaps',
  '/componentstatuses',
  'events.k8s.io/events',
  'coordination.k8s.io/leases',
  'metrics.k8s.io/pods',
  'metrics.k8s.io/nodes',
]);

export function clusterReader(flags: ClusterFlags): ReadCluster {
  return async function* read(wanted) {
    const access = await openAccess(flags);
    const scope = wanted === 'of the context' ? { namespace: access.namespace } : wanted;
    const connection = new ApiConnection(access);
    try {
      const { resources } = await discoverResources(connection);
      const listed = resources.filter(
        (resource) => resource.verbs.includes('list') && isWanted(resource, scope),
      );
      yield* readAll(connection, listed, scope);
    } finally {
      connection.close();
    }
  };
}

function isWanted({ group, resource, namespaced }: ApiResource, scope: ListScope): boolean {
  if (LEFT_OUT.has(`${group}/${resource}`)) return false;
  return namespaced || scope === 'all' || (group === '' && resource === 'nodes');
}
