import { Suspense } from 'react';
import { DatedText, momentsOf } from '../../parts/dated-text.tsx';
import { afterThePage } from '../../parts/lazily.ts';
import { Moment } from '../../parts/moment.tsx';
import { whatOf } from '../service/revision-name.ts';
import { type Group, isTrouble } from './attention.ts';
import { isDown } from './down.ts';
import { type ListSight, nextOf, readyCountOf, servingWords, shownSince, whyOf } from './row-words.ts';
import type { ServiceRowView } from './rows.ts';
import {
  commitOf,
  EvidenceAge,
  Next,
  PathCells,
  ReadyOfBoth,
  ReadyOfOne,
  Requested,
  RequestedAgo,
  Revisions,
  RowSince,
  RowState,
  ServiceLink,
} from './service-cells.tsx';

const RowRibbon = afterThePage(() => import('./row-ribbon.tsx').then((m) => m.RowRibbon));

interface RowProps {
  readonly row: ServiceRowView;
  readonly group: Group | null;
  readonly index: number;
  readonly isAt: boolean;
  readonly sight: ListSight;
  /** The attributes of a line of which only the visible ones are drawn. */
  readonly place: object;
}

/** A service in one line; in two where somebody has to act. */
export function ServiceRow({ row, group, index, isAt, sight, place }: RowProps) {
  const { ref, item } = row;
  const { serverNow } = sight;
  const was = row.claimView.was?.state;
  // The line of the log stays in sight where nobody knows any more whether it is still so.
  const wasTrouble = (was === 'failed' || was === 'degraded') && item.failingLine !== null;
  const isTall = isTrouble(group) || wasTrouble;
  const why = whyOf(row, sight);
  // The sentence about what still serves is bold: it is read right after what is wrong.
  const serves = isTrouble(group) ? servingWords(row).join(' ') : '';
  const [reason, tail] = why.endsWith(serves)
    ? [why.slice(0, why.length - serves.length), serves]
    : [why, ''];
  const since = shownSince(row, serverNow);
  const next = nextOf(row, sight);
  const commit = commitOf(row);
  return (
    <tr
      {...place}
      className={isTall ? 'line tall' : 'line'}
      data-index={index}
      data-service={ref}
      data-group={group}
      data-down={isTall && isDown(row)}
      data-at={isAt}
      aria-rowindex={index + 2}
    >
      <td className="c-state">
        <RowState row={row} />{' '}
        <span className="since soft">
          <Moment at={since}>
            <RowSince row={row} serverNow={serverNow} />
          </Moment>
        </span>
      </td>
      <th scope="row" className="c-service">
        <ServiceLink row={row} />
        {isTall && item.wanted?.managedBy != null && (
          <span className="second mid">Managed by {item.wanted.managedBy}</span>
        )}
      </th>
      <td className="c-revisions">
        <span className="first">
          <Revisions row={row} />
          {!isTall && commit !== null && <span className="mono soft">{commit}</span>}
          <Requested row={row} serverNow={serverNow} withAge={!isTall || commit === null} />
        </span>
        {isTall && commit !== null && (
          <span className="second">
            <span className="cut">
              <span className="mono soft">{commit}</span> {whatOf(item.wanted ?? undefined)}
            </span>
            <span className="ago soft">
              <RequestedAgo row={row} serverNow={serverNow} />
            </span>
          </span>
        )}
      </td>
      <td className="c-why">
        <span className="cut" title={why}>
          {group === 'in progress' && <PathCells row={row} />}
          <span className="reason">
            <DatedText text={reason} moments={momentsIn(row, serverNow)} serverNow={serverNow} />
          </span>
          {tail !== '' && (
            <>
              {' '}
              <b className={row.isNothingServing ? 'tone-failed' : undefined}>{tail}</b>
            </>
          )}
        </span>
        {isTall && item.failingLine !== null && (
          <span className="second mono cut" title={item.failingLine}>
            {item.failingLine}
          </span>
        )}
      </td>
      <td className="c-ribbon">
        <Suspense>
          <RowRibbon row={row} serverNow={serverNow} />
        </Suspense>
      </td>
      <td className="c-ready">
        {isTall ? (
          <ReadyOfBoth row={row} count={readyCountOf(row)} />
        ) : (
          <ReadyOfOne row={row} count={readyCountOf(row)} />
        )}
      </td>
      <td className="c-evidence">
        <EvidenceAge row={row} />
      </td>
      <td className="c-next">
        <span className="cut" title={next?.note ?? undefined}>
          <Next next={next} isShort={!isTall} />
        </span>
      </td>
    </tr>
  );
}

/** The moments that the reason of a row may name. */
function momentsIn({ claim, claimView }: ServiceRowView, serverNow: number): readonly (string | number)[] {
  const { was } = claimView;
  return [...momentsOf(claim), ...(was === null ? [] : [serverNow - was.agoMs])];
}
