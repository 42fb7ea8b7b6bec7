import { useQuery } from '@tanstack/react-query';
import type {
  FieldChangeView,
  LogLineView,
  RibbonView,
  WholeRevisionView,
} from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import {
  buildEnding,
  FAILURE_LINES_READ,
  type FailureOutput,
  failureOutputOf,
  sourcesOfLines,
  troubledStream,
} from '../../../../src/contract/presentation/error-lines/failure-output.ts';
import { lastRunOf } from '../../../../src/contract/presentation/error-lines/last-run.ts';
import { missingInLog, namedInLog } from '../../../../src/contract/presentation/named-in-log.ts';
import { get } from '../../api.ts';
import { logLines } from './log-lines.ts';

const PAST_LINES_READ = 10_000;

/** A revision whole, with what it changes against the one before; it never changes. */
export const useWholeRevision = (service: string, revision: number | null, against: number | null = null) =>
  useRevisionQuery(service, revision, against).data;

/** The same as a question, which says whether it is answered. */
export const useRevisionQuery = (service: string, revision: number | null, against: number | null = null) =>
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
  /** The line of the log that each of the shown ones is; null where it is none. */
  readonly sources: readonly (LogLineView | null)[];
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
export function useFailure(
  service: string,
  claim: Claim,
  at: string | null,
  ticks: RibbonView['ticks'],
): FailureReading {
  const stream = troubledStream(claim);
  const { revision, attempt } = claim.desired;
  const log = useQuery({
    // The past is read once; each instant shows its part.
    queryKey: ['failure', service, revision, attempt, stream, at === null ? claim.since : 'past'],
    enabled: stream !== null,
    queryFn: ({ signal }) =>
      logLines(
        `/v1/services/${service}/logs?stream=${stream}&revision=${revision}&attempt=${attempt}&tail=${at === null ? FAILURE_LINES_READ : PAST_LINES_READ}`,
        signal,
      ),
  });
  const about = useRevisionQuery(service, stream === null ? null : revision, null);
  const isAwaited = [log, about].some(({ isLoading, failureCount }) => isLoading && failureCount === 0);
  const until = at === null ? Number.POSITIVE_INFINITY : Date.parse(at);
  const read = log.data?.filter((line) => Date.parse(line.at) <= until);
  const data = read && (stream === 'run' ? runThatFailed(read, claim, ticks, until) : read);
  const whole = about.data;
  if (stream === null || data === undefined || data.length === 0) return { failure: null, isAwaited };
  const output = failureOutputOf(data.map(({ line }) => line));
  const changes = whole?.against == null ? [] : whole.changes;
  const missing = whole === undefined ? [] : missingInLog(output.headline, whole.spec.env ?? {});
  return {
    isAwaited,
    failure: {
      ending: stream === 'build' ? buildEnding(data.map(({ line }) => line)) : null,
      ...{ output, changes, missing, sources: sourcesOfLines(output.lines, data) },
      named: new Set([...namedInLog(changes, output.lines), ...missing]),
    },
  };
}

/** The last run of the instance that the claim names, else of all of them. */
function runThatFailed(
  lines: readonly LogLineView[],
  { cause }: Claim,
  ticks: RibbonView['ticks'],
  until: number,
): readonly LogLineView[] {
  const name = cause?.params.instance;
  const own = lines.filter(({ instance }) => instance === name);
  const exits = ticks.filter(({ kind, at }) => kind === 'exit' && Date.parse(at) <= until);
  const ownExits = exits.filter(({ instance }) => instance === name);
  const isNamed = own.length > 0 && ownExits.length > 0;
  return isNamed ? lastRunOf(own, ownExits) : lastRunOf(lines, exits);
}
