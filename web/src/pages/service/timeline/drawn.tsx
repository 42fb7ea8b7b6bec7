import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useState } from 'react';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { Chart } from './chart.tsx';
import { keyed } from './gestures.ts';
import type { EvidenceMark } from './layout.ts';
import { Legend } from './legend.tsx';
import { lineOf } from './piece-line.ts';
import { adjacentInTime, nearestInNextLane, type Story } from './pieces.ts';
import { fullLife, moved, showing, type TimeRange, zoomed } from './time-range.ts';

interface Props {
  readonly focusRef: RefObject<HTMLDivElement | null>;
  readonly story: Story;
  readonly claim: Claim;
  readonly at: number | null;
  readonly now: number;
  readonly provenUntil: number;
  readonly range: TimeRange;
  readonly life: TimeRange;
  readonly free: (range: TimeRange) => void;
  readonly selected: number | null;
  readonly select: (index: number | null) => void;
  readonly pick: (index: number, byKey: boolean) => void;
}

/** The drawing with its keys, the line about the pointed mark, and the signs. */
export function Drawn(props: Props) {
  const { focusRef, story, claim, at, now, provenUntil, range, life, free, selected, select, pick } = props;
  const [pointed, point] = useState<EvidenceMark | null>(null);
  const widthPx = useWidth(focusRef);
  const help = useId();
  const show = (index: number) => {
    select(index);
    free(showing(range, story.pieces[index]?.ms ?? null, life));
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, shiftKey } = event;
    const next = keyed(key, shiftKey, range, life);
    const last = story.pieces.length - 1;
    if (next !== null) free(next);
    else if (key === '0') free(fullLife(life));
    else if (last < 0) return;
    else if (key === 'ArrowRight')
      show(selected === null ? firstIn(story, range) : adjacentInTime(story, selected, 1));
    else if (key === 'ArrowLeft')
      show(selected === null ? firstIn(story, range) : adjacentInTime(story, selected, -1));
    else if (key === 'ArrowDown') show(nearestInNextLane(story, selected ?? firstIn(story, range), 1));
    else if (key === 'ArrowUp') show(nearestInNextLane(story, selected ?? firstIn(story, range), -1));
    else if (key === 'Home') show(0);
    else if (key === 'End') show(last);
    else if (key === 'Enter' && selected !== null) pick(selected, true);
    else return;
    event.preventDefault();
  };
  const pointedAt = story.pieces[pointed?.pieces[0] ?? selected ?? -1];
  const more = (pointed?.pieces.length ?? 1) - 1;
  return (
    <>
      <div
        ref={focusRef}
        className="chart-box"
        role="application"
        aria-roledescription="timeline"
        aria-label={`${story.pieces.length} pieces of evidence`}
        aria-describedby={help}
        data-own-keys
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is an application, walked by keys
        tabIndex={0}
        onKeyDown={onKey}
      >
        {widthPx > 0 && (
          <Chart
            story={story}
            claim={claim}
            range={range}
            widthPx={widthPx}
            now={now}
            provenUntil={provenUntil}
            at={at}
            selected={selected}
            onMove={(by) => free(moved(range, by, life))}
            onZoom={(by, place) => free(zoomed(range, by, place, life))}
            onPoint={point}
            onPick={(mark) => mark?.pieces[0] !== undefined && pick(mark.pieces[0], false)}
          />
        )}
      </div>
      <p className="told mono" aria-live="polite">
        {pointedAt === undefined ? (
          <span className="soft">Point at a mark, or walk with ← and →.</span>
        ) : (
          lineOf(pointedAt)
        )}
        {more > 0 && ` · and ${more} more here`}
      </p>
      <p className="visually-hidden" id={help}>
        Left and right walk the records, up and down change the lane, Enter opens one. Plus and minus zoom,
        Shift with left and right moves, 0 shows all. The table below has the same records.
      </p>
      <Legend />
    </>
  );
}

function firstIn({ pieces }: Story, { from }: TimeRange): number {
  const found = pieces.findIndex(({ ms }) => ms >= from);
  return found < 0 ? pieces.length - 1 : found;
}

function useWidth(ref: RefObject<HTMLElement | null>): number {
  const [widthPx, setWidth] = useState(0);
  useLayoutEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const watch = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth)));
    watch.observe(element);
    setWidth(Math.floor(element.clientWidth));
    return () => watch.disconnect();
  }, [ref]);
  return widthPx;
}
