import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

/** What a row that is drawn in part of a list puts on its element, so that it is measured. */
export interface MeasuredRow {
  readonly ref?: (element: Element | null) => void;
  readonly 'data-line'?: number;
}

interface Props {
  readonly count: number;
  readonly keyOf: (index: number) => string;
  /** The height of most rows; others are measured when they are drawn. */
  readonly rowPx: number;
  readonly columns: number;
  /** Each row is a body of its own, with what opens below it. */
  readonly areBodies?: boolean;
  readonly row: (index: number, measured: MeasuredRow) => ReactNode;
}

/** The rows of a long table that are in sight; gaps above and below them keep the height of all. */
export function WindowedRows({ count, keyOf, rowPx, columns, areBodies = false, row }: Props) {
  const start = useRef<HTMLTableRowElement>(null);
  const [top, setTop] = useState(0);
  // The parts above it may come and go.
  useLayoutEffect(() => setTop((start.current?.getBoundingClientRect().top ?? 0) + scrollY));
  const windowed = useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan: 6,
    scrollMargin: top,
    indexAttribute: 'data-line',
    getItemKey: keyOf,
  });
  const visible = windowed.getVirtualItems();
  const { scrollMargin } = windowed.options;
  const above = visible[0] === undefined ? 0 : visible[0].start - scrollMargin;
  const below = Math.max(0, windowed.getTotalSize() + scrollMargin - (visible.at(-1)?.end ?? 0));
  const gap = (px: number, ref?: typeof start) => {
    const cells = (
      <tr ref={ref} aria-hidden="true" className="gap">
        <td colSpan={columns} style={{ height: px }} />
      </tr>
    );
    return areBodies ? <tbody>{cells}</tbody> : cells;
  };
  const rows = (
    <>
      {gap(above, start)}
      {visible.map(({ index }) => row(index, { ref: windowed.measureElement, 'data-line': index }))}
      {gap(below)}
    </>
  );
  return areBodies ? rows : <tbody>{rows}</tbody>;
}
