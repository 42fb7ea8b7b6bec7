import { Suspense } from 'react';
import { Icon } from '../../parts/icon.tsx';
import { afterThePage } from '../../parts/lazily.ts';
import type { Session } from '../../session.ts';
import { type Choose, LAYOUTS, type Layout, type ListFilter } from './list-filter.ts';

const ViewsBar = afterThePage(() => import('./views-bar.tsx').then((m) => m.ViewsBar));

const LAYOUT_TITLES: Readonly<Record<Layout, string>> = { rows: 'Rows', compact: 'Compact', map: 'Map' };

interface Props {
  readonly choice: ListFilter;
  readonly choose: Choose;
  readonly session: Session;
  /** The list is long, and not complete yet. */
  readonly isReading: boolean;
}

/** Views, the search, and the forms of the list. */
export function Tools({ choice, choose, session, isReading }: Props) {
  return (
    <div className="tools">
      <Suspense fallback={<div className="views" />}>
        <ViewsBar session={session} />
      </Suspense>
      {choice.target !== '' && <Chosen text={`on ${choice.target}`} onClear={() => choose({ target: '' })} />}
      {choice.by !== '' && choice.by !== session.name && (
        <Chosen text={`by ${choice.by}`} onClear={() => choose({ by: '' })} />
      )}
      {choice.state !== '' && <Chosen text={choice.state} onClear={() => choose({ state: '' })} />}
      <span role="status" className="soft">
        {isReading && 'Reading on …'}
      </span>
      <search className="find">
        <Icon name="filter" />
        <input
          type="search"
          aria-label="Name, commit or author"
          placeholder="Name, commit or author"
          value={choice.search}
          onChange={(event) => choose({ q: event.target.value })}
        />
        <kbd aria-hidden="true">/</kbd>
      </search>
      <fieldset className="segments">
        <legend className="visually-hidden">Form of the list</legend>
        {LAYOUTS.map((layout) => (
          <button
            key={layout}
            type="button"
            aria-pressed={choice.layout === layout}
            onClick={() => choose({ as: layout === 'rows' ? '' : layout })}
          >
            <Icon name={layout} />
            <span>{LAYOUT_TITLES[layout]}</span>
          </button>
        ))}
      </fieldset>
    </div>
  );
}

/** A filter that came with the address, and the way out of it. */
function Chosen({ text, onClear }: { readonly text: string; readonly onClear: () => void }) {
  return (
    <button
      type="button"
      className="chip"
      aria-pressed="true"
      aria-label={`${text}, remove`}
      onClick={onClear}
    >
      {text}
      <Icon name="close" />
    </button>
  );
}
