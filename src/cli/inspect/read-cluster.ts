import { openAccess } from '../../kubernetes/api/access.ts';
import { ApiConnection } from '../../kubernetes/api/connection.ts';
import { discoverResources } from '../../kubernetes/api/discovery.ts';
import { clusterProblemOf } from '../../kubernetes/api/problem.ts';
import { readAll } from '../../kubernetes/api/read-all.ts';
import type { ApiResource, ListScope } from '../../kubernetes/api/resources.ts';
import { isFields, type ObjectFields } from '../../kubernetes/verdict/fields.ts';
import type { UnreadKind } from './unread-kinds.ts';

/** Everything that was read of a cluster, and what could not be. */
export interface ClusterRead {
  readonly objects: readonly ObjectFields[];
  readonly unreadable: readonly UnreadKind[];
  /** The namespace that was read; null for all of them. */
  readonly namespace: string | null;
  /** The namespace does not exist: looked up where nothing was found in it. */
  readonly isAbsent: boolean;
}

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

/** Reads every object of a cluster once, each kind that may be listed. */
export async function readCluster(
  flags: ClusterFlags,
  wanted: ListScope | 'of the context',
): Promise<ClusterRead> {
  const access = await openAccess(flags);
  const scope = wanted === 'of the context' ? { namespace: access.namespace } : wanted;
  const namespace = scope === 'all' ? null : scope.namespace;
  const connection = new ApiConnection(access);
  try {
    const { resources } = await discoverResources(connection);
    const listed = resources.filter(
      (resource) => resource.verbs.includes('list') && isWanted(resource, scope),
    );
    const objects: ObjectFields[] = [];
    const unreadable: UnreadKind[] = [];
    let isEmpty = namespace !== null;
    for await (const item of readAll(connection, listed, scope)) {
      if (item.kind === 'unreadable') unreadable.push(item);
      else if (isFields(item.object)) {
        objects.push(item.object);
        if (item.resource.namespaced) isEmpty = false;
      }
    }
    const isAbsent = isEmpty && namespace !== null && (await isNoNamespace(connection, namespace));
    return { objects, unreadable, namespace, isAbsent };
  } finally {
    connection.close();
  }
}

/** False where it may not be looked up: then nothing is said. */
async function isNoNamespace(connection: ApiConnection, namespace: string): Promise<boolean> {
  try {
    await connection.document(`/api/v1/namespaces/${encodeURIComponent(namespace)}`);
    return false;
  } catch (error) {
    return clusterProblemOf(error).kind === 'absent';
  }
}

function isWanted({ group, resource, namespaced }: ApiResource, scope: ListScope): boolean {
  if (LEFT_OUT.has(`${group}/${resource}`)) return false;
  return namespaced || scope === 'all' || (group === '' && resource === 'nodes');
}
