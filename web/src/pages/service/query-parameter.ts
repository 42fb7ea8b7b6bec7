import { useCallback } from 'react';
import { useLocation, useSearch } from 'wouter';

/**
 * Query parameters of a service’s address: the instant shown, the open record and the kind of the listed ones, the revisions
 * compared, the action asked for, the variables to set, the line of the log.
 */
type QueryParameter = 'at' | 'record' | 'from' | 'to' | 'do' | 'set' | 'kind' | 'line';

/** A query parameter (null if absent) and its setter, so that a view can be sent to somebody. */
export function useQueryParameter(
  name: QueryParameter,
): readonly [value: string | null, go: (next: string | null) => void] {
  const search = useSearch();
  const [place, navigate] = useLocation();
  const value = new URLSearchParams(search).get(name);
  const go = useCallback(
    (next: string | null) => {
      const query = new URLSearchParams(search);
      if (next === value) return;
      if (next === null) query.delete(name);
      else query.set(name, next);
      const text = query.toString().replaceAll('%3A', ':');
      // Leaving now and returning to it are entries in the browser's history; the instants between are not, nor is a
      // question that was asked.
      const isReplaced = name === 'do' || (value !== null && next !== null);
      navigate(text === '' ? place : `${place}?${text}`, { replace: isReplaced });
    },
    [name, value, search, place, navigate],
  );
  return [value, go];
}
