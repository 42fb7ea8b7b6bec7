import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { Claim } from '../../../../src/contract/claim.ts';
import { serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { get } from '../../api.ts';
import { addClaims, useNow, useView } from '../../live/live.ts';
import type { ServiceRowView } from './rows.ts';

/** Above this number the list is read again as a whole, rather than service by service. */
const ONE_BY_ONE = 20;
const PAUSE_MS = 2_000;

/**
 * The stream of an org sends every transition, but not what time alone changes within a state, nor services
 * it has never shown. Both are read again: a service whose claim has expired, and the list when a new service
 * appears.
 */
export function useRefreshExpired(rows: readonly ServiceRowView[], list: UseQueryResult<unknown>): void {
  const view = useView();
  const now = useNow();
  const lastRead = useRef({ at: 0 });
  const { refetch, isFetching, isSuccess } = list;
  useEffect(() => {
    const { current } = lastRead;
    if (view.lost || now - current.at < PAUSE_MS || !isSuccess || isFetching) return;
    const serverNow = serverNowOf(view, now);
    const listed = new Set(rows.map(({ ref }) => ref));
    const hasNew = [...view.claims.keys()].some((ref) => !listed.has(ref));
    const old = rows.filter(({ claim, claimView }) => {
      const { validUntil } = claim.freshness;
      return (
        (!claimView.isLive || claim.freshness.freshForMs === null) &&
        validUntil !== null &&
        serverNow > Date.parse(validUntil)
      );
    });
    if (!hasNew && old.length === 0) return;
    current.at = now;
    if (hasNew || old.length > ONE_BY_ONE) void refetch();
    else
      for (const { ref } of old)
        get<Claim>(`/v1/services/${ref}/status`).then(
          (claim) => addClaims([claim]),
          () => {},
        );
  }, [rows, view, now, refetch, isFetching, isSuccess]);
}
