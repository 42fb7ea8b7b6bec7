import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { RibbonView } from '../../../../src/contract/answers/views.ts';
import { serverNowOf } from '../../../../src/contract/presentation/server-contact.ts';
import { clockTime } from '../../../../src/contract/presentation/times.ts';
import { get } from '../../api.ts';
import type { ClaimView } from '../../live/claim-view.ts';
import { Ribbon } from '../../parts/ribbon/ribbon.tsx';
import { goneOn, ribbonSentence } from '../../parts/ribbon/ribbon-sentence.ts';
import type { DatedClaim } from './dated-claim.ts';

interface Props {
  readonly dated: DatedClaim;
  readonly claimView: ClaimView;
  /** Grows with each change of the claim. */
  readonly news: number;
}

const DAY_MS = 24 * 3_600_000;
const WEEK_MS = 7 * DAY_MS;
const POINTS = 200;
const REREAD_MS = 60_000;
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** The states of the last day and of the last week, and for how long they are not known. */
export function StateOverTime({ dated, claimView, news }: Props) {
  const { claim, contact, now } = dated;
  const serverNow = serverNowOf(contact, now);
  const day = useRibbon(claim.service, DAY_MS, serverNow, news);
  const week = useRibbon(claim.service, WEEK_MS, serverNow, news);
  const clock = (ms: number) => clockTime(ms).slice(0, 5);
  const dayName = (ms: number) => DAYS[new Date(ms).getDay()] ?? '';
  return (
    <section className="over-time" aria-label="State over time">
      <Window
        {...{ title: 'Last 24 hours', ribbon: day, windowMs: DAY_MS, state: claimView.state, serverNow }}
        labels={[`${clock(serverNow - DAY_MS)} yesterday`, clock(serverNow - DAY_MS / 2)]}
      />
      <Window
        {...{ title: 'Last 7 days', ribbon: week, windowMs: WEEK_MS, state: claimView.state, serverNow }}
        labels={[7, 6, 5, 4, 3, 2, 1].map((days) => dayName(serverNow - days * DAY_MS))}
      />
    </section>
  );
}

interface WindowProps {
  readonly title: string;
  readonly ribbon: RibbonView | undefined;
  readonly windowMs: number;
  readonly state: ClaimView['state'];
  readonly labels: readonly string[];
  readonly serverNow: number;
}

function Window({ title, ribbon, windowMs, state, labels, serverNow }: WindowProps) {
  return (
    <div className="over-time-window">
      <h3>
        {title}{' '}
        <span className="soft">
          {ribbon === undefined ? '' : ribbonSentence(goneOn(ribbon, state, serverNow))}
        </span>
      </h3>
      <Ribbon ribbon={ribbon} now={state} windowMs={windowMs} />
      <p className="axis soft" aria-hidden="true">
        {labels.map((label, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a day's name may stand twice
          <span key={i}>{label}</span>
        ))}
        <span>now</span>
      </p>
    </div>
  );
}

function useRibbon(service: string, windowMs: number, serverNow: number, news: number) {
  const { data, refetch } = useQuery({
    queryKey: ['ribbon', service, windowMs],
    queryFn: ({ signal }) => {
      const from = new Date(serverNow - windowMs).toISOString();
      return get<RibbonView>(`/v1/services/${service}/ribbon?points=${POINTS}&from=${from}`, signal);
    },
    refetchInterval: REREAD_MS,
  });
  useEffect(() => {
    if (news > 0) void refetch();
  }, [news, refetch]);
  return data;
}
