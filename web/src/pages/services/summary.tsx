import { longSpan } from '../../../../src/contract/presentation/times.ts';
import type { State } from '../../../../src/contract/vocabulary.ts';
import type { TargetAge } from '../../live/target-ages.ts';
import { StateMark } from '../../parts/state-mark.tsx';
import { GROUPS, type Group, groupOf, groupTitle } from './attention.ts';
import { honestyOf } from './honesty.ts';
import type { Choose, ListFilter } from './list-filter.ts';
import type { ServiceRowView } from './rows.ts';

/** The mark that stands for a group. */
const MARKS: Readonly<Record<Group, State>> = {
  'needs you': 'failed',
  'needs platform': 'degraded',
  unknown: 'unknown',
  'in progress': 'starting',
  running: 'running',
  stopped: 'stopped',
};
/** Counted only where there are any. */
const RARE: ReadonlySet<Group> = new Set(['needs platform']);
/** More targets than this are counted, and only silent ones are named. */
const FEW_TARGETS = 5;

interface Props {
  readonly rows: readonly ServiceRowView[];
  readonly targets: readonly TargetAge[];
  /** False while the list is read: what is counted is what was read so far. */
  readonly isComplete: boolean;
  /** The page has lost its server: of no target it can say that it is silent. */
  readonly isPageSilent: boolean;
  readonly mayOnlyRead: boolean;
  readonly choice: ListFilter;
  readonly choose: Choose;
}

/** Counts by group, each a filter; how much is proven, and by whom; both again as one bar. */
export function Summary({ rows, targets, isComplete, isPageSilent, mayOnlyRead, choice, choose }: Props) {
  const counts = new Map<Group, number>(GROUPS.map((group) => [group, 0]));
  for (const row of rows) {
    const group = groupOf(row);
    counts.set(group, (counts.get(group) ?? 0) + 1);
  }
  return (
    <section aria-label="Summary" className="summary">
      {GROUPS.filter((group) => !RARE.has(group) || counts.get(group) !== 0 || choice.group === group).map(
        (group) => (
          <button
            key={group}
            type="button"
            className="count"
            data-group={group}
            data-count={counts.get(group)}
            aria-pressed={choice.group === group}
            onClick={() => choose({ show: choice.group === group ? '' : group })}
          >
            <b className={counts.get(group) === 0 ? 'soft' : `tone-${MARKS[group]}`}>
              <StateMark state={MARKS[group]} />
              <span>{(counts.get(group) ?? 0).toLocaleString('en')}</span>
            </b>
            {groupTitle(group, mayOnlyRead)}
          </button>
        ),
      )}
      <Honesty
        rows={rows}
        targets={targets}
        isComplete={isComplete}
        isPageSilent={isPageSilent}
        onTarget={(target) => choose({ target })}
      />
      <div className="shares" aria-hidden="true">
        {GROUPS.map((group) => (
          <i
            key={group}
            className={`share-${MARKS[group]}`}
            style={{ flexGrow: counts.get(group) }}
            hidden={counts.get(group) === 0}
          />
        ))}
      </div>
    </section>
  );
}

interface HonestyProps {
  readonly isComplete: boolean;
  readonly isPageSilent: boolean;
  readonly rows: readonly ServiceRowView[];
  readonly targets: readonly TargetAge[];
  readonly onTarget: (target: string) => void;
}

function Honesty({ rows, targets: heardTargets, isComplete, isPageSilent, onTarget }: HonestyProps) {
  const targets = heardTargets.map((one) => (isPageSilent ? { ...one, isSilent: true } : one));
  const { lead, rest, proven } = honestyOf(rows);
  const heard = targets.filter(({ isSilent }) => !isSilent);
  const named =
    targets.length <= FEW_TARGETS ? targets.toReversed() : targets.filter(({ isSilent }) => isSilent);
  return (
    <div className="honesty">
      <p>
        <b>{lead}</b>
        {rest}
        {!isComplete && ', so far'}
      </p>
      <p className="target-ages">
        <span className="soft">{proven}</span>
        {targets.length > FEW_TARGETS && (
          <span>
            <span className="tone-running">
              <StateMark state="running" />
            </span>
            {heard.length} targets <span className="soft">heard</span>
          </span>
        )}
        {named.map(({ target, agoMs, isSilent }) => (
          <button key={target} type="button" data-silent={isSilent} onClick={() => onTarget(target)}>
            <span className={isSilent ? 'tone-unknown' : 'tone-running'}>
              <StateMark state={isSilent ? 'unknown' : 'running'} />
            </span>
            {target}{' '}
            <span className={isSilent ? 'tone-unknown' : 'soft'}>
              {isPageSilent ? 'last heard ' : isSilent ? 'silent ' : ''}
              {longSpan(agoMs)}
              {isPageSilent && ' ago'}
            </span>
          </button>
        ))}
      </p>
    </div>
  );
}
