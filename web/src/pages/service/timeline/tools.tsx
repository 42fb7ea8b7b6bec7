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
  const { isTable, showTable, filter, choose, counts, chosen, look, revision, range, life, free } = props;
  const nameOf = (kind: EvidenceWindow) =>
    ({ deploy: `Deploy${revision === null ? '' : ` r${revision}`}`, hour: '1 h', day: '24 h', all: 'All' })[
      kind
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
      <span className="spread" />
      <fieldset className="segments" aria-label="Window">
        {EVIDENCE_WINDOWS.map((kind) => (
          <button key={kind} type="button" aria-pressed={chosen === kind} onClick={() => look({ kind })}>
            {nameOf(kind)}
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
