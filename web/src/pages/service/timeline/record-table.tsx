import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { dayBefore, preciseTime } from '../../../../../src/contract/presentation/times.ts';
import { wordOf } from '../../../../../src/contract/presentation/words.ts';
import type { Story } from './pieces.ts';

const ROW_PX = 34;

interface Props {
  readonly story: Story;
  readonly now: number;
  /** Records after this instant are left out. */
  readonly at: number | null;
  readonly selected: number | null;
  readonly onOpen: (index: number) => void;
}

/** The same records as a table, newest first. */
export function RecordTable({ story, now, at, selected, onOpen }: Props) {
  const [isRejectedOnly, setRejectedOnly] = useState(false);
  const rows = useMemo(() => {
    const all = story.pieces.flatMap(({ ms, isRejected }, i) =>
      (isRejected || !isRejectedOnly) && (at === null || ms <= at) ? [i] : [],
    );
    return all.reverse();
  }, [story, isRejectedOnly, at]);
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
  return (
    <>
      <p>
        <button
          type="button"
          className="chip"
          aria-pressed={isRejectedOnly}
          onClick={() => setRejectedOnly(!isRejectedOnly)}
        >
          rejected only
        </button>{' '}
        <span className="soft">{rows.length === 1 ? '1 record' : `${rows.length} records`}</span>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys */}
      <section className="record-rows" ref={box} tabIndex={0} aria-label="Records, newest first">
        <table aria-rowcount={rows.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <th scope="col">Received</th>
              <th scope="col">Kind</th>
              <th scope="col">Source</th>
              <th scope="col">About</th>
              <th scope="col">Fence</th>
              <th scope="col">Verdict</th>
              <th scope="col">Proved</th>
            </tr>
          </thead>
          <tbody>
            {above > 0 && <Gap px={above} />}
            {visible.map(({ index }) => {
              const i = rows[index] ?? 0;
              const piece = story.pieces[i];
              if (piece === undefined) return null;
              const { evidence, ms, isRejected, proved } = piece;
              return (
                // The button is for keys and screen readers; a click anywhere in the row does the same.
                <tr
                  key={evidence.position}
                  aria-rowindex={index + 2}
                  data-at={i === selected}
                  onClick={() => onOpen(i)}
                >
                  <td className="mono">
                    {dayBefore(ms, now)}
                    {preciseTime(ms)}
                  </td>
                  <th scope="row">
                    <button type="button" className="plain mono">
                      {evidence.kind}
                    </button>
                  </th>
                  <td>
                    {evidence.source.role} <span className="soft">{evidence.source.name}</span>
                  </td>
                  <td className="mono">
                    {evidence.revision === null ? '–' : `r${evidence.revision}.${evidence.attempt ?? '–'}`}
                  </td>
                  <td className="mono">{evidence.fence ?? '–'}</td>
                  <td className={isRejected ? 'verdict rejected' : 'verdict'}>
                    {isRejected ? `○ rejected: ${evidence.reason ?? ''}` : '● admitted'}
                  </td>
                  <td>{proved.map(({ to }) => wordOf(to)).join(', ') || '–'}</td>
                </tr>
              );
            })}
            {below > 0 && <Gap px={below} />}
          </tbody>
        </table>
      </section>
    </>
  );
}

const Gap = ({ px }: { readonly px: number }) => (
  <tr aria-hidden="true" className="gap">
    <td colSpan={7} style={{ height: px }} />
  </tr>
);
