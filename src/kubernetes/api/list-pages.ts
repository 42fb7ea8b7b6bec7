import type { ApiConnection } from './connection.ts';
import { ApiFailure } from './problem.ts';
import { type ApiResource, apiVersionOf, type ListScope, listPath } from './resources.ts';
import type { ApiSession } from './session.ts';

/** One page of a list. All pages of a list show the same version of the cluster. */
export interface ListPage {
  readonly items: readonly unknown[];
  /** Empty where the kind has none, as ComponentStatus. */
  readonly resourceVersion: string;
  /** Token of the next page; null on the last. */
  readonly next: string | null;
  readonly bytes: number;
}

interface PageRequest {
  readonly limit: number;
  readonly next: string | null;
  readonly fieldSelector?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly session?: ApiSession;
}

/** Reads one page of a consistent list: without resourceVersion, so that etcd has a say in it (rule 2). */
export async function readPage(
  connection: ApiConnection,
  resource: ApiResource,
  scope: ListScope,
  request: PageRequest,
): Promise<ListPage> {
  const path = listPath(resource, scope, {
    limit: String(request.limit),
    ...(request.next === null ? {} : { continue: request.next }),
    ...(request.fieldSelector === undefined ? {} : { fieldSelector: request.fieldSelector }),
  });
  const { signal, timeoutMs, session } = request;
  const { value, bytes } = await connection.document(path, {
    ...(signal === undefined ? {} : { signal }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(session === undefined ? {} : { session }),
  });
  const page = pageOf(value);
  if (page === null) {
    const message = `The answer to a list of ${resource.resource} is no list.`;
    throw new ApiFailure({ kind: 'protocol', message });
  }
  const { kind } = resource;
  const apiVersion = apiVersionOf(resource);
  // The API leaves both out of the items of a list.
  for (const item of page.items) if (isObject(item)) Object.assign(item, { apiVersion, kind });
  return { ...page, bytes };
}

/** Larger pages are not faster, and leave more behind for the next collection of garbage. */
const FIRST_LIMIT = 100;
/** A page of larger objects than this is followed by one of half as many. */
const COMFORTABLE_BYTES = 8 << 20;

/** The number of objects to request next, so that large objects do not make large pages (F80). */
export function nextLimit(last: { readonly limit: number; readonly bytes: number } | null): number {
  if (last === null) return FIRST_LIMIT;
  return last.bytes > COMFORTABLE_BYTES ? Math.max(1, Math.floor(last.limit / 2)) : last.limit;
}

function pageOf(value: unknown): Omit<ListPage, 'bytes'> | null {
  if (!isObject(value) || !isObject(value.metadata)) return null;
  const { resourceVersion, continue: next } = value.metadata;
  if (typeof resourceVersion !== 'string') return null;
  // An empty list of some servers is null.
  const items = value.items ?? [];
  if (!Array.isArray(items)) return null;
  return { items, resourceVersion, next: typeof next === 'string' && next !== '' ? next : null };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
