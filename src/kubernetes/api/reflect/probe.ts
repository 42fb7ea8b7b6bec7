import type { ApiConnection } from '../connection.ts';
import { readPage } from '../list-pages.ts';
import { clusterProblemOf } from '../problem.ts';
import { type ApiResource, type ListScope, listPath } from '../resources.ts';
import type { ApiSession } from '../session.ts';

/** A fact of the past that can be read again: the object that had changed last when the copy was at a version. */
export interface HistoryWitness {
  readonly version: string;
  /** Null for an empty copy. */
  readonly newest: {
    readonly uid: string;
    readonly namespace: string;
    readonly name: string;
    readonly version: string;
  } | null;
}

interface ProbeRequest {
  readonly resource: ApiResource;
  readonly scope: ListScope;
  readonly session: ApiSession;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly witnesses: readonly HistoryWitness[];
}

/** A name that a list for one name may have without finding anything. */
const NOBODY = 'evident-proof-of-history';

/** Reads over the connection of the watch: the version that is current now, and what was current at each witness. */
export async function readProbe(
  connection: ApiConnection,
  request: ProbeRequest,
): Promise<{ readonly version: string; readonly isSameHistory: boolean }> {
  const { resource, scope, session, timeoutMs, signal } = request;
  const [page, ...found] = await Promise.all([
    readPage(connection, resource, scope, { limit: 1, next: null, timeoutMs, signal, session }),
    ...request.witnesses.map((witness) => hasHistory(connection, request, witness)),
  ]);
  const version = page.resourceVersion;
  // The list itself may come from the memory of before: then etcd does not have its version.
  const isChecked = request.witnesses.some((witness) => witness.version === version);
  const isThere = isChecked || (await hasHistory(connection, request, { version, newest: null }));
  return { version, isSameHistory: isThere && found.every(Boolean) };
}

/**
 * Etcd has the witness in its history. An API server reads a list of one name at one exact version from etcd and never
 * from its memory; for a later version than etcd has it answers 504 "Too large resource version". Observed with 1.35
 * after etcd alone was restored from an older copy: lists without a version went on for as long as the API server ran,
 * at the version from before, as if nothing had happened.
 *
 * Rejected: GET of an object, which etcd answers too, but as of now, so that a change on its way
 * to us looks the same.
 */
async function hasHistory(
  connection: ApiConnection,
  request: ProbeRequest,
  { newest, version }: HistoryWitness,
): Promise<boolean> {
  const { resource, scope, session, timeoutMs, signal } = request;
  const namespace = newest?.namespace ?? (scope === 'all' ? 'default' : scope.namespace);
  const path = listPath(
    resource,
    { namespace },
    {
      fieldSelector: `metadata.name=${newest?.name ?? NOBODY}`,
      resourceVersion: version,
      resourceVersionMatch: 'Exact',
    },
  );
  try {
    const { value } = await connection.document(path, { session, timeoutMs, signal });
    const { items } = value as {
      items?: readonly { metadata?: { uid?: string; resourceVersion?: string } }[];
    };
    const found = items?.[0]?.metadata;
    return newest === null || (found?.uid === newest.uid && found.resourceVersion === newest.version);
  } catch (error) {
    const problem = clusterProblemOf(error);
    // Compacted: etcd has had that version, and forgotten it.
    if (problem.kind === 'gone') return true;
    if (problem.kind === 'unavailable' && /too large resource version/i.test(problem.message)) return false;
    throw error;
  }
}
