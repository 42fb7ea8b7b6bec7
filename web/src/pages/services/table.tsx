import { Suspense, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { isField } from '../../parts/keys.tsx';
import { lazily } from '../../parts/lazily.ts';
import type { Choose, ListFilter } from './list-filter.ts';
import type { ServiceRowView, Sort } from './rows.ts';
import { type RowList, ServiceRow } from './service-row.tsx';

/** Up to this many rows are all drawn; of more, only the visible ones. */
const FEW = 100;
const WindowedRows = lazily(() => import('./windowed-rows.tsx').then((m) => m.WindowedRows));

/** Columns that are sorted in descending order first. */
const FALLING: ReadonlySet<Sort> = new Set(['wanted', 'serving', 'age']);

interface Props {
  readonly rows: readonly ServiceRowView[];
  readonly choice: ListFilter;
  readonly choose: Choose;
}

export function ServiceTable({ rows, choice, choose }: Props) {
  const show = useRef<(index: number) => void>(() => {});
  const [at, setAt] = useRowKeys(rows, (index) => show.current(index));
  const walked = { rows, at, setAt, show };
  const head = (sort: Sort, text: string, className = '') => {
    const isSorted = choice.sort === sort;
    const isDescending = FALLING.has(sort) !== choice.isReversed;
    return (
      <th
        scope="col"
        className={className}
        aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
      >
        <button
          type="button"
          className="sort"
          onClick={() => choose({ sort: isSorted && !choice.isReversed ? `-${sort}` : sort })}
        >
          {text}
          {isSorted && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
        </button>
      </th>
    );
  };
  return (
    <table className="services" aria-rowcount={rows.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          {head('state', 'State')}
          {head('service', 'Service')}
          {head('wanted', 'Wanted', 'wide')}
          {head('serving', 'Serving', 'wide')}
          <th scope="col">What is known</th>
          {head('move', 'Whose move', 'wide')}
          {head('age', 'Evidence', 'age')}
        </tr>
      </thead>
      {rows.length <= FEW ? (
        <FewRows {...walked} />
      ) : (
        <Suspense fallback={<FewRows {...walked} rows={rows.slice(0, FEW)} />}>
          <WindowedRows {...walked} />
        </Suspense>
      )}
    </table>
  );
}

function FewRows({ rows, at, setAt, show }: RowList) {
  useEffect(() => {
    show.current = (index) =>
      document.querySelector(`tr[data-index="${index}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [show]);
  return (
    <tbody>
      {rows.map((row, index) => (
        <ServiceRow key={row.ref} row={row} index={index} isAt={index === at} onFocus={() => setAt(index)} />
      ))}
    </tbody>
  );
}

/** j and k move through the rows, Enter opens the focused one. */
function useRowKeys(rows: readonly ServiceRowView[], show: (index: number) => void) {
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
        // Focuses at once, or when the row is drawn, so that a screen reader says it and Enter opens it.
        if (!focusRow(next)) requestAnimationFrame(() => focusRow(next));
      } else if (event.key === 'Enter' && event.target === document.body && rows[at] !== undefined)
        go(`/services/${rows[at].ref}`);
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
  return [at, setAt] as const;
}

function focusRow(index: number): boolean {
  const link = document.querySelector<HTMLElement>(`tr[data-index="${index}"] a`);
  link?.focus({ preventScroll: true });
  return link !== null;
}
