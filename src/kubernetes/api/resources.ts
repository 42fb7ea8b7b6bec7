/** A kind of object as the API serves it: `pods` of the core group, `deployments` of `apps`. */
export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** The plural in the path. */
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** The part of the cluster that a list covers: one namespace, or all of it. */
export type ListScope = { readonly namespace: string } | 'all';

/** `apps/v1`, or `v1` for the core group: the `apiVersion` of its objects. */
export function apiVersionOf({ group, version }: ApiResource): string {
  return group === '' ? version : `${group}/${version}`;
}

/** The path of a list. A cluster-scoped kind has one list, whatever the scope. */
export function listPath(
  resource: ApiResource,
  scope: ListScope,
  query: Readonly<Record<string, string>>,
): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${apiVersionOf(resource)}`;
  const inside =
    resource.namespaced && scope !== 'all' ? `/namespaces/${encodeURIComponent(scope.namespace)}` : '';
  const parameters = new URLSearchParams(query).toString();
  return `${root}${inside}/${resource.resource}${parameters === '' ? '' : `?${parameters}`}`;
}

/** The path of one object. */
export function objectPath(
  resource: ApiResource,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  return `${listPath(resource, { namespace }, {})}/${encodeURIComponent(name)}`;
}
