import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Claim } from '../../../../src/contract/claim.ts';
import type { ServerContact } from '../../../../src/contract/presentation/server-contact.ts';
import { get } from '../../api.ts';
import { useClaim, useNow, useView } from '../../live/live.ts';

/** A claim and the instant it is shown at: now, or a fixed past instant. */
export interface DatedClaim {
  readonly claim: Claim;
  readonly contact: ServerContact;
  readonly now: number;
  readonly at: string | null;
}

interface DatedClaimQuery {
  readonly dated: DatedClaim | null;
  /** Another instant was requested; its claim has not arrived yet. */
  readonly isReading: boolean;
  /** The refusal for the requested instant. */
  readonly refused: Error | null;
}

/** The claim at a past instant never changes, so it is read once. */
export const pastClaim = (service: string, at: string) =>
  queryOptions({
    queryKey: ['status', service, at],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) =>
      get<Claim>(`/v1/services/${service}/status?at=${encodeURIComponent(at)}`, signal),
  });

export function useDatedClaim(service: string, at: string | null): DatedClaimQuery {
  const claim = useClaim(service);
  const contact = useView();
  const now = useNow();
  const past = useQuery({
    ...pastClaim(service, at ?? ''),
    enabled: at !== null,
    placeholderData: keepPreviousData,
  });
  const present = claim === undefined ? null : { claim, contact: contact, now, at: null };
  const cameFromNow = useRef(false);
  cameFromNow.current ||= at === null && present !== null;
  if (at === null) return { dated: present, isReading: present === null, refused: null };
  if (past.isError) return { dated: null, isReading: false, refused: past.error };
  // Keeps showing now until the past claim has arrived; a page opened by an address of the past never shows
  // now.
  if (past.data === undefined)
    return { dated: cameFromNow.current ? present : null, isReading: true, refused: null };
  // The claim's own instant, not the one requested last: no claim is shown under another time.
  const dated = { claim: past.data, ...standing(past.data), at: past.data.now };
  return { dated, isReading: past.isPlaceholderData, refused: null };
}

/** In the past time stands still: a claim that was fresh then is shown as fresh. */
function standing(claim: Claim): { contact: ServerContact; now: number } {
  return { contact: { contactAt: 0, serverAt: Date.parse(claim.now), fresh: {}, lost: false }, now: 0 };
}
