import type { PodRecord } from '../cache/pod.ts';

/** The place that a request came from: the API server's proxy, or a pod of the same network. */
export type AskVantage = 'api_server' | 'inside';

/**
 * The end of one direct request. `answered`: the app sent something, whatever it was. `silent`: it did not in time, or the
 * way to it is closed, which cannot be told apart from far away: that alone proves nothing (rule 9).
 */
export type AskOutcome = 'answered' | 'silent';

/** The answers of one pod. A container that was started again has not answered yet. */
export interface AskedPod {
  readonly restarts: number;
  readonly answeredAt: number | null;
  /** Requests without an answer since the last one that had one. */
  readonly missed: number;
}

/** The word of a pod about itself, at an instant. */
export type PodAnswer =
  /** It answered, and not too long ago. */
  | 'answers'
  /** It answered before, and does not any more: it is not proven to fail, nor to work. */
  | 'stopped_answering'
  /** Nobody has reached it from there: its node's word is all there is. */
  | 'unproven';

/** An answer counts for this long, or for three rounds where there are many pods to ask. */
const COUNTS_MS = 15_000;
const MISSED = 2;

export function podAsked(
  before: AskedPod | undefined,
  restarts: number,
  outcome: AskOutcome,
  now: number,
): AskedPod {
  const known = before?.restarts === restarts ? before : { restarts, answeredAt: null, missed: 0 };
  return outcome === 'answered'
    ? { restarts, answeredAt: now, missed: 0 }
    : { ...known, missed: known.missed + 1 };
}

export function podAnswer(
  asked: AskedPod | undefined,
  restarts: number,
  now: number,
  roundMs: number,
): PodAnswer {
  if (asked === undefined || asked.restarts !== restarts || asked.answeredAt === null) return 'unproven';
  if (asked.missed >= MISSED) return 'stopped_answering';
  return now - asked.answeredAt <= Math.max(COUNTS_MS, 3 * roundMs) ? 'answers' : 'unproven';
}

/** The port to ask: the first that a running main container declares; null where there is none. */
export function portOf({ containers }: PodRecord): number | null {
  const main = containers.find(
    ({ kind, ports, state }) => kind === 'main' && state.kind === 'running' && ports.length > 0,
  );
  return main?.ports[0] ?? null;
}

export const restartsOf = ({ containers }: PodRecord): number =>
  containers.reduce((sum, { kind, restarts }) => (kind === 'main' ? sum + restarts : sum), 0);
