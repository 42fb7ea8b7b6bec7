import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { InstanceView, LogLineView, RibbonView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { defaultLogStream } from '../../../../src/contract/presentation/default-log-stream.ts';
import { get } from '../../api.ts';
import { logLines } from './log-lines.ts';
import { LogText } from './log-text.tsx';

const KEPT = 1_000;
const EXITS_AGAIN_MS = 3_000;
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
  const [chosen, choose] = useState<LogStream | null>(null);
  const stream = chosen ?? defaultLogStream(claim, 'active revision');
  const [search, setSearch] = useState('');
  const [isPaused, pause] = useState(false);
  const [instance, chooseInstance] = useState('');
  // Offers the log of the revision that still serves beside the one in trouble.
  const [isServedChosen, chooseServed] = useState(false);
  const other = served !== null && served.revision !== desired.revision ? served : null;
  const shown = isServedChosen && other !== null ? other : desired;
  const sourceOf = ({ revision, attempt }: { readonly revision: number; readonly attempt: number }) =>
    `/v1/services/${service}/logs?stream=${stream}&revision=${revision}&attempt=${attempt}${instance === '' ? '' : `&instance=${encodeURIComponent(instance)}`}`;
  const followed = useLines(sourceOf(shown), isPaused || until !== null);
  const written = useLinesUntil(sourceOf(shown), until);
  // A revision that had just been applied had logged nothing: what served then had.
  const isOther = until !== null && written.length === 0 && served !== null && shown === desired;
  const before = useLinesUntil(sourceOf(served ?? desired), isOther ? until : null);
  const lines = until === null ? followed : isOther ? before : written;
  const exits = useExits(service, stream === 'run' && search === '' && shown === desired, until);
  const box = useRef<HTMLDivElement>(null);
  const field = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every new line
  useEffect(() => {
    if (!isPaused && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, exits.length, isPaused]);
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
            }}
          >
            {name}
          </button>
        ))}
        {other !== null && (
          <span className="of-revision">
            {[desired, other].map((one) => (
              <button
                key={one.revision}
                type="button"
                className="chip"
                aria-pressed={shown === one}
                onClick={() => {
                  chooseServed(one === other);
                  chooseInstance('');
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
            onChange={({ target }) => chooseInstance(target.value)}
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
        {until === null && (
          <button type="button" className="plain" aria-pressed={isPaused} onClick={() => pause(!isPaused)}>
            {isPaused ? 'Follow' : 'Hold'}
          </button>
        )}
      </header>
      <div
        className="lines mono"
        ref={box}
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
        tabIndex={0}
        aria-label={`${stream} log`}
        onWheel={(e) => e.deltaY < 0 && pause(true)}
      >
        {isOther && lines.length > 0 && served.revision !== desired.revision && (
          <p className="soft">
            r{desired.revision} had logged nothing by then. This is r{served.revision}.
          </p>
        )}
        <LogText lines={found} exits={exits} withNames={names.length > 1 && instance === ''} />
        {found.length === 0 && (
          <p className="soft">
            {lines.length > 0
              ? 'No line matches.'
              : until === null
                ? 'No output yet.'
                : `Nothing of r${shown.revision} that is kept was logged by then.`}
          </p>
        )}
      </div>
    </section>
  );
}

/**
 * Polls while visible. Rejected: a stream of its own. A browser has six connections for all its tabs, and
 * each tab already holds one for claims.
 */
function useLines(path: string, isPaused: boolean): readonly LogLineView[] {
  const { data } = useQuery({
    queryKey: ['lines', path, 'newest'],
    enabled: !isPaused,
    refetchInterval: 1_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => logLines(`${path}&tail=${KEPT}`, signal),
    structuralSharing: (before, after) =>
      isSameEnd(before as readonly LogLineView[] | undefined, after as readonly LogLineView[])
        ? before
        : after,
  });
  return data ?? NO_LINES;
}

/** The exits on record, which part the runs of an instance: their lines alone do not say where one ended. */
function useExits(service: string, isWanted: boolean, until: number | null): readonly string[] {
  const { data } = useQuery({
    queryKey: ['exits', service],
    enabled: isWanted,
    refetchInterval: until === null ? EXITS_AGAIN_MS : false,
    queryFn: async ({ signal }) => {
      const { ticks } = await get<RibbonView>(`/v1/services/${service}/ribbon`, signal);
      return ticks.flatMap(({ kind, at }) => (kind === 'exit' ? [at] : []));
    },
  });
  return isWanted ? (data ?? NO_EXITS).filter((at) => until === null || Date.parse(at) <= until) : NO_EXITS;
}

const NO_EXITS: readonly string[] = [];

const isSameEnd = (before: readonly LogLineView[] | undefined, after: readonly LogLineView[]) =>
  before?.length === after.length && JSON.stringify(before.at(-1)) === JSON.stringify(after.at(-1));

const NO_LINES: readonly LogLineView[] = [];

/** Lines written until an instant. The past is read once; each instant shows its part. */
function useLinesUntil(path: string, until: number | null): readonly LogLineView[] {
  const { data } = useQuery({
    queryKey: ['lines', path],
    enabled: until !== null,
    queryFn: ({ signal }) => logLines(`${path}&tail=10000`, signal),
  });
  return useMemo(
    () =>
      until === null || data === undefined
        ? NO_LINES
        : data.filter(({ at }) => Date.parse(at) <= until).slice(-KEPT),
    [data, until],
  );
}
