import { useQuery } from '@tanstack/react-query';
import type { FieldChangeView, WholeRevisionView } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import {
  buildEnding,
  FAILURE_LINES_READ,
  type FailureOutput,
  failureOutputOf,
  timesOfLines,
  troubledStream,
} from '../../../../src/contract/presentation/error-lines/failure-output.ts';
import { missingInLog, namedInLog } from '../../../../src/contract/presentation/named-in-log.ts';
import { get } from '../../api.ts';
import { logLines } from './log-lines.ts';

/** A revision whole, with what it changes against the one before; it never changes. */
export const useWholeRevision = (service: string, revision: number | null, against: number | null = null) =>
  useRevisionQuery(service, revision, against).data;

const useRevisionQuery = (service: string, revision: number | null, against: number | null) =>
  useQuery({
    queryKey: ['revision', service, revision, against],
    enabled: revision !== null,
    staleTime: 60_000,
    queryFn: ({ signal }) =>
      get<WholeRevisionView>(
        `/v1/services/${service}/revisions/${revision}${against === null ? '' : `?against=${against}`}`,
        signal,
      ),
  });

/** The log of a service in trouble, beside what its revision changed. */
export interface ShownFailure {
  readonly output: FailureOutput;
  /** The command with which a build ended, and its code; null where the log does not say. */
  readonly ending: string | null;
  /** When each of the shown lines was written; null where it is not known. */
  readonly times: readonly (string | null)[];
  readonly changes: readonly FieldChangeView[];
  /** Variables that the shown lines name: changed ones, and missing ones. */
  readonly named: ReadonlySet<string>;
  /** Variables that the line calls missing, and that this revision does not have. */
  readonly missing: readonly string[];
}

interface FailureReading {
  /** Null where nothing is wrong, or nothing was written. */
  readonly failure: ShownFailure | null;
  /** The first answer has not come yet. */
  readonly isAwaited: boolean;
}

/** Read once for all parts of the page that show it. */
export function useFailure(service: string, claim: Claim, isNow: boolean): FailureReading {
  const stream = isNow ? troubledStream(claim) : null;
  const { revision, attempt } = claim.desired;
  const log = useQuery({
    queryKey: ['failure', service, revision, attempt, stream, claim.since],
    enabled: stream !== null,
    queryFn: ({ signal }) =>
      logLines(
        `/v1/services/${service}/logs?stream=${stream}&revision=${revision}&attempt=${attempt}&tail=${FAILURE_LINES_READ}`,
        signal,
      ),
  });
  const about = useRevisionQuery(service, stream === null ? null : revision, null);
  const isAwaited = [log, about].some(({ isLoading, failureCount }) => isLoading && failureCount === 0);
  const { data } = log;
  const whole = about.data;
  if (stream === null || data === undefined || data.length === 0) return { failure: null, isAwaited };
  const output = failureOutputOf(data.map(({ line }) => line));
  const changes = whole?.against == null ? [] : whole.changes;
  const missing = whole === undefined ? [] : missingInLog(output.headline, whole.spec.env ?? {});
  return {
    isAwaited,
    failure: {
      ending: stream === 'build' ? buildEnding(data.map(({ line }) => line)) : null,
      ...{ output, changes, missing, times: timesOfLines(output.lines, data) },
      named: new Set([...namedInLog(changes, output.lines), ...missing]),
    },
  };
}
