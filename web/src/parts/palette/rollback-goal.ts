import { useQuery } from '@tanstack/react-query';
import type { Page, RevisionView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { get } from '../../api.ts';
import { earlierOf, newestOf } from '../../pages/service/rollback-goals.ts';

/** The revision that a rollback of a service goes to if nobody chooses another; null while it is not read. */
export function useRollbackGoal(ref: string | null, claim: Claim | undefined): number | null {
  const wanted = claim?.desired.revision ?? 0;
  const read = useQuery({
    queryKey: ['goal of a rollback', ref, wanted],
    queryFn: async ({ signal }) => {
      const { items } = await get<Page<RevisionView>>(`/v1/services/${ref}/revisions?limit=50`, signal);
      return newestOf(earlierOf(items, wanted));
    },
    enabled: ref !== null && wanted > 1,
  });
  return read.data ?? null;
}
