import type { Launch } from './record.ts';
import type { Timing } from './timing.ts';

/** The way in which an instance was found to be well: it answered a request, accepted a connection, or has no port and is alive. */
type AnsweredBy = 'request' | 'connect' | 'staying_alive';

/** The condition of a live instance, by its newest probes. */
export type Readiness =
  | { readonly kind: 'starting' }
  /** `listens`: the ports on which it listens instead; its own among them: at an address that nobody connects to. */
  | { readonly kind: 'not_listening'; readonly listens: readonly number[] }
  /** Another process listens on its port (F118). */
  | { readonly kind: 'port_taken' }
  /** Its health path answers that it is not well. */
  | { readonly kind: 'failed'; readonly message: string; readonly status: number }
  /** It listens, and does not answer (F115). */
  | { readonly kind: 'not_answering'; readonly message: string }
  | { readonly kind: 'suspended' }
  | { readonly kind: 'ready'; readonly address: string; readonly by: AnsweredBy };

export type ProbeResult =
  | Exclude<Readiness, { readonly kind: 'starting' }>
  /** It answered a request with something that is no HTTP at all, or hung up on it. */
  | { readonly kind: 'other_protocol'; readonly address: string; readonly hungUp: boolean }
  /** It could not be probed, for want of something of our own: that proves nothing about it (F122). */
  | { readonly kind: 'unobserved' };

/** The probes of one life that supervision needs. Instants are monotonic milliseconds. */
export interface Probes {
  readonly readiness: Readiness;
  /** Consecutive answers of the health path that were bad. */
  readonly failures: number;
  /** It answered HTTP in this life. */
  readonly spokeHttp: boolean;
  /** Consecutive requests on which it hung up. */
  readonly hangUps: number;
  /** The newest good answer, on the awake clock. */
  readonly answeredAt: number;
  /** The instant since which it could not be probed; null if it can be. */
  readonly blindSince: number | null;
  /** The ports on which it listens instead of its own, unchanged since this instant of the awake clock. */
  readonly elsewhere: { readonly listens: readonly number[]; readonly since: number } | null;
}

const FAILURES_TO_DOUBT = 2;
/** An app that dies of a request hangs up too. */
const HANG_UPS_TO_BELIEVE = 3;
const SOONEST_PROBE_MS = 20;

/** A probe, the instant of its result on both clocks, how long it had been alive, and how long an answer counts. */
interface ProbeOutcome {
  readonly result: ProbeResult;
  readonly at: number;
  readonly awakeAt: number;
  readonly upMs: number;
  readonly countsMs: number;
}

export function afterProbe(probes: Probes, outcome: ProbeOutcome, timing: Timing): Probes {
  const { result, at, awakeAt, upMs, countsMs } = outcome;
  const { readiness, answeredAt, blindSince } = probes;
  const wasReady = readiness.kind === 'ready';
  switch (result.kind) {
    case 'unobserved':
      return { ...probes, blindSince: blindSince ?? at };
    case 'ready':
      return answered(probes, result, awakeAt);
    case 'other_protocol': {
      const hangUps = result.hungUp ? probes.hangUps + 1 : 0;
      if (probes.spokeHttp) {
        const message = result.hungUp ? 'it hangs up on requests' : 'its answer is no HTTP';
        const silent = { kind: 'not_answering', message } as const;
        return afterProbe(probes, { ...outcome, result: silent }, timing);
      }
      if (result.hungUp && !wasReady && hangUps < HANG_UPS_TO_BELIEVE)
        return { ...probes, hangUps, blindSince: null };
      const { address } = result;
      return { ...answered(probes, { kind: 'ready', address, by: 'connect' }, awakeAt), hangUps };
    }
    case 'not_answering': {
      // A slow answer is no outage: the last one counts for its time. Only a fresh answer makes it ready again.
      const counts = wasReady && awakeAt - answeredAt < countsMs;
      return { ...probes, readiness: counts ? readiness : result, blindSince: null, elsewhere: null };
    }
    case 'failed': {
      const failures = probes.failures + 1;
      const isDoubted = !wasReady || failures >= FAILURES_TO_DOUBT;
      const shown = isDoubted ? result : readiness;
      return { ...probes, readiness: shown, failures, blindSince: null, elsewhere: null };
    }
    case 'not_listening': {
      // An app that does not listen in its first moment is starting, which is not worth a report.
      const isEarly = readiness.kind === 'starting' && upMs < timing.aliveMs;
      const elsewhere = elsewhereAfter(probes.elsewhere, result.listens, awakeAt);
      const isSettled = elsewhere !== null && awakeAt - elsewhere.since >= timing.elsewhereMs;
      const shown = { kind: 'not_listening', listens: isSettled ? elsewhere.listens : [] } as const;
      return { ...probes, readiness: isEarly ? readiness : shown, blindSince: null, elsewhere };
    }
    case 'port_taken':
    case 'suspended':
      return { ...probes, readiness: result, blindSince: null, elsewhere: null };
  }
}

