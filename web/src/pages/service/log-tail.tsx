import { Link } from 'wouter';
import type { LogLineView } from '../../../../src/contract/answers/views.ts';
import { preciseTime } from '../../../../src/contract/presentation/times.ts';
import { Moment } from '../../parts/moment.tsx';

/**
 * Lines that are shown; a line that is too long is cut. A build writes a lot: once it has begun, its part has room for all of
 * them, so that nothing below moves while they come. An app may start with one line, and nothing empty follows that.
 */
export const TAIL_LINES = 6;

interface Props {
  readonly revision: number;
  readonly stream: 'build' | 'run';
  /** The newest ones, oldest first; undefined until they are read. */
  readonly lines: readonly LogLineView[] | undefined;
  /** The address of the whole log. */
  readonly whole: string;
}

/** The newest lines of what is being built or started: nobody has to leave the page to see that it goes on. */
export function LogTail({ revision, stream, lines, whole }: Props) {
  const name = stream === 'build' ? `Build of r${revision}` : `Output of r${revision}`;
  return (
    <section className="card log-tail" aria-label={name}>
      <h2>
        {name} <span className="soft">newest lines</span>
        <Link className="all" href={whole}>
          Whole log
        </Link>
      </h2>
      <div
        className="log-lines mono"
        data-stays={stream === 'build' && lines !== undefined && lines.length > 0}
      >
        {lines === undefined && <p className="soft">Reading …</p>}
        {lines?.length === 0 && <p className="soft">It has written nothing yet.</p>}
        {lines?.slice(-TAIL_LINES).map((line) => (
          <div key={`${line.instance} ${line.seq} ${line.at}`}>
            <Moment at={line.at}>{preciseTime(line.at)}</Moment>
            <span className="cut">{line.line}</span>
          </div>
        ))}
      </div>
    </section>
  );
}
