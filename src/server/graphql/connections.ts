import { cursorOf, readCursor } from '../http/cursor.ts';
import { invalidArgument } from './problems.ts';

/** The most items of one list. */
const MAX_FIRST = 500;

export interface PageArguments {
  readonly first: number;
  readonly after?: string | null;
}

interface NodeConnection<T> {
  readonly edges: readonly { readonly node: T; readonly cursor: string }[];
  readonly nodes: readonly T[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** The size of a page, as it was asked for. */
export function firstOf({ first }: PageArguments): number {
  if (first >= 1 && first <= MAX_FIRST) return first;
  throw invalidArgument(`first must be from 1 to ${MAX_FIRST}.`);
}

/** The key after which a page begins; null: at the beginning. Cursors of HTTP's list of the same name count here too. */
export const afterOf = (list: string, { after }: PageArguments, is?: RegExp) =>
  readCursor(list, after ?? undefined, is);

/**
 * Builds a connection. One row more than the page means that another page follows. A row that cannot be read has a null
 * for its view, and is left out.
 */
export function connection<R, T>(
  list: string,
  rows: readonly R[],
  { first, after }: PageArguments,
  keyOf: (row: R) => string,
  view: (row: R) => T | null,
): NodeConnection<T> {
  const edges = rows.slice(0, first).flatMap((row) => {
    const node = view(row);
    return node === null ? [] : [{ node, cursor: cursorOf(list, keyOf(row)) }];
  });
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: rows.length > first,
      hasPreviousPage: after != null,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
  };
}
