import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { ServiceItem } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { get } from '../../api.ts';
import { addClaims, useNow, useView } from '../../live/live.ts';
import { changingRows } from './changing-rows.ts';
import type { ServiceRowView } from './rows.ts';

/** Above this number the list is read again as a whole, rather than service by service. */
const ONE_BY_ONE = 20;
const PAUSE_MS = 2_000;

interface Props {
  readonly rows: readonly ServiceRowView[];
  readonly list: UseQueryResult<unknown>;
}

/**
 * The stream of an org sends every transition, but not what evidence or time alone changes within a state, nor services
 * it has never shown, nor what a list tells beside the claim: commit, author, failing line. All are read again:
 * a service whose claim has expired or whose revision is another, and the list when a new service appears. It draws nothing, and its script comes after the list.
 */
export function RefreshExpired({ rows, list }: Props): null {
  const view = useView();
  const now = useNow();
  const lastRead = useRef({ at: 0 });
  const queries = useQueryClient();
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
    const outdated = rows.filter(isOutdated);
    const changing = changingRows(rows, serverNow);
    if (!hasNew && old.length + outdated.length + changing.length === 0) return;
    current.at = now;
    if (hasNew || old.length + outdated.length > ONE_BY_ONE) void refetch();
    else {
      for (const { ref } of [...old, ...changing])
        get<Claim>(`/v1/services/${ref}/status`).then(
          (claim) => addClaims([claim]),
          () => {},
        );
      for (const { ref } of outdated)
        get<ServiceItem>(`/v1/services/${ref}`).then(
          (item) => {
            addClaims([item.claim]);
            queries.setQueryData<{ readonly items: readonly ServiceItem[] }>(['services'], (data) =>
              data === undefined
                ? data
                : { ...data, items: data.items.map((one) => (one.ref === ref ? item : one)) },
            );
          },
          () => {},
        );
    }
  }, [rows, view, now, refetch, isFetching, isSuccess, queries]);
  return null;
}

/** The list was read before this revision, or before what is wrong now. */
function isOutdated({ item, claim }: ServiceRowView): boolean {
  const isTroubled = claim.state === 'failed' || claim.state === 'degraded';
  const isOther = item.claim.state !== claim.state || item.claim.desired.attempt !== claim.desired.attempt;
  return (item.wanted !== null && item.wanted.revision !== claim.desired.revision) || (isTroubled && isOther);
}
