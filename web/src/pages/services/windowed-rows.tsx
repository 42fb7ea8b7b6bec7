import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import { type RowList, ServiceRow } from './service-row.tsx';

const ROW_PX = 46;

/** Draws only the visible rows, however many there are; the table keeps the height of all of them. */
export function WindowedRows({ rows, at, setAt, show }: RowList) {
  const body = useRef<HTMLTableSectionElement>(null);
  const windowed = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: 8,
    scrollMargin: body.current?.offsetTop ?? 0,
    getItemKey: (i) => rows[i]?.ref ?? i,
  });
  useEffect(() => {
    show.current = (index) => windowed.scrollToIndex(index);
  }, [show, windowed]);
  const visible = windowed.getVirtualItems();
  const { scrollMargin } = windowed.options;
  const above = visible[0] === undefined ? 0 : visible[0].start - scrollMargin;
  const below = windowed.getTotalSize() + scrollMargin - (visible.at(-1)?.end ?? 0);
  return (
    <tbody ref={body}>
      {above > 0 && <Gap px={above} />}
      {visible.map(({ index, key }) => {
        const row = rows[index];
        if (row === undefined) return null;
        return (
          <ServiceRow
            key={key}
            row={row}
            index={index}
            isAt={index === at}
            measure={windowed.measureElement}
            onFocus={() => setAt(index)}
          />
        );
      })}
      {below > 0 && <Gap px={below} />}
    </tbody>
  );
}

const Gap = ({ px }: { readonly px: number }) => (
  <tr aria-hidden="true" className="gap">
    <td colSpan={7} style={{ height: px }} />
  </tr>
);
