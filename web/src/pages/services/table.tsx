import { type RefObject, Suspense, useEffect, useRef } from 'react';
import { lazily } from '../../parts/lazily.ts';
import type { ListLine, Sort } from './attention.ts';
import type { Choose, ListFilter } from './list-filter.ts';
import { keyOf, Line } from './list-lines.tsx';
import type { ListSight } from './row-words.ts';
import { useRowKeys } from './use-row-keys.ts';

/** Up to this many lines are all drawn; of more, only the visible ones. */
const FEW = 100;
const WindowedLines = lazily(() => import('./windowed-lines.tsx').then((m) => m.WindowedLines));

/** The lines, the service in focus, and how to bring it into view. */
export interface LineList {
  readonly lines: readonly ListLine[];
  readonly at: number;
  readonly sight: ListSight;
  readonly show: RefObject<(index: number) => void>;
}

interface Props {
  readonly lines: readonly ListLine[];
  readonly sight: ListSight;
  readonly choice: ListFilter;
  readonly choose: Choose;
}

export function ServiceTable({ lines, sight, choice, choose }: Props) {
  const show = useRef<(index: number) => void>(() => {});
  const refs = lines.flatMap((line) => (line.kind === 'service' ? line.row.ref : []));
  const at = useRowKeys(refs, (index) => show.current(index), sight.serverNow);
  const list = { lines, at, sight, show };
  return (
    <table className="services" aria-rowcount={refs.length + 1}>
      <thead>
        <tr aria-rowindex={1}>
          <th scope="col" className="c-state">
            State
          </th>
          <SortHead sort="service" text="Service" choice={choice} choose={choose} />
          <SortHead sort="deployed" text="Serving, wanted" choice={choice} choose={choose} />
          <th scope="col" className="c-why">
            Why
          </th>
          <th scope="col" className="c-ribbon">
            <span>
              24 h ago <span>now</span>
            </span>
          </th>
          <th scope="col" className="c-ready">
            Ready
          </th>
          <SortHead sort="evidence" text="Evidence" choice={choice} choose={choose} />
          <th scope="col" className="c-next">
            Next
          </th>
        </tr>
      </thead>
      {lines.length <= FEW ? (
        <FewLines {...list} />
      ) : (
        <Suspense fallback={<FewLines {...list} lines={lines.slice(0, FEW)} />}>
          <WindowedLines {...list} />
        </Suspense>
      )}
    </table>
  );
}

const SORT_COLUMNS: Readonly<Record<Sort, string>> = {
  service: 'c-service',
  deployed: 'c-revisions',
  evidence: 'c-evidence',
};
/** Columns whose first order is the greatest first. */
const FALLING: ReadonlySet<Sort> = new Set(['deployed', 'evidence']);

interface SortHeadProps {
  readonly sort: Sort;
  readonly text: string;
  readonly choice: ListFilter;
  readonly choose: Choose;
}

/** Pressed again it turns the order around, and once more it goes back to the order by attention. */
function SortHead({ sort, text, choice, choose }: SortHeadProps) {
  const isSorted = choice.sort === sort;
  const isDescending = FALLING.has(sort) !== choice.isReversed;
  const next = !isSorted ? sort : choice.isReversed ? '' : `-${sort}`;
  return (
    <th
      scope="col"
      className={SORT_COLUMNS[sort]}
      aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" className="sort" onClick={() => choose({ sort: next })}>
        {text}
        {isSorted && <span aria-hidden="true">{isDescending ? ' ↓' : ' ↑'}</span>}
      </button>
    </th>
  );
}

function FewLines({ lines, at, sight, show }: LineList) {
  useEffect(() => {
    show.current = (index) =>
      document.querySelector(`tr[data-index="${index}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [show]);
  return (
    <tbody>
      {lines.map((line) => (
        <Line key={keyOf(line)} line={line} at={at} sight={sight} />
      ))}
    </tbody>
  );
}
