import '../../../styles/timeline.css';
import { type KeyboardEvent, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { useQueryParameter } from '../query-parameter.ts';
import { Chart } from './chart.tsx';
import { keyed } from './gestures.ts';
import type { EvidenceMark } from './layout.ts';
import { lineOf } from './piece-line.ts';
import { adjacentInTime, extendLiveness, nearestInNextLane, type Story } from './pieces.ts';
import { useStory } from './reading.ts';
import { Record } from './record.tsx';
import { RecordTable } from './record-table.tsx';
import { clampedRange, fullLife, latestStory, moved, showing, type TimeRange, zoomed } from './time-range.ts';

interface Props {
  readonly service: string;
  readonly claim: Claim;
  readonly transitions: readonly TransitionView[];
  /** The past instant that the page shows; null for now. */
  readonly at: number | null;
  /** The server's time. */
  readonly now: number;
  /** The instant until which current states are proven: now, while the stream is alive. */
  readonly provenUntil: number;
  readonly go: (at: string | null) => void;
}

/** Every piece of evidence at its time, in the lane of its source, with leases and transitions. */
export function Timeline({ service, claim, transitions, at, now, provenUntil, go }: Props) {
  const { story: read, older, isReading, problem } = useStory(service, transitions);
  const { asOf, freshForMs } = claim.freshness;
  const observedAt = at === null && asOf !== null ? Date.parse(asOf) : null;
  const story = useMemo(() => extendLiveness(read, observedAt, freshForMs), [read, observedAt, freshForMs]);
  const [isTable, showTable] = useState(false);
  const [record, openRecord] = useQueryParameter('record');
  const [byKey, setByKey] = useState(false);
  // A page opened with the address of a record scrolls to it.
  const [sent] = useState(record);
  const [walked, select] = useState<number | null>(null);
  const chart = useRef<HTMLDivElement>(null);
  const index = useMemo(() => indexOf(story, record), [story, record]);
  const piece = index === null ? undefined : story.pieces[index];
  const selected = walked ?? index;
  const pick = (next: number, isByKey: boolean) => {
    select(next);
    setByKey(isByKey);
    openRecord(story.pieces[next]?.evidence.position ?? null);
  };
  const close = () => {
    openRecord(null);
    if (byKey) chart.current?.focus();
  };
  return (
    <section className="card timeline" aria-label="Evidence">
      <header>
        <h2>Evidence</h2>
        <span className="soft">
          {isReading ? 'reading …' : countText(story, at)}
          {older > 0 && `, and ${older} older ones that are not drawn`}
        </span>
        <span className="spread" />
        <button type="button" className="chip" aria-pressed={!isTable} onClick={() => showTable(false)}>
          timeline
        </button>
        <button type="button" className="chip" aria-pressed={isTable} onClick={() => showTable(true)}>
          table
        </button>
      </header>
      {problem !== null && <p className="soft">{problem.message}</p>}
      {isTable ? (
        <RecordTable story={story} now={now} at={at} selected={selected} onOpen={(i) => pick(i, true)} />
      ) : (
        <Drawn
          focusRef={chart}
          story={story}
          claim={claim}
          at={at}
          now={now}
          provenUntil={provenUntil}
          selected={selected}
          select={select}
          pick={pick}
        />
      )}
      {piece !== undefined && index !== null && (
        <Record
          service={service}
          piece={piece}
          transitions={transitions}
          count={`${index + 1} of ${story.pieces.length}`}
          claim={claim}
          now={now}
          withFocus={byKey}
          isSent={record === sent}
          go={go}
          onStep={(by) => pick(adjacentInTime(story, index, by), byKey)}
          onClose={close}
        />
      )}
      {record !== null && index === null && !isReading && (
        <p className="soft">No record about this service stands at position {record}.</p>
      )}
    </section>
  );
}

/** Records are addressed by position: an id may occur twice, rejected the second time. */
function indexOf({ pieces }: Story, record: string | null): number | null {
  const found = record === null ? -1 : pieces.findIndex(({ evidence }) => evidence.position === record);
  return found < 0 ? null : found;
}

/** In the past only records received by then are counted. */
function countText({ pieces }: Story, at: number | null): string {
  const received = at === null ? pieces : pieces.filter(({ ms }) => ms <= at);
  const rejected = received.reduce((count, { isRejected }) => count + (isRejected ? 1 : 0), 0);
  const then =
    at === null ? `${pieces.length} pieces` : `${received.length} of ${pieces.length} pieces by then`;
  return `${then}${rejected === 0 ? '' : `, ${rejected} rejected`}`;
}

interface DrawnProps extends Pick<Props, 'claim' | 'at' | 'now' | 'provenUntil'> {
  readonly focusRef: React.RefObject<HTMLDivElement | null>;
  readonly story: Story;
  readonly selected: number | null;
  readonly select: (index: number | null) => void;
  readonly pick: (index: number, byKey: boolean) => void;
}

/** The visible range: the story of the shown revision, until somebody moves elsewhere. */
function Drawn({ focusRef, story, claim, at, now, provenUntil, selected, select, pick }: DrawnProps) {
  const [chosen, choose] = useState<TimeRange | null>(null);
  const [pointed, point] = useState<EvidenceMark | null>(null);
  const widthPx = useWidth(focusRef);
  const help = useId();
  const life: TimeRange = { from: story.transitions[0]?.ms ?? now, to: now };
  const natural = latestStory(story.transitions, at, life);
  const sought = chosen === null && selected !== null ? (story.pieces[selected]?.ms ?? null) : null;
  const range = showing(showing(clampedRange(chosen ?? natural, life), at, life), sought, life);
  const show = (index: number) => {
    select(index);
    choose(showing(range, story.pieces[index]?.ms ?? null, life));
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { key, shiftKey } = event;
    const next = keyed(key, shiftKey, range, life);
    const last = story.pieces.length - 1;
    if (next !== null) choose(next);
    else if (key === '0') choose(fullLife(life));
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
      <div className="reach">
        <button
          type="button"
          aria-label="Nearer"
          title="Nearer (+)"
          onClick={() => choose(zoomed(range, 1.6, 0.5, life))}
        >
          +
        </button>
        <button
          type="button"
          aria-label="Farther"
          title="Farther (-)"
          onClick={() => choose(zoomed(range, 1 / 1.6, 0.5, life))}
        >
          −
        </button>
        <button
          type="button"
          aria-label="Earlier"
          title="Earlier (Shift ←)"
          onClick={() => choose(moved(range, -0.5, life))}
        >
          ←
        </button>
        <button
          type="button"
          aria-label="Later"
          title="Later (Shift →)"
          onClick={() => choose(moved(range, 0.5, life))}
        >
          →
        </button>
        <button type="button" title="All of its life (0)" onClick={() => choose(fullLife(life))}>
          Fit all
        </button>
        <button type="button" aria-pressed={chosen === null} onClick={() => choose(null)}>
          {at === null ? 'Latest' : 'This change'}
        </button>
      </div>
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
            onMove={(by) => choose(moved(range, by, life))}
            onZoom={(by, place) => choose(zoomed(range, by, place, life))}
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
        Shift with left and right moves, 0 shows all. The table has the same records.
      </p>
      <ul className="legend" aria-label="Signs">
        <li>
          <i className="sign dot" /> admitted
        </li>
        <li>
          <i className="sign proves" /> changed the claim
        </li>
        <li>
          <i className="sign hollow" /> rejected
        </li>
        <li>
          <i className="sign ring" /> the claim rests on it
        </li>
        <li>
          <i className="sign held" /> lease
        </li>
        <li>
          <i className="sign heard" /> agent heard
        </li>
      </ul>
    </>
  );
}

function firstIn({ pieces }: Story, { from }: TimeRange): number {
  const found = pieces.findIndex(({ ms }) => ms >= from);
  return found < 0 ? pieces.length - 1 : found;
}

function useWidth(ref: React.RefObject<HTMLElement | null>): number {
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
