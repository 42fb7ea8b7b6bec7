import { useEffect, useId, useRef, useState } from 'react';
import type { LogLine } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import { clockTime } from '../../../../src/contract/telling/times.ts';

const KEPT = 2_000;
const STREAMS = ['build', 'run'] as const;
type LogStream = (typeof STREAMS)[number];

interface Props {
  readonly service: string;
  readonly claim: Claim;
  /** Nothing that was written after this instant; null: all, as it comes. */
  readonly until: number | null;
}

/** Lines of the build and of the instances. They follow while the end is in sight, and pause when one scrolls up. */
export function Logs({ service, claim, until }: Props) {
  const { revision, attempt } = claim.desired;
  const [chosen, choose] = useState<LogStream | null>(null);
  const natural: LogStream = claim.proof.reached.includes('starting') ? 'run' : 'build';
  const stream = chosen ?? natural;
  const [search, setSearch] = useState('');
  const [isPaused, pause] = useState(false);
  const told = useLines(service, stream, revision, attempt, isPaused);
  const lines = until === null ? told : told.filter(({ at }) => Date.parse(at) <= until);
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
    <section className="card logs" aria-label="Logs">
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
        <label htmlFor={field} className="unseen">
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
            {isPaused ? 'Follow' : 'Pause'}
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
        {found.map((line) => (
          <div key={`${line.instance ?? ''}.${line.seq}.${line.at}`} className={line.notice ? 'notice' : ''}>
            <time dateTime={line.at}>{clockTime(line.at)}</time>
            {instances > 1 && <span className="soft">{line.instance ?? ''}</span>}
            <span>{line.line}</span>
          </div>
        ))}
        {found.length === 0 && (
          <p className="soft">{lines.length === 0 ? 'No line yet.' : 'No line is like that.'}</p>
        )}
      </div>
    </section>
  );
}

/** Follows while it is shown; a pause ends the connection, and what came meanwhile is read when it goes on. */
function useLines(service: string, stream: LogStream, revision: number, attempt: number, isPaused: boolean) {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  useEffect(() => {
    if (isPaused) return;
    const query = `stream=${stream}&revision=${revision}&attempt=${attempt}&tail=500&follow=1`;
    const source = new EventSource(`/v1/services/${service}/logs?${query}`);
    let waiting: LogLine[] = [];
    let isFirst = true;
    const flush = () => {
      if (waiting.length === 0 && !isFirst) return;
      const next = waiting;
      waiting = [];
      // With each connection come the last lines anew.
      const anew = isFirst;
      isFirst = false;
      setLines((before) => (anew ? next : [...before, ...next]).slice(-KEPT));
    };
    const timer = setInterval(flush, 200);
    source.addEventListener('open', () => {
      isFirst = true;
    });
    source.addEventListener('log', (message: MessageEvent<string>) => {
      waiting.push(JSON.parse(message.data) as LogLine);
    });
    return () => {
      clearInterval(timer);
      source.close();
    };
  }, [service, stream, revision, attempt, isPaused]);
  return lines;
}
