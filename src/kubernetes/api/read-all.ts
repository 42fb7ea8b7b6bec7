import type { ApiConnection } from './connection.ts';
import { type ListPage, nextLimit, readPage } from './list-pages.ts';
import { type ClusterProblem, clusterProblemOf } from './problem.ts';
import type { ApiResource, ListScope } from './resources.ts';

/** An object as the API returned it, with its `apiVersion` and `kind`; or a kind whose objects cannot be read. */
export type ReadItem =
  | { readonly kind: 'object'; readonly resource: ApiResource; readonly object: unknown }
  | { readonly kind: 'unreadable'; readonly resource: ApiResource; readonly problem: ClusterProblem };

/** A list that expires this often in a row will not be complete at all. */
const RESTARTS = 3;

/**
 * Reads every object of some kinds once, a page at a time, so that memory does not grow with the cluster. A kind that
 * cannot be read yields one `unreadable` after whatever was read of it, and the others go on: what is missing is said,
 * never left out. Cluster-scoped kinds are read whatever the scope; the caller leaves out those it does not want.
 *
 * A list whose token expires begins again (F59); objects that were yielded already are not repeated.
 */
export async function* readAll(
  connection: ApiConnection,
  resources: readonly ApiResource[],
  scope: ListScope,
  signal?: AbortSignal,
): AsyncGenerator<ReadItem> {
  for (const resource of resources) {
    try {
      for await (const object of readKind(connection, resource, scope, signal))
        yield { kind: 'object', resource, object };
    } catch (error) {
      signal?.throwIfAborted();
      yield { kind: 'unreadable', resource, problem: clusterProblemOf(error) };
    }
  }
}

async function* readKind(
  connection: ApiConnection,
  resource: ApiResource,
  scope: ListScope,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown> {
  const yielded = new Set<unknown>();
  let next: string | null = null;
  let limit = nextLimit(null);
  for (let restarts = 0; ; ) {
    const page: ListPage | null = await readPage(connection, resource, scope, {
      limit,
      next,
      ...(signal === undefined ? {} : { signal }),
    }).catch((error: unknown) => {
      if (clusterProblemOf(error).kind !== 'gone' || next === null || restarts++ >= RESTARTS) throw error;
      return null;
    });
    for (const object of page?.items ?? []) {
      const uid = uidOf(object);
      if (uid === undefined || !yielded.has(uid)) yield object;
      yielded.add(uid);
    }
    if (page !== null && page.next === null) return;
    next = page?.next ?? null;
    limit = nextLimit(page === null ? null : { limit, bytes: page.bytes });
  }
}

function uidOf(object: unknown): string | undefined {
  const { metadata } = object as { metadata?: { uid?: string } };
  return metadata?.uid;
}
