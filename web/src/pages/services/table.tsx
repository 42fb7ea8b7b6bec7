import { type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ago } from '../../../../src/contract/presentation/times.ts';
import { Badge } from '../../parts/badge.tsx';
import { isField } from '../../parts/keys.tsx';
import { lazily } from '../../parts/lazily.ts';
import type { Choice, Choose } from './choice.ts';
import type { Row, Sort } from './rows.ts';

/** Up to this many rows are all drawn; of more, only the visible ones. */
const FEW = 100;
const WindowedRows = lazily(() => import('./windowed-rows.tsx').then((m) => m.WindowedRows));

/** Columns that are sorted in descending order first. */
const FALLING: ReadonlySet<Sort> = new Set(['wanted', 'serving', 'age']);

interface Props {
  readonly rows: readonly Row[];
  readonly choice: Choice;
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

/** The rows, the focused one, and how to bring it into view. */
export interface Walked {
  readonly rows: readonly Row[];
  readonly at: number;
  readonly setAt: (index: number) => void;
  readonly show: RefObject<(index: number) => void>;
}

function FewRows({ rows, at, setAt, show }: Walked) {
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

interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly isAt: boolean;
  readonly measure?: (element: Element | null) => void;
  readonly onFocus: () => void;
}

export function ServiceRow({ row, index, isAt, measure, onFocus }: RowProps) {
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
      <td className="why">
        {why}
        <span className="narrow soft">
          r{claim.desired.revision} wanted, {serving === null ? 'none' : `r${serving}`} serving · {move}
        </span>
      </td>
      <td className="wide soft">{move}</td>
      <td className="age">{shown.ageMs === null ? '–' : ago(shown.ageMs).replace(' ago', '')}</td>
    </tr>
  );
}

/** j and k move through the rows, Enter opens the focused one. */
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
