import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { get } from '../api.ts';
import { useView } from './live.ts';
import { NOTHING_READ, type ReadSoFar, readOn } from './read-on.ts';

/** A list of the ledger, read to its end, and then on whenever the stream has told something: when `news` grows. */
export function useReadOn<T>(path: string, news: number) {
  const queries = useQueryClient();
  const { resetAt } = useView();
  // After a reset nothing that was read before may be taken for the beginning of what is.
  const queryKey = ['read on', path, resetAt];
  const query = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      readOn<T>(
        queries.getQueryData<ReadSoFar<T>>(queryKey) ?? NOTHING_READ,
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
