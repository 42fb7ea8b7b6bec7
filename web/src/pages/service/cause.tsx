import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { WholeRevisionView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import {
  FAILURE_LINES_READ,
  failureOutputOf,
  isHeadline,
  troubledStream,
} from '../../../../src/contract/presentation/error-lines/failure-output.ts';
import { exitCount } from '../../../../src/contract/presentation/exit-count.ts';
import { markedParts, namedInLog } from '../../../../src/contract/presentation/named-in-log.ts';
import { get } from '../../api.ts';
import { logLines } from './log-lines.ts';
import { ChangeChips } from './revisions/change-chips.tsx';
import { tabAddress } from './tabs.ts';

interface Props {
  readonly service: string;
  readonly claim: Claim;
}

/** A revision whole, with what it changes against the one before; it never changes. */
export const useWholeRevision = (service: string, revision: number | null, against: number | null = null) =>
  useQuery({
    queryKey: ['revision', service, revision, against],
    enabled: revision !== null,
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      get<WholeRevisionView>(
        `/v1/services/${service}/revisions/${revision}${against === null ? '' : `?against=${against}`}`,
        signal,
      ),
  }).data;

/** The lines of its output that say why it failed, as the command line shows them, and what this revision changed. */
export function Cause({ service, claim }: Props) {
  const stream = troubledStream(claim);
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
  const whole = useWholeRevision(service, stream === null ? null : revision);
  if (stream === null || data === undefined || data.length === 0) return null;
  const output = failureOutputOf(data.map(({ line }) => line));
  const name = output.headline === null ? 'The end of its output' : 'Why it failed';
  const changes = whole?.against == null ? [] : whole.changes;
  const named = namedInLog(changes, output.lines);
  return (
    <section className="cause" aria-label={name}>
      <header>
        <h3 className="tone-failed">{headOf(claim) ?? name}</h3>
        {headOf(claim) !== null && <span className="soft">{timesOf(claim)}</span>}
        <Link href={tabAddress(service, 'logs')}>Whole log</Link>
      </header>
      <div className="log-lines mono">
        {output.lines.map((line, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one output never move
          <div key={i} className={isHeadline(output, line) ? 'headline' : ''}>
            {markedParts(line, named).map(({ text, isName }, at) =>
              // biome-ignore lint/suspicious/noArrayIndexKey: nor do the parts of a line
              isName ? <mark key={at}>{text}</mark> : text,
            )}
          </div>
        ))}
      </div>
      {changes.length > 0 && (
        <p className="changed">
          <span className="soft">r{revision} changed</span>
          <ChangeChips changes={changes} named={named} />
          <Link href={`${tabAddress(service, 'revisions')}?to=${revision}`}>Compare</Link>
        </p>
      )}
    </section>
  );
}

function headOf({ cause }: Claim): string | null {
  const { exitCode, exits } = cause?.params ?? {};
  if (exitCode !== undefined) return `Exit code ${exitCode}`;
  return exits === undefined ? null : 'It exits';
}

function timesOf({ cause }: Claim): string {
  const { exits } = cause?.params ?? {};
  return exits === undefined ? '' : exitCount(Number(exits));
}
