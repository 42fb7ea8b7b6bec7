import { Fragment, type ReactNode } from 'react';
import type { LogLineView } from '../../../../src/contract/answers/views.ts';
import { errorPlaces } from '../../../../src/contract/presentation/error-lines/error-lines.ts';
import { clockTime, dayBefore, preciseTime } from '../../../../src/contract/presentation/times.ts';
import { Moment } from '../../parts/moment.tsx';
import { lineName } from './log-address.ts';
import { exitsBefore } from './run-ends.ts';

interface Props {
  readonly lines: readonly LogLineView[];
  /** When exits of instances were seen, oldest first. */
  readonly exits: readonly string[];
  /** Each line names its instance. */
  readonly withNames: boolean;
  /** The name of the line that the address of the page names; null: none. */
  readonly sought: string | null;
  /** The server's time: lines of other days stand below their day. */
  readonly now: number;
  /** Marked wherever it stands, in small letters; empty: nothing. */
  readonly search: string;
  readonly addressOf: (line: LogLineView) => string;
}

/**
 * The lines of a log: a rule where a run was seen to end, a mark at each line that names an error. The time of a line is its
 * link. One of them is reached by Tab, the others by arrows from there: a thousand stops would bar the way.
 */
export function LogText({ lines, exits, withNames, sought, now, search, addressOf }: Props) {
  const errors = errorsIn(lines);
  const ends = exitsBefore(lines, exits);
  const at = sought === null ? -1 : lines.findIndex((line) => !line.notice && lineName(line) === sought);
  const dayOf = (i: number) => (lines[i] === undefined ? '' : dayBefore(lines[i].at, now));
  const stop = at < 0 ? lines.length - 1 : at;
  return lines.map((line, i) => (
    <Fragment key={`${line.instance ?? ''}.${line.seq}.${line.at}`}>
      {ends.get(i)?.map((at) => (
        <RunEnd key={at} at={at} />
      ))}
      {dayOf(i) !== dayOf(i - 1) && <div className="log-day">{dayOf(i) || 'Today'}</div>}
      <div
        className={line.notice ? 'notice' : errors.has(i) ? 'error-line' : ''}
        aria-current={i === at || undefined}
      >
        {line.notice ? (
          <Moment at={line.at}>{preciseTime(line.at)}</Moment>
        ) : (
          <a className="line-link" href={addressOf(line)} tabIndex={i === stop ? 0 : -1}>
            <Moment at={line.at}>{preciseTime(line.at)}</Moment>
          </a>
        )}
        {withNames && <span className="soft">{line.instance ?? ''}</span>}
        <span>
          {errors.has(i) && <span className="visually-hidden">Error: </span>}
          {found(line.line, search)}
        </span>
      </div>
      {i === lines.length - 1 && ends.get(lines.length)?.map((at) => <RunEnd key={at} at={at} />)}
    </Fragment>
  ));
}

/** Each instance by itself: traces that two of them write at once stand between each other. */
function errorsIn(lines: readonly LogLineView[]): ReadonlySet<number> {
  const places = new Map<string | null, number[]>();
  for (const [i, { instance }] of lines.entries()) {
    const own = places.get(instance);
    if (own === undefined) places.set(instance, [i]);
    else own.push(i);
  }
  return new Set(
    [...places.values()].flatMap((own) =>
      [...errorPlaces(own.map((i) => lines[i]?.line ?? ''))].flatMap((at) => own[at] ?? []),
    ),
  );
}

/** A line in which what was searched for is marked. */
function found(line: string, search: string): ReactNode {
  const small = line.toLowerCase();
  // Some letters are longer in small: then nothing says where it stands.
  if (search === '' || small.length !== line.length) return line;
  const starts = small.split(search).slice(0, -1);
  let from = 0;
  const parts = starts.map((before, i) => {
    const at = from + before.length;
    const part = (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a line never move
      <Fragment key={i}>
        {line.slice(from, at)}
        <mark>{line.slice(at, at + search.length)}</mark>
      </Fragment>
    );
    from = at + search.length;
    return part;
  });
  return [...parts, line.slice(from)];
}

const RunEnd = ({ at }: { readonly at: string }) => (
  <div className="run-end">
    <Moment at={at}>{clockTime(at)}</Moment>
    <span>an exit was seen</span>
  </div>
);
