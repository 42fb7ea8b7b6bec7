import type { Page } from '../../src/contract/answers/views.ts';
import type { ProblemCode } from '../../src/contract/problem.ts';
import { SESSION_KEY_HEADER } from '../../src/contract/session-cookie.ts';
import { sessionKey } from './session-key.ts';

/** The fields of a problem document (docs/protocol.md) that pages show. */
interface ProblemView {
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string;
  readonly correlation: string;
  /** For `before_retention`: the first instant that retention has kept. */
  readonly earliest?: string;
}

/** A refusal by the server, with its sentence and code. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly problem: ProblemView;
  constructor(problem: ProblemView) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** The server did not answer, or not in a form of ours, so the outcome is unknown. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** The header without which the server believes no cookie of this page. */
export function keyHeader(): Readonly<Record<string, string>> {
  const key = sessionKey();
  return key === null ? {} : { [SESSION_KEY_HEADER]: key };
}

/** Time to wait for an answer; after it the outcome is unknown. */
const PATIENCE_MS = 15_000;

async function call<T>(
  method: string,
  path: string,
  body?: unknown,
  signal?: AbortSignal,
  key?: string,
): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...keyHeader(),
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
      credentials: 'same-origin',
    });
  } catch (error) {
    if (signal?.aborted && (signal.reason as Error).name !== 'TimeoutError') throw error;
    throw new NoAnswer('The server did not answer.');
  }
  if (response.status === 204) return undefined as T;
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '');
  const answer = isJson ? await response.json() : await response.text();
  if (response.ok) return answer as T;
  if (!isJson) throw new NoAnswer(`The server answered ${response.status}, and not in words of ours.`);
  throw new ApiProblem(answer as ProblemView);
}

/** Reads JSON. NDJSON and other types come as text. */
export const get = <T>(path: string, signal?: AbortSignal) => call<T>('GET', path, undefined, signal);
/**
 * With a key, sending again after no answer is the same request: the server repeats its answer and creates
 * nothing twice.
 */
export const post = <T>(path: string, body: unknown = {}, key?: string) =>
  call<T>('POST', path, body, AbortSignal.timeout(PATIENCE_MS), key);
/** Replaces what is there: sent twice it is the same. */
export const put = <T>(path: string, body: unknown) =>
  call<T>('PUT', path, body, AbortSignal.timeout(PATIENCE_MS));
export const remove = <T>(path: string) =>
  call<T>('DELETE', path, undefined, AbortSignal.timeout(PATIENCE_MS));

/** Rejected: `randomUUID`, which browsers withhold from pages loaded without TLS from another machine. */
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((n) => n.toString(16).padStart(2, '0')).join('');

/**
 * Reads all pages of a list one after the other, and the names of its broken items; `sofar` is called for
 * each page.
 */
export async function getAll<T>(
  path: string,
  signal?: AbortSignal,
  sofar?: (items: readonly T[]) => void,
): Promise<{ readonly items: readonly T[]; readonly unreadable: readonly string[] }> {
  const items: T[] = [];
  const unreadable = new Set<string>();
  let cursor: string | null = null;
  do {
    const query: string = `${path.includes('?') ? '&' : '?'}limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;
    const page: Page<T> = await get(`${path}${query}`, signal);
    items.push(...page.items);
    for (const name of page.unreadable ?? []) unreadable.add(name);
    cursor = page.cursor;
    if (cursor !== null) sofar?.([...items]);
  } while (cursor !== null);
  return { items, unreadable: [...unreadable] };
}
