import type { Sort } from './attention.ts';
import type { Choose, ListFilter } from './list-filter.ts';

interface Props {
  readonly choice: Pick<ListFilter, 'sort' | 'isReversed'>;
  readonly choose: Choose;
}

/** The columns of the list. */
export function ListHead({ choice, choose }: Props) {
  return (
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
  );
}

const SORT_COLUMNS: Readonly<Record<Sort, string>> = {
  service: 'c-service',
  deployed: 'c-revisions',
  evidence: 'c-evidence',
};
/** Columns whose first order is the greatest first. */
const FALLING: ReadonlySet<Sort> = new Set(['deployed', 'evidence']);

interface SortHeadProps extends Props {
  readonly sort: Sort;
  readonly text: string;
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
