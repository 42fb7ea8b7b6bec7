import { type KeyboardEvent, type MouseEvent, memo, useState } from 'react';
import { useLocation } from 'wouter';
import { StateMark } from '../../parts/state-mark.tsx';
import { type CellForm, cellForm, type NamespaceBlock } from './map-blocks.ts';
import { stateLabel } from './row-words.ts';
import type { ServiceRowView } from './rows.ts';

/** The service under the pointer or the keys, and where the words about it stand. */
export interface Pointed {
  readonly ref: string;
  readonly left: number;
  readonly top: number;
}

interface Props {
  readonly target: string;
  readonly block: NamespaceBlock;
  /** Stands for everything that is drawn of the services: while it is the same, nothing is drawn anew. */
  readonly forms: string;
  readonly onPoint: (pointed: Pointed | null) => void;
}

/** About twice as wide as high, which fills a wide page with few gaps. */
const columnsOf = (count: number) => Math.max(4, Math.ceil(Math.sqrt(count * 2)));
const TIP_PX = 330;

/**
 * The marks of a namespace: one thing to focus, in which arrows walk. Rejected: a link for each, which thousands of stops
 * for the tab key would be, each too small to press.
 */
export const MapCells = memo(
  function MapCells({ target, block, onPoint }: Props) {
    const { namespace, rows, trouble } = block;
    const [at, setAt] = useState(0);
    const [, go] = useLocation();
    const id = `${namespace ?? ''}@${target}`;
    const columns = columnsOf(rows.length);
    const pointTo = (cell: Element | null) => {
      if (!(cell instanceof HTMLElement)) return onPoint(null);
      const { left, bottom } = cell.getBoundingClientRect();
      onPoint({
        ref: cell.dataset.service ?? '',
        left: Math.max(8, Math.min(left - 16, innerWidth - TIP_PX)) + scrollX,
        top: bottom + 6 + scrollY,
      });
    };
    const press = (event: KeyboardEvent) => {
      const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns }[event.key];
      const row = rows[at];
      if (event.key === 'Enter' && row !== undefined) go(`/services/${row.ref}`);
      if (step === undefined) return;
      event.preventDefault();
      const next = Math.min(rows.length - 1, Math.max(0, at + step));
      setAt(next);
      pointTo(event.currentTarget.children[next] ?? null);
    };
    const open = (event: MouseEvent) => {
      const ref = cellOf(event.target)?.dataset.service;
      if (ref === undefined) return;
      if (event.ctrlKey || event.metaKey) window.open(`/services/${ref}`);
      else go(`/services/${ref}`);
    };
    return (
      <div data-unknown={trouble !== null}>
        <p>
          {namespace} <span className="soft">{rows.length.toLocaleString('en')}</span>
          {trouble !== null && <b className="tone-unknown">{trouble}</b>}
        </p>
        <div
          role="listbox"
          tabIndex={0}
          aria-label={`${namespace === null ? target : `${namespace} on ${target}`}${trouble === null ? '' : `, ${trouble}`}`}
          aria-activedescendant={`${id} ${at}`}
          className="map-cells"
          style={{ width: `calc(${columns} * var(--cell))` }}
          onMouseOver={(event) => pointTo(cellOf(event.target))}
          onMouseLeave={() => onPoint(null)}
          onFocus={(event) => pointTo(event.currentTarget.children[at] ?? null)}
          onBlur={() => onPoint(null)}
          onKeyDown={press}
          onClick={open}
        >
          {rows.map((row, i) => (
            <Cell key={row.ref} id={`${id} ${i}`} row={row} form={cellForm(row)} isAt={i === at} />
          ))}
        </div>
      </div>
    );
  },
  (before, after) =>
    before.forms === after.forms &&
    before.block.trouble === after.block.trouble &&
    before.block.rows.length === after.block.rows.length &&
    before.block.rows.every(({ ref }, i) => ref === after.block.rows[i]?.ref),
);

const cellOf = (target: EventTarget) => (target as HTMLElement).closest<HTMLElement>('[data-service]');

interface CellProps {
  readonly id: string;
  readonly row: ServiceRowView;
  readonly form: CellForm;
  readonly isAt: boolean;
}

function Cell({ id, row, form, isAt }: CellProps) {
  const { state } = row.claimView;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus, and names the one in it
    <span
      id={id}
      role="option"
      aria-selected={isAt}
      aria-label={`${row.ref}, ${stateLabel(row)}${form === 'down' ? ', nothing serves' : ''}`}
      data-service={row.ref}
      data-form={form}
      className={`tone-${state}`}
    >
      {form === 'running' || form === 'unknown' || form === 'stopped' ? (
        <i className={`cell-${form}`} />
      ) : (
        <StateMark state={state} />
      )}
    </span>
  );
}