/** An app may open several ports one after the other: every other set of ports is watched anew. */
function elsewhereAfter(
  before: Probes['elsewhere'],
  listens: readonly number[],
  awakeAt: number,
): Probes['elsewhere'] {
  if (listens.length === 0) return null;
  return before?.listens.join() === listens.join() ? before : { listens, since: awakeAt };
}

const answered = (
  { spokeHttp }: Probes,
  readiness: Extract<Readiness, { readonly kind: 'ready' }>,
  answeredAt: number,
): Probes => ({
  readiness,
  failures: 0,
  spokeHttp: spokeHttp || readiness.by === 'request',
  hangUps: 0,
  answeredAt,
  blindSince: null,
  elsewhere: null,
});

/** The pause from the beginning of one probe to the next. */
export function probePauseMs(
  readiness: Readiness,
  upMs: number,
  { intervalMs }: Launch['health'],
  { eagerProbeMs, eagerForMs, settlingProbeMs, probeEveryMs }: Timing,
): number {
  const steadyMs = intervalMs ?? probeEveryMs;
  // An instance that is not ready after `eagerForMs` is in no hurry.
  if (upMs >= eagerForMs) return steadyMs;
  // One lucky answer is not enough for the stability window (S1).
  if (readiness.kind === 'ready') return Math.min(steadyMs, settlingProbeMs);
  // Finds readiness no later than a tenth of the time that the start took.
  return Math.min(steadyMs, eagerProbeMs, Math.max(SOONEST_PROBE_MS, upMs / 10));
}

/** False while a ready instance that is past its start has answered within its interval. */
export function isProbeDue(
  { readiness, answeredAt, blindSince, failures }: Probes,
  awakeAt: number,
  upMs: number,
  { intervalMs }: Launch['health'],
  { eagerForMs, probeEveryMs }: Timing,
): boolean {
  if (readiness.kind !== 'ready' || blindSince !== null || failures > 0 || upMs < eagerForMs) return true;
  // Nobody is asked whether it stays alive.
  if (readiness.by === 'staying_alive') return true;
  return awakeAt - answeredAt >= (intervalMs ?? probeEveryMs);
}

/** An answer counts until the next probe must have been answered. */
export function answerCountsMs({ intervalMs, timeoutMs }: Launch['health'], timing: Timing): number {
  return (intervalMs ?? timing.probeEveryMs) + (timeoutMs ?? timing.probeTimeoutMs);
}

/**
 * An answer is waited for as long as the spec says. Where it says nothing, for as long as the last answer counts: an
 * app that takes three seconds for each answer does answer, and one that hangs is found no later.
 */
export function answerWithinMs(health: Launch['health'], timing: Timing): number {
  return health.timeoutMs ?? answerCountsMs(health, timing);
}
