import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RibbonView } from '../../../../../src/contract/answers/views.ts';
import { timesOf } from '../../../../../src/contract/presentation/exit-count.ts';
import { type Stop, stopAfter } from '../../../../../src/contract/presentation/life.ts';
import { get } from '../../../api.ts';
import { Moment } from '../../../parts/moment.tsx';
import { pastClaim } from '../dated-claim.ts';
import { cameNext, exitsUntil } from './came-next.ts';

interface Props {
  readonly service: string;
  readonly stops: readonly Stop[];
  readonly at: number;
  readonly revision: number;
  /** The server's time. */
  readonly now: number;
  readonly go: (at: string | null) => void;
}

/** The third part of the case file in the past: what is safe next is known by now, because it happened. */
export function WhatCameNext({ service, stops, at, revision, now, go }: Props) {
  // Read before somebody goes there, too: the next step then shows at once.
  const change = stopAfter(stops, at);
  const after = useQuery({ ...pastClaim(service, change?.at ?? ''), enabled: change !== null });
  const next = cameNext(stops, at, revision, now, after.data);
  const exits = exitsUntil(useTicks(service, at), at, next === null ? now : Date.parse(next.at));
  return (
    <div className="came-next">
      {next === null ? (
        <p>
          {exits === 0
            ? 'Nothing has changed since then.'
            : `Its state is the same since then. It exited ${timesOf(exits)} since.`}
        </p>
      ) : (
        <p>
          <b>
            <Moment at={next.at}>{next.when}</Moment>
          </b>{' '}
          {next.what}
          {exits > 0 && ` In between it exited ${timesOf(exits)}.`}
        </p>
      )}
      <p className="ways">
        {next !== null && (
          <button type="button" className="link" onClick={() => go(next.at)}>
            Go to {next.time}
          </button>
        )}
      </p>
      <p className="soft">Nothing can be done in the past.</p>
    </div>
  );
}

/** The recorded events after an instant of the past, which change no state by themselves. */
function useTicks(service: string, at: number): RibbonView['ticks'] {
  const from = new Date(at).toISOString();
  const { data } = useQuery({
    queryKey: ['ribbon', service, 'from', from],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => get<RibbonView>(`/v1/services/${service}/ribbon?from=${from}`, signal),
  });
  return data?.ticks ?? NO_TICKS;
}

const NO_TICKS: RibbonView['ticks'] = [];
