import { wordOf } from '../../../../src/contract/presentation/words.ts';
import { STATES } from '../../../../src/contract/vocabulary.ts';
import type { Choose, ListFilter } from './list-filter.ts';
import { GROUPS, type ServiceRowView } from './rows.ts';

interface Props {
  readonly rows: readonly ServiceRowView[];
  readonly choice: ListFilter;
  readonly choose: Choose;
}

export function Filters({ rows, choice, choose }: Props) {
  const targets = [...new Set(rows.map(({ target }) => target))].sort();
  return (
    <search className="filters" aria-label="Filters">
      <button
        type="button"
        className="chip"
        aria-pressed={choice.group === null}
        onClick={() => choose({ show: '' })}
      >
        all {rows.length}
      </button>
      {GROUPS.map((group) => {
        const count = rows.filter((row) => row.group === group).length;
        if (count === 0 && choice.group !== group) return null;
        return (
          <button
            key={group}
            type="button"
            className="chip"
            aria-pressed={choice.group === group}
            onClick={() => choose({ show: choice.group === group ? '' : group })}
          >
            {group} {count}
          </button>
        );
      })}
      <span className="spread" />
      <select aria-label="State" value={choice.state} onChange={(e) => choose({ state: e.target.value })}>
        <option value="">every state</option>
        {STATES.map((state) => (
          <option key={state} value={state}>
            {wordOf(state)}
          </option>
        ))}
      </select>
      {targets.length > 1 && (
        <select
          aria-label="Target"
          value={choice.target}
          onChange={(e) => choose({ target: e.target.value })}
        >
          <option value="">every target</option>
          {targets.map((target) => (
            <option key={target}>{target}</option>
          ))}
        </select>
      )}
      <label className="search">
        <span className="visually-hidden">Search</span>
        <input
          type="search"
          placeholder="Search"
          value={choice.search}
          onChange={(e) => choose({ q: e.target.value })}
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
    </search>
  );
}
