import { useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';
import { STATES } from '../../../../src/contract/vocabulary.ts';
import { GROUPS, type Group, type ServiceRowView, SORTS, type Sort, sorted } from './rows.ts';

/** Filter and order of the list. They stand in the address, so that a view can be sent to somebody. */
export interface ListFilter {
  readonly group: Group | null;
  readonly state: string;
  readonly target: string;
  readonly search: string;
  readonly sort: Sort;
  /** Reversed order; in the address, a minus before it. */
  readonly isReversed: boolean;
  readonly of: (rows: readonly ServiceRowView[]) => readonly ServiceRowView[];
}
export type Choose = (
  change: Readonly<Partial<Record<'show' | 'state' | 'target' | 'q' | 'sort', string>>>,
) => void;

export function useListFilter(): readonly [ListFilter, Choose] {
  const search = useSearch();
  const [place, go] = useLocation();
  const choice = useMemo(() => choiceOf(new URLSearchParams(search)), [search]);
  const choose: Choose = (change) => {
    const params = new URLSearchParams(search);
    for (const [key, value] of Object.entries(change))
      if (value === '') params.delete(key);
      else params.set(key, value);
    const query = params.toString();
    go(query === '' ? place : `${place}?${query}`, { replace: true });
  };
  return [choice, choose];
}

function choiceOf(params: URLSearchParams): ListFilter {
  const group = GROUPS.find((name) => name === params.get('show')) ?? null;
  // An unknown state is no filter.
  const state = STATES.find((name) => name === params.get('state')) ?? '';
  const target = params.get('target') ?? '';
  const search = params.get('q') ?? '';
  const requestedSort = params.get('sort') ?? '';
  const isReversed = requestedSort.startsWith('-');
  const sort = SORTS.find((name) => name === requestedSort.replace(/^-/, '')) ?? 'service';
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const isWanted = (row: ServiceRowView) =>
    (group === null || row.group === group) &&
    (state === '' || row.claimView.state === state) &&
    (target === '' || row.target === target) &&
    words.every((word) => `${row.ref} ${row.claimView.state} ${row.why}`.toLowerCase().includes(word));
  return {
    group,
    state,
    target,
    search,
    sort,
    isReversed,
    of: (rows) => sorted(rows.filter(isWanted), sort, isReversed),
  };
}
