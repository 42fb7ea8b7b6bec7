import { type ReactNode, useId, useRef } from 'react';
import type { RevisionView, WholeRevisionView } from '../../../../../src/contract/answers/views.ts';
import { changeLine } from '../../../../../src/contract/presentation/changes.ts';
import { madeOf } from '../../../../../src/contract/presentation/revision-changes.ts';
import { serverNowOf } from '../../../../../src/contract/presentation/server-contact.ts';
import { clockTime, dayBefore, span } from '../../../../../src/contract/presentation/times.ts';
import { useNow, useView } from '../../../live/live.ts';
import { CopyText } from '../../../parts/copy-text.tsx';
import { Moment } from '../../../parts/moment.tsx';
import { StateMark } from '../../../parts/state-mark.tsx';
import { useRevisionQuery } from '../failure.ts';
import { useQueryParameter } from '../query-parameter.ts';
import { Author } from '../serving-wanted.tsx';
import { ChangeTable } from './change-table.tsx';
import { MARKS, outcomeWord } from './revision-table.tsx';
import { StageBar, StageLegend, totalOf } from './stage-bar.tsx';

interface ComparisonOf {
  readonly service: string;
  readonly revisions: readonly RevisionView[];
  /** Compared where the address names none. */
  readonly desired: number;
  /** Nothing is shown of a revision that was made later than the shown instant. */
  readonly isPast: boolean;
}

interface Comparison {
  readonly whole: WholeRevisionView;
  /** Undefined: nothing configured it before. */
  readonly base: WholeRevisionView | undefined;
}

/**
 * The comparison that the address names. Another one that is chosen takes its place once it is read: a card that went and
 * came would move what is below it. `isAwaited`: the first answer has not come yet.
 */
export function useComparison({ service, revisions, desired, isPast }: ComparisonOf): {
  readonly shown: Comparison | null;
  readonly isAwaited: boolean;
} {
  const [toText] = useQueryParameter('to');
  const [fromText] = useQueryParameter('from');
  const isThere = (n: number) => !isPast || revisions.some(({ revision }) => revision === n);
  const asked = Number(toText ?? desired);
  const to = isThere(asked) ? asked : desired;
  const from = fromText === null || !isThere(Number(fromText)) ? null : Number(fromText);
  const read = useRevisionQuery(service, to, from);
  const against = read.data?.against ?? null;
  const before = useRevisionQuery(service, against);
  const last = useRef<Comparison | null>(null);
  if (read.data !== undefined && (against === null || before.data !== undefined))
    last.current = { whole: read.data, base: against === null ? undefined : before.data };
  // The list holds each outcome as of the shown instant; a revision that is read whole holds the one of now.
  const asListed = (one: WholeRevisionView): WholeRevisionView => {
    const listed = revisions.find(({ revision }) => revision === one.revision);
    return listed === undefined ? one : { ...one, attempts: listed.attempts, artifact: listed.artifact };
  };
  const { whole, base } = last.current ?? {};
  return {
    shown: whole === undefined ? null : { whole: asListed(whole), base: base && asListed(base) },
    isAwaited: [read, before].some(({ isLoading, failureCount }) => isLoading && failureCount === 0),
  };
}

interface Props {
  readonly comparison: Comparison;
  readonly numbers: readonly number[];
  readonly desired: number;
  /** Changed names that the end of the log of the wanted revision names too. */
  readonly named: ReadonlySet<string>;
  /** The way back from the wanted revision to the one beside it; null where there is none. */
  readonly wayBack: (against: number) => ReactNode;
}

/** The changes of a revision against another, and how long both took. */
export function Compare({ comparison: { whole, base }, numbers, desired, named, wayBack }: Props) {
  const [, goTo] = useQueryParameter('to');
  const [, goFrom] = useQueryParameter('from');
  const to = whole.revision;
  const against = whole.against;
  const changes = [...whole.changes, ...madeOf(base, whole)];
  return (
    <section className="card" aria-label={`What r${to} changed`}>
      <div className="comparing">
        <h2>What r{to} changed</h2>
        <Choice label="From" value={against} numbers={numbers.filter((n) => n !== to)} onChoose={goFrom} />
        <Choice label="To" value={to} numbers={numbers} onChoose={goTo} />
        <span className="soft">
          {against === null
            ? 'It is the first.'
            : changes.length === 0
              ? 'Nothing differs.'
              : `${changes.length} ${changes.length === 1 ? 'field differs' : 'fields differ'}.`}
        </span>
        {changes.length > 0 && (
          <CopyText text={`r${against} → r${to}\n${changes.map(changeLine).join('\n')}`} />
        )}
      </div>
      {changes.length > 0 && (
        <ChangeTable
          changes={changes}
          before={base === undefined ? 'Before' : <Compared revision={base} />}
          after={<Compared revision={whole} />}
          {...(to === desired && { named })}
        />
      )}
      {to === desired && against !== null && wayBack(against)}
      <Durations revisions={[base, whole].filter((one) => one !== undefined)} />
    </section>
  );
}

/** One side of a comparison: how it ended, who stands behind it, and when. */
function Compared({ revision: one }: { readonly revision: RevisionView }) {
  const outcome = one.attempts.at(-1)?.outcome ?? 'in_progress';
  const serverNow = serverNowOf(useView(), useNow());
  return (
    <>
      <span className={`badge tone-${MARKS[outcome]}`}>
        <StateMark state={MARKS[outcome]} />r{one.revision} {outcomeWord(outcome).toLowerCase()}
      </span>
      <small>
        <Author of={one} />,{' '}
        <Moment at={one.createdAt}>
          {dayBefore(one.createdAt, serverNow)}
          {clockTime(one.createdAt)}
        </Moment>
      </small>
    </>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: number | null;
  readonly numbers: readonly number[];
  readonly onChoose: (value: string) => void;
}

function Choice({ label, value, numbers, onChoose }: ChoiceProps) {
  const field = useId();
  const all = value === null || numbers.includes(value) ? numbers : [value, ...numbers];
  return (
    <>
      <label htmlFor={field} className="soft">
        {label}
      </label>
      <select id={field} value={value ?? ''} onChange={(e) => onChoose(e.target.value)}>
        {value === null && <option value="">–</option>}
        {all.map((n) => (
          <option key={n} value={n}>
            r{n}
          </option>
        ))}
      </select>
    </>
  );
}

function Durations({ revisions }: { readonly revisions: readonly RevisionView[] }) {
  const last = revisions.flatMap(({ revision, attempts }) => {
    const attempt = attempts.at(-1);
    return attempt === undefined ? [] : [{ revision, attempt }];
  });
  const longest = Math.max(1, ...last.map(({ attempt }) => totalOf(attempt)));
  return (
    <div className="durations">
      <h3>How long each stage took</h3>
      {last.map(({ revision, attempt }) => (
        <p key={revision}>
          <span className={`badge tone-${MARKS[attempt.outcome]}`}>
            <StateMark state={MARKS[attempt.outcome]} />r{revision}
          </span>
          <StageBar attempt={attempt} longest={longest} />
          <span className="mid">{span(totalOf(attempt))}</span>
        </p>
      ))}
      <StageLegend />
    </div>
  );
}
