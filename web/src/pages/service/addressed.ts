import { useCallback } from 'react';
import { useLocation, useSearch } from 'wouter';

/** What the address may say beside the service: the instant that is looked at, and the record that is open. */
export type Addressed = 'at' | 'record';

/** What the address says of it (null: nothing), and the way to another: what one sees can be sent to someone. */
export function useAddressed(
  name: Addressed,
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
      // Leaving now and coming back to it are steps that the browser's Back undoes; each stop between them is not.
      navigate(text === '' ? place : `${place}?${text}`, { replace: value !== null && next !== null });
    },
    [name, value, search, place, navigate],
  );
  return [value, go];
}
