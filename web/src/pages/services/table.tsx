import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ago } from '../../../../src/contract/telling/times.ts';
import { Badge } from '../../parts/badge.tsx';
import { isField } from '../../parts/keys.tsx';
import type { Choice, Choose } from './choice.ts';
import type { Row, Sort } from './rows.ts';

const ROW_PX = 46;

interface Props {
  readonly rows: readonly Row[];
  readonly choice: Choice;
  readonly choose: Choose;
}

/** Only the rows in sight are drawn, however many there are; the table's size is that of all of them. */
export function ServiceTable({ rows, choice, choose }: Props) {
  const body = useRef<HTMLTableSectionElement>(null);
  const windowed = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => ROW_PX,
    overscan: 8,
    scrollMargin: body.current?.offsetTop ?? 0,
    getItemKey: (i) => rows[i]?.ref ?? i,
  });
  const [at, setAt] = useRowKeys(rows, (i) => windowed.scrollToIndex(i));
  const seen = windowed.getVirtualItems();
  const above = (seen[0]?.start ?? 0) - (seen.length === 0 ? 0 : windowed.options.scrollMargin);
  const below = windowed.getTotalSize() + windowed.options.scrollMargin - (seen.at(-1)?.end ?? 0);
  const head = (sort: Sort, text: string, className = '') => (
    <th scope="col" className={className} aria-sort={choice.sort === sort ? 'ascending' : undefined}>
      <button type="button" className="sort" onClick={() => choose({ sort })}>
        {text}
      </button>
    </th>
  );
  return (
    <table className="services" aria-rowcount={rows.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {head('state', 'State')}
          {head('service', 'Service')}
          <th scope="col" className="wide">
            Wanted
          </th>
          <th scope="col" className="wide">
            Serving
          </th>
          <th scope="col">What is known</th>
          <th scope="col" className="wide">
            Whose move
          </th>
          {head('age', 'Evidence', 'age')}
        </tr>
      </thead>
      <tbody ref={body}>
        {above > 0 && <Gap px={above} />}
        {seen.map(({ index, key }) => {
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
    </table>
  );
}

const Gap = ({ px }: { readonly px: number }) => (
  <tr aria-hidden="true" className="gap">
    <td colSpan={7} style={{ height: px }} />
  </tr>
);

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly isAt: boolean;
  readonly measure: (element: Element | null) => void;
  readonly onFocus: () => void;
}

function ServiceRow({ row, index, isAt, measure, onFocus }: RowProps) {
  const { ref, name, target, claim, shown, serving, why, move } = row;
  return (
    <tr
      ref={measure}
      data-index={index}
      data-service={ref}
      data-at={isAt}
      aria-rowindex={index + 2}
      onFocus={onFocus}
    >
      <td>
        <Badge shown={shown} />
      </td>
      <th scope="row" className="name">
        <Link href={`/services/${ref}`}>
          {name}
          <span className="soft">@{target}</span>
        </Link>
      </th>
      <td className="wide mono">r{claim.desired.revision}</td>
      <td className="wide mono">{serving === null ? '–' : `r${serving}`}</td>
      <td className="why">{why}</td>
      <td className="wide soft">{move}</td>
      <td className="age">{shown.ageMs === null ? '–' : ago(shown.ageMs).replace(' ago', '')}</td>
    </tr>
  );
}

/** j and k walk the rows, Enter opens the one they are at. */
function useRowKeys(rows: readonly Row[], show: (index: number) => void) {
  const [at, setAt] = useState(-1);
  const [, go] = useLocation();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isField(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0;
      if (step !== 0) {
        const next = Math.min(rows.length - 1, Math.max(0, at + step));
        setAt(next);
        show(next);
      } else if (event.key === 'Enter' && event.target === document.body && rows[at] !== undefined)
        go(`/services/${rows[at].ref}`);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
  return [at, setAt] as const;
}
