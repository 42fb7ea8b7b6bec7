import { memo } from 'react';
import { Link } from 'wouter';
import { ago, clockTime } from '../../../../src/contract/presentation/times.ts';
import { useView } from '../../live/live.ts';
import { Moment } from '../../parts/moment.tsx';
import { GROUP_RULES, groupTitle, type ListLine } from './attention.ts';
import type { ListSight } from './row-words.ts';
import { ServiceRow } from './service-row.tsx';

export const LIST_COLUMNS = 8;

/** The place of a line in a list of which only a part is drawn, and what measures it. */
interface DrawnAt {
  readonly at: number;
  readonly measure: (element: Element | null) => void;
}

interface Props {
  readonly line: ListLine;
  readonly drawn?: DrawnAt;
  readonly at: number;
  readonly sight: ListSight;
}

/**
 * One line of the list: the heading of a group, a silent target, or a service. While somebody scrolls, most lines in sight are
 * the same as in the frame before: these are not drawn anew.
 */
export const ListRow = memo(DrawnRow, (before, after) => {
  const isSame = (['line', 'at', 'sight'] as const).every((name) => before[name] === after[name]);
  return isSame && before.drawn?.at === after.drawn?.at && before.drawn?.measure === after.drawn?.measure;
});

function DrawnRow({ line, at, sight, drawn }: Props) {
  const place = { ref: drawn?.measure, 'data-line': drawn?.at };
  switch (line.kind) {
    case 'heading':
      return (
        <tr {...place} className="heading" data-heading={line.group}>
          <th scope="rowgroup" colSpan={LIST_COLUMNS}>
            {groupTitle(line.group, sight.mayOnlyRead)}{' '}
            <span className="soft">{line.count.toLocaleString('en')}</span>
            {line.down !== '' && <span className="down tone-failed">{line.down}</span>}
            <span className="rule soft">{GROUP_RULES[line.group]}</span>
          </th>
        </tr>
      );
    case 'silence':
      return (
        <tr {...place} className="silence">
          <td colSpan={LIST_COLUMNS}>
            <Silence target={line.target} count={line.count} serverNow={sight.serverNow} />
          </td>
        </tr>
      );
    case 'service':
      return (
        <ServiceRow
          place={place}
          row={line.row}
          group={line.group}
          index={line.index}
          isAt={line.index === at}
          sight={sight}
        />
      );
  }
}

interface SilenceProps {
  readonly target: string;
  readonly count: number;
  readonly serverNow: number;
}

/** Says once that a target is silent, and what that means for its services. */
export function Silence({ target, count, serverNow }: SilenceProps) {
  const asOf = useView().fresh[target]?.asOf;
  const services = count === 1 ? 'The service on it' : `The ${count.toLocaleString('en')} services on it`;
  return (
    <p className="silence-notice">
      <i aria-hidden="true" />
      <span>
        <b>
          {target} has been silent
          {asOf !== undefined && (
            <>
              {' '}
              since <Moment at={asOf}>{clockTime(asOf)}</Moment>
            </>
          )}
        </b>
        {asOf !== undefined && ` (${ago(serverNow - Date.parse(asOf)).replace(' ago', '')})`}. {services} may
        be fine or may be down: nobody can tell from here.
      </span>
      <Link href={`/targets?target=${target}`}>Target {target}</Link>
    </p>
  );
}

/** Lines have names of their own, so that a service that moves keeps its row. */
export const lineKey = (line: ListLine): string =>
  line.kind === 'service' ? line.row.ref : line.kind === 'heading' ? `: ${line.group}` : `@ ${line.target}`;
