import { type KeyboardEvent, type MouseEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import type { InstanceView, LogLineView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { defaultLogStream } from '../../../../src/contract/presentation/default-log-stream.ts';
import { clockTime } from '../../../../src/contract/presentation/times.ts';
import { lineAddress, lineName, linesAround, namedLine } from './log-address.ts';
import { LogDownload } from './log-download.tsx';
import { KEPT, useAllLines, useExits, useLines } from './log-reading.ts';
import { LogText } from './log-text.tsx';
import { useQueryParameter } from './query-parameter.ts';

const NO_LINES: readonly LogLineView[] = [];
const STREAMS = ['build', 'run'] as const;
type LogStream = (typeof STREAMS)[number];

interface Props {
  readonly service: string;
  readonly claim: Claim;
  /** Shows no line written after this instant; null follows the end. */
  readonly until: number | null;
  /** The instances that are known, each with its revision. */
  readonly instances: readonly Pick<InstanceView, 'name' | 'revision'>[];
}

/**
 * Lines of the build and of the instances. They follow while the end is visible, and pause when somebody
 * scrolls up.
 */
export function Logs({ service, claim, until, instances }: Props) {
  const { desired } = claim;
  const served = claim.serving ?? claim.lastServing;
  const [at] = useQueryParameter('at');
  const [lineInAddress, goToLine] = useQueryParameter('line');
  const [, navigate] = useLocation();
  const sought = useMemo(() => namedLine(lineInAddress), [lineInAddress]);
  const [chosen, choose] = useState<LogStream | null>(null);
  const stream = sought?.stream ?? chosen ?? defaultLogStream(claim, 'active revision');
  const [search, setSearch] = useState('');
  const [isHeld, hold] = useState(false);
  const isPaused = isHeld || sought !== null;
  const [instance, chooseInstance] = useState('');
  // Offers the log of the revision that still serves beside the one in trouble.
  const [isServedChosen, chooseServed] = useState(false);
  const other = served !== null && served.revision !== desired.revision ? served : null;
  const shown = sought ?? (isServedChosen && other !== null ? other : desired);
  const offered = [desired, other, sought].flatMap((one, i, all) =>
    one === null || all.findIndex((same) => same?.revision === one.revision) < i ? [] : [one],
  );
  const sourceOf = ({ revision, attempt }: { readonly revision: number; readonly attempt: number }) =>
    `/v1/services/${service}/logs?stream=${stream}&revision=${revision}&attempt=${attempt}${instance === '' ? '' : `&instance=${encodeURIComponent(instance)}`}`;
  const followed = useLines(sourceOf(shown), isPaused || until !== null);
  // A line that was pressed stays where it is; one that an address names may be older than what is followed.
  const isInSight = useMemo(
    () => sought !== null && followed?.some((line) => lineName(line) === sought.name) === true,
    [followed, sought],
  );
  const isOld = until !== null || (sought !== null && !isInSight);
  const kept = useAllLines(sourceOf(shown), isOld);
  const written = useMemo(() => linesUntil(kept, until, sought?.name ?? null), [kept, until, sought]);
  // A revision that had just been applied had logged nothing: what served then had.
  const isOther =
    until !== null && sought === null && written.length === 0 && served !== null && shown === desired;
  const keptBefore = useAllLines(sourceOf(served ?? desired), isOther);
  const before = useMemo(() => linesUntil(keptBefore, until, null), [keptBefore, until]);
  const lines = isOther ? before : isOld ? written : (followed ?? NO_LINES);
  const isReading = (isOther ? keptBefore : isOld ? kept : followed) === undefined;
  const isGone = isOld && sought !== null && kept?.every((line) => lineName(line) !== sought.name) === true;
  const exits = useExits(
    service,
    stream === 'run' && search === '' && shown.revision === desired.revision,
    until,
  );
  const box = useRef<HTMLDivElement>(null);
  const field = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every new line
  useEffect(() => {
    if (!isPaused && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, exits.length, isPaused]);
  const isMarked = sought !== null && lines.some((line) => lineName(line) === sought.name);
  useEffect(() => {
    if (isMarked) intoSight(box.current, box.current?.querySelector('[aria-current]') ?? null);
  }, [isMarked]);
  /** Leaves the line that the address names: the end is followed again. */
  const leaveLine = () => {
    hold(false);
    goToLine(null);
  };
  const onPress = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    navigate(link.getAttribute('href') ?? '', { replace: sought !== null });
  };
  const names = [
    ...new Set([
      ...(stream === 'run'
        ? instances.flatMap(({ name, revision }) => (revision === shown.revision ? [name] : []))
        : []),
      ...lines.flatMap((line) => line.instance ?? []),
      ...(instance === '' ? [] : [instance]),
    ]),
  ].sort();
  const words = search.toLowerCase();
  const found = lines.filter(({ line }) => line.toLowerCase().includes(words));
  return (
    <section className="card logs" id="log" aria-label="Logs">
      <header>
        <h2>Log</h2>
        {STREAMS.map((name) => (
          <button
            key={name}
            type="button"
            className="chip"
            aria-pressed={stream === name}
            onClick={() => {
              choose(name);
              chooseInstance('');
              leaveLine();
            }}
          >
            {name}
          </button>
        ))}
        {offered.length > 1 && (
          <span className="of-revision">
            {offered.map((one) => (
              <button
                key={one.revision}
                type="button"
                className="chip"
                aria-pressed={shown.revision === one.revision}
                onClick={() => {
                  if (one === sought) return;
                  chooseServed(one === other);
                  chooseInstance('');
                  leaveLine();
                }}
              >
                r{one.revision}
                {one === other && (
                  <span className="soft"> {claim.serving === null ? 'served' : 'serves'}</span>
                )}
              </button>
            ))}
          </span>
        )}
        {names.length > 1 && (
          <select
            aria-label="Instance"
            value={instance}
            onChange={({ target }) => {
              chooseInstance(target.value);
              leaveLine();
            }}
          >
            <option value="">All {names.length} instances</option>
            {names.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        {names.length === 1 && <span className="soft mono">{names[0]}</span>}
        <label htmlFor={field} className="visually-hidden">
          Search the log
        </label>
        <input
          id={field}
          type="text"
          placeholder="Search the log"
          value={search}
          onChange={(e) => setSearch(e.target.value)}
        />
        <LogDownload
          fileName={`${service}-r${shown.revision}-${stream}.log`}
          source={sourceOf(isOther ? served : shown)}
          until={until}
        />
        {until === null && (
          <button
            type="button"
            className="plain"
            aria-pressed={isPaused}
            onClick={() => (isPaused ? leaveLine() : hold(true))}
          >
            {isPaused ? 'Follow' : 'Hold'}
          </button>
        )}
      </header>
      {isGone && (
        <p className="line-gone" role="status">
          The line of {clockTime(sought.at)} is not among the lines that are kept. These are the newest.
        </p>
      )}
      <div
        className="lines mono"
        ref={box}
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        tabIndex={0}
        aria-label={`${stream} log`}
        onWheel={(e) => e.deltaY < 0 && hold(true)}
        onClick={onPress}
        onKeyDown={walkLinks}
      >
        {isOther && lines.length > 0 && served.revision !== desired.revision && (
          <p className="soft">
            r{desired.revision} had logged nothing by then. This is r{served.revision}.
          </p>
        )}
        <LogText
          lines={found}
          exits={exits}
          withNames={names.length > 1 && instance === ''}
          sought={sought?.name ?? null}
          now={Date.parse(claim.now)}
          search={words}
          addressOf={(line) => lineAddress(service, line, at)}
        />
        {found.length === 0 && (
          <p className="soft">
            {lines.length > 0
              ? 'No line matches.'
              : isReading
                ? 'Reading …'
                : until === null
                  ? 'No output yet.'
                  : `Nothing of r${shown.revision} that is kept was logged by then.`}
          </p>
        )}
      </div>
    </section>
  );
}

/** Lines that were written until an instant, as many as are drawn; null: until now. */
function linesUntil(
  kept: readonly LogLineView[] | undefined,
  until: number | null,
  name: string | null,
): readonly LogLineView[] {
  const then = until === null ? kept : kept?.filter(({ at }) => Date.parse(at) <= until);
  return linesAround(then ?? [], name, KEPT);
}

/** Brings a line to the middle of its box; one that is in sight stays where it is. */
function intoSight(box: Element | null, line: Element | null): void {
  if (box === null || line === null) return;
  const [around, of] = [box.getBoundingClientRect(), line.getBoundingClientRect()];
  if (of.top < around.top || of.bottom > around.bottom)
    box.scrollTop += of.top - around.top - (around.height - of.height) / 2;
}

/** Arrows lead from the link of one line to that of the next. */
function walkLinks(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  const links = [...event.currentTarget.querySelectorAll('a')];
  const from = links.indexOf(event.target as HTMLAnchorElement);
  if (by === undefined || from < 0) return;
  event.preventDefault();
  links[from + by]?.focus();
}
