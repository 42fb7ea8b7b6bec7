import { Refusal } from '../../contract/refusal.ts';

/** Every way in which a call to an API server fails, with the facts that decide what to do next. */
export type ClusterProblem =
  /** 401, also after the credentials were read again. */
  | { readonly kind: 'unauthorized'; readonly message: string }
  /** 403: these credentials may not do this here. Other scopes are not concerned (F77). */
  | { readonly kind: 'forbidden'; readonly message: string }
  /** 404: the kind or the namespace does not exist, or no longer. */
  | { readonly kind: 'absent'; readonly message: string }
  /** 410, or an ERROR event with that code: the version is too old; only a new list helps (F59, F60). */
  | { readonly kind: 'gone'; readonly message: string }
  /** 429 and 5xx: the server answers, and cannot now (F78). */
  | {
      readonly kind: 'unavailable';
      readonly status: number;
      readonly message: string;
      readonly retryAfterMs: number | null;
    }
  /** No connection, or one that broke. */
  | { readonly kind: 'unreachable'; readonly message: string }
  /** Our own limit passed. An API server that is frozen accepts connections and never answers. */
  | { readonly kind: 'timed_out'; readonly message: string }
  /** An answer that no API server gives: half a document, another kind, too many bytes. */
  | { readonly kind: 'protocol'; readonly message: string }
  /** The cluster's database was replaced by an older copy (rule 1), and this server still shows what it had before. */
  | { readonly kind: 'restored'; readonly message: string }
  /**
   * 409: the object is another than the one that was read, or exists already; with `fields`, another manager owns what
   * was to be changed.
   */
  | { readonly kind: 'conflict'; readonly message: string; readonly fields: readonly FieldConflict[] }
  /** Any other refusal. */
  | { readonly kind: 'refused'; readonly status: number; readonly message: string };

/** A field that another manager owns. */
export interface FieldConflict {
  readonly manager: string;
  readonly field: string;
}

/** A call to an API server that failed; the sentence is for people. */
export class ApiFailure extends Refusal {
  override readonly name = 'ApiFailure';
  override readonly code: string;
  readonly problem: ClusterProblem;

  constructor(problem: ClusterProblem) {
    super(problem.message);
    this.code = `kubernetes_${problem.kind}`;
    this.problem = problem;
  }
}

/** The problem behind any error: what is not ours is a broken connection. */
export function clusterProblemOf(error: unknown): ClusterProblem {
  if (error instanceof ApiFailure) return error.problem;
  return { kind: 'unreachable', message: error instanceof Error ? error.message : String(error) };
}

/** The API server's `Status` document, or what else it answered, as a problem. */
export function problemOfAnswer(
  status: number,
  retryAfter: string | undefined,
  text: string,
): ClusterProblem {
  const { message, details } = statusDocument(text);
  const said = message ?? `The API server answers ${status}.`;
  const seconds = Number(retryAfter ?? details?.retryAfterSeconds);
  const retryAfterMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : null;
  if (status === 401) return { kind: 'unauthorized', message: said };
  if (status === 403) return { kind: 'forbidden', message: said };
  if (status === 404) return { kind: 'absent', message: said };
  if (status === 409) return { kind: 'conflict', message: said, fields: conflictsIn(details?.causes ?? []) };
  if (status === 410) return { kind: 'gone', message: said };
  if (status === 429 || status >= 500) return { kind: 'unavailable', status, message: said, retryAfterMs };
  return { kind: 'refused', status, message: said };
}

interface StatusDocument {
  readonly message?: string;
  readonly details?: {
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly {
      readonly reason?: string;
      readonly message?: string;
      readonly field?: string;
    }[];
  };
}

/** Whoever owns a field is named in words alone: `conflict with "kubectl-edit" using apps/v1`. */
function conflictsIn(
  causes: NonNullable<NonNullable<StatusDocument['details']>['causes']>,
): readonly FieldConflict[] {
  return causes
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ message = '', field = '' }) => ({
      manager: /conflict with "([^"]*)"/.exec(message)?.[1] ?? 'another manager',
      field,
    }));
}

function statusDocument(text: string): StatusDocument {
  try {
    const document: unknown = JSON.parse(text);
    if (typeof document === 'object' && document !== null && 'kind' in document && document.kind === 'Status')
      return document as StatusDocument;
  } catch {
    // A proxy answers in words of its own; its status says enough.
  }
  return {};
}
