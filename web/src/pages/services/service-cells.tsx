import { Link } from 'wouter';
import { authorAndActor, authorOf } from '../../../../src/contract/presentation/author.ts';
import { longSpan } from '../../../../src/contract/presentation/times.ts';
import { Icon } from '../../parts/icon.tsx';
import { Moment } from '../../parts/moment.tsx';
import { StateMark } from '../../parts/state-mark.tsx';
import { groupOf } from './attention.ts';
import { type NextWords, type ReadyCount, shownSince, stateLabel } from './row-words.ts';
import type { ServiceRowView } from './rows.ts';

/** The state as shape, word and colour. */
export function RowState({ row }: { readonly row: ServiceRowView }) {
  const { state } = row.claimView;
  // A service that waits for a silent target is listed under Unknown: it has the mark of that group, and its own word.
  const shown = groupOf(row) === 'unknown' ? 'unknown' : state;
  return (
    <span
      className={`badge tone-${shown}`}
      data-state={state}
      data-serves={row.serving !== null && !row.isUpForNow}
    >
      <StateMark state={shown} />
      <span>{stateLabel(row)}</span>
    </span>
  );
}

/** The time for which the state of a row is known to hold: a silence of seconds is a part of it, and no new begin. */
export function RowSince({ row, serverNow }: { readonly row: ServiceRowView; readonly serverNow: number }) {
  const { held } = row;
  return (
    <span title={held === null ? undefined : `not known for ${longSpan(held.unknownMs)} of it`}>
      {longSpan(serverNow - shownSince(row, serverNow))}
    </span>
  );
}

/** The name that leads to the page of the service, and the way to the app itself. */
export function ServiceLink({
  row,
  withApp = true,
}: {
  readonly row: ServiceRowView;
  readonly withApp?: boolean;
}) {
  const { ref, name, namespace, target, item } = row;
  // The link would lead to an error if nothing was seen serving, and within moments where the app exits all the time.
  const isServed = !row.isUpForNow && (row.serving !== null || row.lastServing !== null);
  const [url] = isServed ? item.urls : [];
  return (
    <span className="service-link">
      <Link href={`/services/${ref}`} className="cut" title={ref}>
        <b>{name}</b>
        <span className="soft">
          {namespace !== null && `.${namespace}`}@{target}
        </span>
      </Link>
      {withApp && url !== undefined && (
        <a
          href={url}
          target="_blank"
          rel="noreferrer"
          aria-label={`Open the app ${name}`}
          className="app-link"
        >
          <Icon name="out" />
        </a>
      )}
    </span>
  );
}

/** The revision that serves, and the wanted one where they differ. What was last seen stands on hatching. */
export function Revisions({ row }: { readonly row: ServiceRowView }) {
  const { serving, lastServing, claim } = row;
  const wanted = claim.desired.revision;
  const isGone = claim.state === 'stopped' && serving === null;
  const state = row.claimView.was?.state ?? row.claimView.state;
  const isTroubled = state === 'failed' || state === 'degraded';
  const isNothing = row.isNothingServing || row.isNothingLast;
  const last = serving ?? lastServing?.revision ?? null;
  const isBeside = last !== wanted;
  const served =
    last !== null ? (
      <b className={serving === null ? 'last-known' : undefined}>
        {(isTroubled || isBeside) && serving !== null && <Serves isUpForNow={row.isUpForNow} />}r{last}
      </b>
    ) : isNothing && (isTroubled || wanted > 1) ? (
      <b className={row.isNothingLast ? 'last-known' : isTroubled ? 'tone-failed' : undefined}>nothing</b>
    ) : (
      <span className="soft">none</span>
    );
  // Nothing is on its way to a revision that was stopped.
  if (isGone) return <span className="served-wanted mono soft">r{wanted}</span>;
  return (
    <span className="served-wanted mono">
      {isBeside && (
        <>
          <span className="visually-hidden">serving </span>
          {served}
          <Icon name="arrow" />
          <span className="visually-hidden">wanted </span>r{wanted}
        </>
      )}
      {!isBeside && served}
    </span>
  );
}

/**
 * Something still works: the first thing to know beside a failure, and beside what is on its way. What answers between two
 * exits does not.
 */
const Serves = ({ isUpForNow }: { readonly isUpForNow: boolean }) => (
  <span
    className={`serves tone-${isUpForNow ? 'degraded' : 'running'}`}
    title={isUpForNow ? 'Up for now' : undefined}
  >
    <StateMark state={isUpForNow ? 'degraded' : 'running'} />
    {isUpForNow && <span className="visually-hidden">up for now </span>}
  </span>
);

