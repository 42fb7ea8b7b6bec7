import { useQuery } from '@tanstack/react-query';
import type { CSSProperties, PointerEvent } from 'react';
import type { RibbonView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { get } from '../../../api.ts';
import { goneOn } from '../../../parts/ribbon/gone-on.ts';
import { Ribbon } from '../../../parts/ribbon/ribbon.tsx';
import { clampedRange, lengthOf, type TimeRange } from './time-range.ts';

interface Props {
  readonly service: string;
  readonly claim: Claim;
  readonly range: TimeRange;
  readonly life: TimeRange;
  /** The instant until which current states are proven: now, while the stream is alive. */
  readonly provenUntil: number;
  readonly onLook: (range: TimeRange) => void;
}

const DAY_MS = 24 * 3_600_000;
const AGAIN_MS = 60_000;

/** The last 24 hours, and the part of them that is drawn above. A press moves that part. */
export function Overview24({ service, claim, range, life, provenUntil, onLook }: Props) {
  const ribbon = useQuery({
    queryKey: ['ribbon', service],
    queryFn: ({ signal }) => get<RibbonView>(`/v1/services/${service}/ribbon`, signal),
    staleTime: AGAIN_MS,
    refetchInterval: AGAIN_MS,
  });
  const state = provenUntil < life.to ? 'unknown' : claim.state;
  const shown = { state, since: state === 'unknown' ? provenUntil : Date.parse(claim.since) };
  const from = life.to - DAY_MS;
  const share = (ms: number) => Math.min(1, Math.max(0, (ms - from) / DAY_MS));
  const [left, right] = [share(range.from), share(range.to)];
  const move = (event: PointerEvent) => {
    const { left: edge, width } = event.currentTarget.getBoundingClientRect();
    const middle = from + ((event.clientX - edge) / width) * DAY_MS;
    const half = lengthOf(range) / 2;
    onLook(clampedRange({ from: middle - half, to: middle + half }, life));
  };
  return (
    <div className="overview-24">
      <span>24 h</span>
      <div role="presentation" onPointerDown={move}>
        <Ribbon ribbon={ribbon.data && goneOn(ribbon.data, shown, life.to)} now={state} />
        <i
          className="in-view"
          style={{ '--from': `${left * 100}%`, '--part': `${(right - left) * 100}%` } as CSSProperties}
        />
      </div>
    </div>
  );
}
