import { Icon } from '../../../parts/icon.tsx';
import { EVIDENCE_FILTERS, type EvidenceFilter } from './evidence-filter.ts';
import { type ChosenWindow, EVIDENCE_WINDOWS, type EvidenceWindow } from './evidence-window.ts';
import { type TimeRange, zoomed } from './time-range.ts';

interface Props {
  readonly isTable: boolean;
  readonly showTable: (isTable: boolean) => void;
  readonly filter: EvidenceFilter;
  readonly choose: (filter: EvidenceFilter) => void;
  readonly counts: Readonly<Record<EvidenceFilter, number>>;
  /** Records of this kind alone; null: of every kind. */
  readonly kind: string | null;
  readonly chooseKind: (kind: string | null) => void;
  readonly kinds: readonly (readonly [kind: string, count: number])[];
  readonly chosen: ChosenWindow['kind'];
  readonly look: (chosen: ChosenWindow) => void;
  readonly revision: number | null;
  readonly range: TimeRange;
  readonly life: TimeRange;
  readonly free: (range: TimeRange) => void;
}

const FILTER_NAMES: Readonly<Record<EvidenceFilter, string>> = {
  all: 'All',
  changed: 'Changed the claim',
  cited: 'Cited',
  refused: 'Refused',
};
const NEARER = 1.6;

/** The part of the evidence that is shown: how, which records, and from when to when. */
export function EvidenceTools(props: Props) {
  const { isTable, showTable, filter, choose, counts, kind, chooseKind, kinds } = props;
  const { chosen, look, revision, range, life, free } = props;
  const nameOf = (one: EvidenceWindow) =>
    ({ deploy: `Deploy${revision === null ? '' : ` r${revision}`}`, hour: '1 h', day: '24 h', all: 'All' })[
      one
    ];
  return (
    <header>
      <fieldset className="segments" aria-label="View">
        <button type="button" aria-pressed={!isTable} onClick={() => showTable(false)}>
          Timeline
        </button>
        <button type="button" aria-pressed={isTable} onClick={() => showTable(true)}>
          Table
        </button>
      </fieldset>
      <fieldset className="evidence-filters" aria-label="Records">
        {EVIDENCE_FILTERS.map((one) => (
          <button key={one} type="button" aria-pressed={filter === one} onClick={() => choose(one)}>
            {one === 'refused' && <i className="sign hollow" />}
            {FILTER_NAMES[one]} <span className="soft">{counts[one]}</span>
          </button>
        ))}
      </fieldset>
      <select
        aria-label="Kind of record"
        value={kind ?? ''}
        onChange={({ target }) => chooseKind(target.value === '' ? null : target.value)}
      >
        <option value="">Every kind</option>
        {kinds.map(([one, count]) => (
          <option key={one} value={one}>
            {one} ({count})
          </option>
        ))}
      </select>
      <span className="spread" />
      <fieldset className="segments" aria-label="Window">
        {EVIDENCE_WINDOWS.map((one) => (
          <button key={one} type="button" aria-pressed={chosen === one} onClick={() => look({ kind: one })}>
            {nameOf(one)}
          </button>
        ))}
      </fieldset>
      {!isTable && (
        <span className="reach">
          <button
            type="button"
            aria-label="Farther"
            title="Farther (-)"
            onClick={() => free(zoomed(range, 1 / NEARER, 0.5, life))}
          >
            <Icon name="minus" />
          </button>
          <button
            type="button"
            aria-label="Nearer"
            title="Nearer (+)"
            onClick={() => free(zoomed(range, NEARER, 0.5, life))}
          >
            <Icon name="plus" />
          </button>
        </span>
      )}
    </header>
  );
}