export const commitOf = ({ item }: ServiceRowView): string | null =>
  item.wanted?.git?.sha.slice(0, 7) ?? null;

interface RequestedProps {
  readonly row: ServiceRowView;
  readonly serverNow: number;
  /** False where the age stands by itself. */
  readonly withAge?: boolean;
}

/** The person behind the wanted revision, and how long ago it was requested. */
export function Requested({ row, serverNow, withAge = true }: RequestedProps) {
  const { wanted } = row.item;
  if (wanted === null) return null;
  return (
    <span className="requested soft">
      <span className="who" title={authorAndActor(wanted)}>
        {authorOf(wanted)}
      </span>
      {withAge && (
        <span className="ago">
          {' '}
          · <RequestedAgo row={row} serverNow={serverNow} />
        </span>
      )}
    </span>
  );
}

export function RequestedAgo({ row: { item }, serverNow }: RequestedProps) {
  if (item.wanted === null) return null;
  const { createdAt } = item.wanted;
  return <Moment at={createdAt}>{longSpan(serverNow - Date.parse(createdAt))}</Moment>;
}

export function Ready({ count }: { readonly count: ReadyCount | null }) {
  if (count === null) return <span className="soft">–</span>;
  const { ready, wanted, isProven } = count;
  return (
    <span className={isProven ? undefined : 'last-known'}>
      {ready}/{wanted}
    </span>
  );
}

/** Nothing of a revision that has not been applied can be ready: until then only the copies of the one that serves count. */
export function ReadyOfOne({ row, count, isNarrow = false }: ReadyProps & { readonly isNarrow?: boolean }) {
  const { serving, claim, item } = row;
  const isServed = serving !== null && serving !== claim.desired.revision && item.servingCopies != null;
  const isApplied = claim.proof.reached.includes('starting');
  if (!isServed || (isNarrow && isApplied)) return <Ready count={count} />;
  return (
    <span>
      {isApplied && (
        <>
          <Ready count={count} /> ·{' '}
        </>
      )}
      <span className="soft mono">r{serving}</span> {item.servingCopies}
    </span>
  );
}

interface ReadyProps {
  readonly row: ServiceRowView;
  readonly count: ReadyCount | null;
}

/** The ready copies of the wanted revision, and below it of the one that serves, each under its name. */
export function ReadyOfBoth({ row, count }: ReadyProps) {
  const { serving, claim, item } = row;
  const wanted = claim.desired.revision;
  if (serving === wanted || count === null) return <Ready count={count} />;
  return (
    <>
      <span className="soft mono">r{wanted}</span> <Ready count={count} />
      {serving !== null && item.servingCopies != null && (
        <span className="second">
          <span className="soft mono">r{serving}</span> {item.servingCopies}
        </span>
      )}
    </>
  );
}

/** The age of the newest observation; hatched in colour where it is too old to count. */
export function EvidenceAge({ row }: { readonly row: ServiceRowView }) {
  const { claimView, isTargetSilent } = row;
  if (claimView.ageMs === null) return <span className="soft">–</span>;
  const isOld = !claimView.isLive || claimView.state === 'unknown' || isTargetSilent;
  // Below the line that says for how long its target is silent, nothing is younger than that.
  const ageMs = (groupOf(row) === 'unknown' ? row.targetSilentMs : null) ?? claimView.ageMs;
  return <span className={isOld ? 'tone-unknown old' : undefined}>{longSpan(ageMs)}</span>;
}

interface NextProps {
  readonly next: NextWords | null;
  /** The row has one line. */
  readonly isShort: boolean;
}

export function Next({ next, isShort }: NextProps) {
  if (next === null) return null;
  const note = isShort ? next.inOneLine : next.note;
  return (
    <>
      <b>{next.who}</b> {note !== null && <span className="mid">{note}</span>}
    </>
  );
}

/** The states of the path as cells: passed, here, to come. */
export function PathCells({ row }: { readonly row: ServiceRowView }) {
  const { path } = row.claim;
  const passed = path.filter(({ reached }) => reached).length;
  return (
    <span className="path-cells" role="img" aria-label={`${passed} of ${path.length} states proven`}>
      {path.map(({ state, reached, current }) => (
        <i key={state} data-is={current ? 'here' : reached ? 'passed' : 'to come'} />
      ))}
    </span>
  );
}
