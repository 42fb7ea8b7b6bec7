import type { RefObject } from 'react';
import { Link } from 'wouter';
import { ago } from '../../../../src/contract/presentation/times.ts';
import { Badge } from '../../parts/badge.tsx';
import type { ServiceRowView } from './rows.ts';

/** The rows, the focused one, and how to bring it into view. */
export interface RowList {
  readonly rows: readonly ServiceRowView[];
  readonly at: number;
  readonly setAt: (index: number) => void;
  readonly show: RefObject<(index: number) => void>;
}

interface RowProps {
  readonly row: ServiceRowView;
  readonly index: number;
  readonly isAt: boolean;
  readonly measure?: (element: Element | null) => void;
  readonly onFocus: () => void;
}

export function ServiceRow({ row, index, isAt, measure, onFocus }: RowProps) {
  const { ref, name, target, claim, claimView, serving, lastServing, why, move } = row;
  const served = lastServing === null ? null : `r${lastServing.revision} ${ago(lastServing.agoMs)}`;
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
        <Badge claimView={claimView} />
      </td>
      <th scope="row" className="name">
        <Link href={`/services/${ref}`}>
          {name}
          <span className="soft">@{target}</span>
        </Link>
      </th>
      <td className="wide mono">r{claim.desired.revision}</td>
      <td className="wide mono">{serving === null ? (served ?? '–') : `r${serving}`}</td>
      <td className="why">
        {why}
        <span className="narrow soft">
          r{claim.desired.revision} wanted, {serving === null ? (served ?? 'none') : `r${serving}`} serving ·{' '}
          {move}
        </span>
      </td>
      <td className="wide soft">{move}</td>
      <td className="age">{claimView.ageMs === null ? '–' : ago(claimView.ageMs).replace(' ago', '')}</td>
    </tr>
  );
}
