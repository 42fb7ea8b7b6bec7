import '../../../styles/timeline.css';
import { useMemo, useRef, useState } from 'react';
import type { TransitionView } from '../../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../../src/contract/claim.ts';
import { targetOf } from '../../../../../src/contract/names.ts';
import { useView } from '../../../live/live.ts';
import { useQueryParameter } from '../query-parameter.ts';
import { Drawn } from './drawn.tsx';
import { type EvidenceFilter, filteredStory, nextRecord, recordsInSight } from './evidence-filter.ts';
import { type ChosenWindow, shownRevision, shownWindow } from './evidence-window.ts';
import { Overview24 } from './overview-24.tsx';
import { extendLiveness } from './pieces.ts';
import { useStory } from './reading.ts';
import { Record } from './record.tsx';
import { RecordTable } from './record-table.tsx';
import { soughtIndex } from './sought-record.ts';
import type { TimeRange } from './time-range.ts';
import { EvidenceTools } from './tools.tsx';

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
  const renewed = useView().fresh[targetOf(service)]?.asOf;
  const reportedAt = Math.max(
    asOf === null ? 0 : Date.parse(asOf),
    at === null && freshForMs !== null && renewed !== undefined ? Date.parse(renewed) : 0,
  );
  const story = useMemo(() => extendLiveness(read, observedAt, freshForMs), [read, observedAt, freshForMs]);
  // A phone has no room for lanes; the table has the same records.
  const [isTable, showTable] = useState(() => matchMedia('(max-width: 700px)').matches);
  const [filter, choose] = useState<EvidenceFilter>('all');
  const [kind, chooseKind] = useQueryParameter('kind');
  const [chosen, look] = useState<ChosenWindow>({ kind: 'deploy' });
  const [record, openRecord] = useQueryParameter('record');
  const [byKey, setByKey] = useState(false);
  // A page opened with the address of a record scrolls to it.
  const [sent] = useState(record);
  const [walked, select] = useState<number | null>(null);
  /** The record that was open when somebody chose a window, which is shown even where that record is not in it. */
  const [left, leave] = useState<number | null>(null);
  const chart = useRef<HTMLDivElement>(null);
  const index = useMemo(() => (record === null ? null : soughtIndex(story, record)), [story, record]);
  const piece = index === null ? undefined : story.pieces[index];
  const selected = walked ?? index;
  const cited = useMemo(() => new Set(claim.proof.evidence), [claim]);

  const life: TimeRange = { from: story.transitions[0]?.ms ?? now, to: now };
  const isSought = chosen.kind !== 'free' && selected !== null && selected !== left;
  const sought = isSought ? (story.pieces[selected]?.ms ?? null) : null;
  const { range, kind: windowKind } = shownWindow(chosen, story.transitions, at, life, sought);
  const choice = useMemo(() => ({ filter, kind }), [filter, kind]);
  const drawn = useMemo(() => filteredStory(story, choice, cited), [story, choice, cited]);
  // Drawn twice a second; thousands of records are walked only when the range moves.
  const { from, to } = range;
  const inSight = useMemo(
    () => recordsInSight(story, { from, to }, at, choice, cited),
    [story, from, to, at, choice, cited],
  );
  const free = (to: TimeRange) => look({ kind: 'free', range: to });

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
    <div className="evidence" data-open={piece !== undefined}>
      <section className="timeline" aria-label="Evidence">
        <div className="card">
          <EvidenceTools
            {...{ isTable, showTable, filter, choose, kind, chooseKind, range, life, free }}
            chosen={windowKind}
            look={(next) => {
              look(next);
              leave(selected);
            }}
            counts={inSight.counts}
            kinds={inSight.kinds}
            revision={shownRevision(story.transitions, at)}
          />
          {(isReading || older > 0 || problem !== null) && (
            <p className="soft">
              {isReading && 'Reading …'}
              {older > 0 && `${older} older records are not drawn. `}
              {problem?.message}
            </p>
          )}
          {!isTable && (
            <>
              <Drawn
                focusRef={chart}
                story={drawn}
                {...{ claim, at, now, provenUntil, selected, select, pick, range, life, free }}
              />
              <Overview24 {...{ service, claim, range, life, provenUntil }} onLook={free} />
            </>
          )}
        </div>
        <RecordTable
          service={service}
          story={story}
          rows={inSight.rows}
          {...{ range, now, selected }}
          onOpen={(i) => pick(i, true)}
        />
        {record !== null && index === null && !isReading && (
          <p className="soft">
            {/^\d+$/.test(record)
              ? `No record about this service stands at position ${record}.`
              : `No record shows what this address names: ${record}.`}
          </p>
        )}
      </section>
      {piece !== undefined && index !== null && (
        <Record
          service={service}
          piece={piece}
          transitions={transitions}
          count={`${index + 1} of ${story.pieces.length}`}
          claim={claim}
          reportedAt={reportedAt}
          now={now}
          withFocus={byKey}
          isSent={record === sent}
          go={go}
          onStep={(by) => pick(nextRecord(story, index, by, choice, cited), byKey)}
          onShowCited={() => {
            choose('cited');
            chooseKind(null);
          }}
          onClose={close}
        />
      )}
    </div>
  );
}
