import { useQuery } from '@tanstack/react-query';
import type { Claim } from '../../../../src/contract/claim.ts';
import {
  FAILURE_LINES_READ,
  failedStream,
  failureOutputOf,
  isHeadline,
} from '../../../../src/contract/presentation/error-lines/failure-output.ts';
import { logLines } from './log-lines.ts';

interface Props {
  readonly service: string;
  readonly claim: Claim;
}

/** The lines of its output that say why it failed, as the command line shows them, and the way to the whole log. */
export function Failure({ service, claim }: Props) {
  const stream = failedStream(claim);
  const { revision, attempt } = claim.desired;
  const { data } = useQuery({
    queryKey: ['failure', service, revision, attempt, stream, claim.since],
    enabled: stream !== null,
    queryFn: ({ signal }) =>
      logLines(
        `/v1/services/${service}/logs?stream=${stream}&revision=${revision}&attempt=${attempt}&tail=${FAILURE_LINES_READ}`,
        signal,
      ),
  });
  if (stream === null || data === undefined || data.length === 0) return null;
  const output = failureOutputOf(data.map(({ line }) => line));
  const name = output.headline === null ? 'The end of its output' : 'Why it failed';
  return (
    <section className="card failure" aria-label={name}>
      <header>
        <h2>{name}</h2>
        <a href="#log">Whole log</a>
      </header>
      <div className="mono">
        {output.lines.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one output never move
          <div key={i} className={isHeadline(output, line) ? 'headline' : ''}>
            {line}
          </div>
        ))}
      </div>
    </section>
  );
}
