import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get } from '../api.ts';
import { EMPTY_LIST, type GrowingList, readMore } from './growing-list.ts';
import { useView } from './live.ts';

/** Reads a list of the ledger to its end, and reads on whenever `news` grows, which the stream drives. */
export function useGrowingList<T>(path: string, news: number) {
  const queries = useQueryClient();
  const { resetAt } = useView();
  // After a reset the list is read from its beginning: earlier pages may no longer belong to it.
  const queryKey = ['read on', path, resetAt];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      readMore<T>(
        queries.getQueryData<GrowingList<T>>(queryKey) ?? EMPTY_LIST,
        (cursor) =>
          get(`${path}?limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`, signal),
        (soFar) => queries.setQueryData(queryKey, soFar),
      ),
    structuralSharing: false,
  });
  const { refetch } = query;
  useEffect(() => {
    if (news > 0) void refetch();
  }, [news, refetch]);
  return query;
}
