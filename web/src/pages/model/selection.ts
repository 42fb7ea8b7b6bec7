import { useEffect } from 'react';
import { useLocation, useSearch } from 'wouter';

/** The state whose answers are open, and the search text; both stand in the address. */
interface Selection {
  readonly state: string | null;
  readonly search: string;
}

export const chosenIn = (query: string): Selection => {
  const params = new URLSearchParams(query);
  return { state: params.get('state'), search: params.get('q') ?? '' };
};

export function addressOf({ state, search }: Selection): string {
  const params = new URLSearchParams();
  if (state !== null) params.set('state', state);
  if (search !== '') params.set('q', search);
  const query = params.toString();
  return query === '' ? '/model' : `/model?${query}`;
}

/**
 * Accepts `/model#running`, as people write it by hand, and turns it into the address that the buttons use.
 */
export function useSelection(): readonly [Selection, (change: Partial<Selection>) => void] {
  const chosen = chosenIn(useSearch());
  const [, go] = useLocation();
  useEffect(() => {
    const name = location.hash.slice(1);
    if (name !== '') go(addressOf({ state: name, search: '' }), { replace: true });
  }, [go]);
  return [
    chosen,
    // Typing replaces the address; opening a state adds to the browser's history.
    (change) => go(addressOf({ ...chosen, ...change }), { replace: change.state === undefined }),
  ];
}

/** Rows that contain every word of the search. */
export function matching<T>(rows: readonly T[], search: string, textOf: (row: T) => string): readonly T[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return rows.filter((row) => {
    const text = textOf(row).toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
