import type { ApiConnection } from './connection.ts';
import { ApiFailure } from './problem.ts';
import type { ApiResource } from './resources.ts';

/** A kind that the cluster serves, in the version it prefers. */
interface DiscoveredResource extends ApiResource {
  readonly verbs: readonly string[];
}

/** One request for all groups; served by default since 1.27, as v2 since 1.30. */
const AGGREGATED = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .concat('application/json')
  .join(',');

/**
 * Lists every kind that the cluster serves, built in or custom, in the preferred version of its group, without
 * subresources. Groups whose API server does not answer now are named in `stale`: their objects exist and cannot be
 * read, which is not the same as having none.
 */
export async function discoverResources(
  connection: ApiConnection,
  signal?: AbortSignal,
): Promise<{ readonly resources: DiscoveredResource[]; readonly stale: string[] }> {
  const options = { accept: AGGREGATED, ...(signal === undefined ? {} : { signal }) };
  const documents = await Promise.all(['/api', '/apis'].map((path) => connection.document(path, options)));
  const resources: DiscoveredResource[] = [];
  const stale: string[] = [];
  for (const { value } of documents) {
    const { kind, items } = value as { kind?: string; items?: readonly AggregatedGroup[] };
    if (kind !== 'APIGroupDiscoveryList' || !Array.isArray(items)) throw unsupported();
    for (const group of items) addGroup(group, resources, stale);
  }
  return { resources, stale };
}

/** The kube-system namespace's UID, which is the cluster's identity (F61). */
export async function readClusterIdentity(connection: ApiConnection, signal?: AbortSignal): Promise<string> {
  const { value } = await connection.document(
    '/api/v1/namespaces/kube-system',
    signal === undefined ? {} : { signal },
  );
  const { metadata } = value as { metadata?: { uid?: string } };
  if (typeof metadata?.uid !== 'string')
    throw new ApiFailure({ kind: 'protocol', message: 'The namespace kube-system has no UID.' });
  return metadata.uid;
}

interface AggregatedGroup {
  readonly metadata?: { readonly name?: string };
  readonly versions?: readonly {
    readonly version: string;
    readonly freshness?: string;
    readonly resources?: readonly {
      readonly resource: string;
      readonly responseKind?: { readonly kind?: string };
      readonly scope?: string;
      readonly verbs?: readonly string[];
    }[];
  }[];
}

/** Versions come in the order of preference; a kind is taken from the first that has it. */
function addGroup(group: AggregatedGroup, resources: DiscoveredResource[], stale: string[]): void {
  const name = group.metadata?.name ?? '';
  const taken = new Set<string>();
  for (const { version, freshness, resources: served } of group.versions ?? []) {
    if (freshness === 'Stale') stale.push(`${name}/${version}`);
    for (const { resource, responseKind, scope, verbs } of served ?? []) {
      if (taken.has(resource)) continue;
      taken.add(resource);
      resources.push({
        group: name,
        version,
        resource,
        kind: responseKind?.kind ?? '',
        namespaced: scope === 'Namespaced',
        verbs: verbs ?? [],
      });
    }
  }
}

const unsupported = () =>
  new ApiFailure({
    kind: 'protocol',
    message: 'This API server has no aggregated discovery: Kubernetes 1.27 or later has.',
  });
