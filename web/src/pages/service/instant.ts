import { useCallback } from 'react';
import { useLocation, useSearch } from 'wouter';

/** The instant that the address names (null: now), and the way to another: what one sees can be sent to someone. */
export function useInstant(): readonly [at: string | null, go: (at: string | null) => void] {
  const search = useSearch();
  const [place, navigate] = useLocation();
  const at = new URLSearchParams(search).get('at');
  const go = useCallback(
    (next: string | null) => {
      const query = new URLSearchParams(search);
      if (next === at) return;
      if (next === null) query.delete('at');
      else query.set('at', next);
      const text = query.toString().replaceAll('%3A', ':');
      // Leaving now and coming back to it are steps that the browser's Back undoes; each stop between them is not.
      navigate(text === '' ? place : `${place}?${text}`, { replace: at !== null && next !== null });
    },
    [at, search, place, navigate],
  );
  return [at, go];
}
