import { useVirtualizer } from '@tanstack/react-virtual';
import { useRef } from 'react';
import { recordAbout, recordName } from '../../../../../src/contract/presentation/record-name.ts';
import { clockTime, dayBefore, preciseTime } from '../../../../../src/contract/presentation/times.ts';
import { downloadLines } from '../../../parts/download.ts';
import { Icon } from '../../../parts/icon.tsx';
import { Moment } from '../../../parts/moment.tsx';
import type { Story } from './pieces.ts';
import { RecordEffect } from './record-effect.tsx';
import { RecordVerdict } from './record-verdict.tsx';
import type { TimeRange } from './time-range.ts';

/** Rows are higher where fingers press them: each is measured once it is drawn. */
const ROW_PX = 34;

interface Props {
  readonly service: string;
  readonly story: Story;
  /** Indexes of the records to list, newest first. */
  readonly rows: readonly number[];
  readonly range: TimeRange;
  readonly now: number;
  readonly selected: number | null;
  readonly onOpen: (index: number) => void;
}

/** The records in sight as a table, newest first. */
export function RecordTable({ service, story, rows, range, now, selected, onOpen }: Props) {
  const box = useRef<HTMLElement>(null);
  const windowed = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const visible = windowed.getVirtualItems();
  const above = visible[0]?.start ?? 0;
  const below = windowed.getTotalSize() - (visible.at(-1)?.end ?? 0);
  const until = Math.min(range.to, now);
  return (
    <div className="card records">
      <header>
        <h2>Records</h2>
        <span className="soft">
          {rows.length === 1 ? '1 record' : `${rows.length} records`} from{' '}
          <Moment at={range.from}>
            {dayBefore(range.from, now)}
            {clockTime(range.from)}
          </Moment>{' '}
          to{' '}
          <Moment at={until}>
            {dayBefore(until, now)}
            {clockTime(until)}
          </Moment>
          , newest first
        </span>
        <span className="spread" />
        <button
          type="button"
          onClick={() =>
            // Oldest first, as the ledger has them.
            downloadLines(
              `evidence-${service}.ndjson`,
              'application/x-ndjson',
              rows.flatMap((i) => JSON.stringify(story.pieces[i]?.evidence) ?? []).reverse(),
            )
          }
        >
          <Icon name="download" />
          Download
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <section className="record-rows" ref={box} tabIndex={0} aria-label="Records, newest first">
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">Received</th>
              <th scope="col">Kind</th>
              <th scope="col">Source</th>
              <th scope="col">About</th>
              <th scope="col">Verdict</th>
              <th scope="col">Effect</th>
            </tr>
          </thead>
          <tbody>
            {above > 0 && <Gap px={above} />}
            {visible.map(({ index }) => {
              const i = rows[index] ?? 0;
              const piece = story.pieces[i];
              if (piece === undefined) return null;
              const { evidence, ms, isRejected } = piece;
              return (
                // The button is for keys and screen readers; a click anywhere in the row does the same.
                <tr
                  key={evidence.position}
                  ref={windowed.measureElement}
                  data-index={index}
                  aria-rowindex={index + 2}
                  data-at={i === selected}
                  data-refused={isRejected}
                  onClick={() => onOpen(i)}
                >
                  <td className="mono">
                    <Moment at={evidence.receivedAt}>
                      {dayBefore(ms, now)}
                      {preciseTime(ms)}
                    </Moment>
                  </td>
                  <th scope="row">
                    <button type="button" className="plain mono">
                      {recordName(evidence)}
                    </button>
                  </th>
                  <td>
                    {evidence.source.role}, {evidence.source.name}
                  </td>
                  <td className="mono soft">
                    {recordAbout(evidence) ?? '–'}
                    {evidence.fence !== null && ` fence ${evidence.fence}`}
                  </td>
                  <td>
                    <RecordVerdict piece={piece} />
                  </td>
                  <td>
                    <RecordEffect piece={piece} />
                  </td>
                </tr>
              );
            })}
            {below > 0 && <Gap px={below} />}
          </tbody>
        </table>
      </section>
    </div>
  );
}

const Gap = ({ px }: { readonly px: number }) => (
  <tr aria-hidden="true" className="gap">
    <td colSpan={6} style={{ height: px }} />
  </tr>
);
