import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { isTrouble, type ListLine } from './attention.ts';
import type { LineList } from './line-list.ts';
import { LIST_COLUMNS, ListRow, lineKey } from './list-lines.tsx';

/** As the style sheet draws them; a phone measures other heights by itself. */
const HEIGHTS = { heading: 34, silence: 40, tall: 56, service: 28 } as const;

function heightOf(line: ListLine | undefined): number {
  if (line === undefined) return HEIGHTS.service;
  if (line.kind !== 'service') return HEIGHTS[line.kind];
  return isTrouble(line.group) ? HEIGHTS.tall : HEIGHTS.service;
}

/** Draws only the visible lines, however many there are; the table keeps the height of all of them. */
export function WindowedLines({ lines, at, sight, show }: LineList) {
  const body = useRef<HTMLTableSectionElement>(null);
  const [top, setTop] = useState(0);
  // The parts above it may come and go.
  useLayoutEffect(() => setTop((body.current?.getBoundingClientRect().top ?? 0) + scrollY));
  const windowed = useWindowVirtualizer({
    count: lines.length,
    estimateSize: (i) => heightOf(lines[i]),
    overscan: 8,
    scrollMargin: top,
    indexAttribute: 'data-line',
    getItemKey: (i) => (lines[i] === undefined ? i : lineKey(lines[i])),
  });
  useEffect(() => {
    show.current = (index) =>
      windowed.scrollToIndex(lines.findIndex((line) => line.kind === 'service' && line.index === index));
  }, [show, windowed, lines]);
  const visible = windowed.getVirtualItems();
  const { scrollMargin } = windowed.options;
  const above = visible[0] === undefined ? 0 : visible[0].start - scrollMargin;
  const below = windowed.getTotalSize() + scrollMargin - (visible.at(-1)?.end ?? 0);
  return (
    <tbody ref={body}>
      {above > 0 && <Gap px={above} />}
      {visible.map(({ index, key }) => {
        const line = lines[index];
        if (line === undefined) return null;
        const drawn = { at: index, measure: windowed.measureElement };
        return <ListRow key={key} line={line} at={at} sight={sight} drawn={drawn} />;
      })}
      {below > 0 && <Gap px={below} />}
    </tbody>
  );
}

const Gap = ({ px }: { readonly px: number }) => (
  <tr aria-hidden="true" className="gap">
    <td colSpan={LIST_COLUMNS} style={{ height: px }} />
  </tr>
);
