import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { LogLineView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { defaultLogStream } from '../../../../src/contract/presentation/default-log-stream.ts';
import { clockTime } from '../../../../src/contract/presentation/times.ts';
import { Moment } from '../../parts/moment.tsx';
import { logLines } from './log-lines.ts';

const KEPT = 1_000;
const STREAMS = ['build', 'run'] as const;
type LogStream = (typeof STREAMS)[number];

interface Props {
  readonly service: string;
  readonly claim: Claim;
  /** Shows no line written after this instant; null follows the end. */
  readonly until: number | null;
}

/**
 * Lines of the build and of the instances. They follow while the end is visible, and pause when somebody
 * scrolls up.
 */
export function Logs({ service, claim, until }: Props) {
  const { desired } = claim;
  const served = claim.serving ?? claim.lastServing;
  const [chosen, choose] = useState<LogStream | null>(null);
  const stream = chosen ?? defaultLogStream(claim, 'active revision');
  const [search, setSearch] = useState('');
  const [isPaused, pause] = useState(false);
  const sourceOf = ({ revision, attempt }: { readonly revision: number; readonly attempt: number }) =>
    `/v1/services/${service}/logs?stream=${stream}&revision=${revision}&attempt=${attempt}`;
  const followed = useLines(sourceOf(desired), isPaused || until !== null);
  const written = useLinesUntil(sourceOf(desired), until);
  // A revision that had just been put in place had logged nothing: what served then had.
  const isOther = until !== null && written.length === 0 && served !== null;
  const before = useLinesUntil(sourceOf(served ?? desired), isOther ? until : null);
  const lines = until === null ? followed : isOther ? before : written;
  const box = useRef<HTMLDivElement>(null);
  const field = useId();
  // biome-ignore lint/correctness/useExhaustiveDependencies: with every new line
  useEffect(() => {
    if (!isPaused && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines, isPaused]);
  const found =
    search === '' ? lines : lines.filter(({ line }) => line.toLowerCase().includes(search.toLowerCase()));
  const instances = new Set(lines.map(({ instance }) => instance)).size;
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
            onClick={() => choose(name)}
          >
            {name}
          </button>
        ))}
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
        {found.map((line) => (
          <div key={`${line.instance ?? ''}.${line.seq}.${line.at}`} className={line.notice ? 'notice' : ''}>
            <Moment at={line.at}>{clockTime(line.at)}</Moment>
            {instances > 1 && <span className="soft">{line.instance ?? ''}</span>}
            <span>{line.line}</span>
          </div>
        ))}
        {found.length === 0 && (
          <p className="soft">
            {lines.length > 0
              ? 'No line matches.'
              : until === null
                ? 'No output yet.'
                : `Nothing of r${desired.revision} that is kept was logged by then.`}
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
