import type { Launch } from './record.ts';
import type { Timing } from './timing.ts';

/** The result of the newest probe of a live instance. */
export type Readiness =
  | { readonly kind: 'starting' }
  | { readonly kind: 'not_listening' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'ready'; readonly address: string };

export type ProbeResult = Exclude<Readiness, { readonly kind: 'starting' }>;

/** The probes of one life that supervision needs. */
export interface Probes {
  readonly readiness: Readiness;
  /** Consecutive probes that failed. */
  readonly failures: number;
}

const FAILURES_TO_DOUBT = 2;
const SOONEST_PROBE_MS = 20;

/** @param upMs how long it has been alive */
export function afterProbe(
  { readiness, failures }: Probes,
  result: ProbeResult,
  upMs: number,
  { aliveMs }: Timing,
): Probes {
  if (result.kind === 'ready') return { readiness: result, failures: 0 };
  const failed = failures + 1;
  // One slow answer is no outage; a port that refuses is, at once.
  const isSlow = readiness.kind === 'ready' && result.kind === 'failed' && failed < FAILURES_TO_DOUBT;
  // An app that does not listen in its first moment is starting, which is not worth a report.
  const isEarly = readiness.kind === 'starting' && result.kind === 'not_listening' && upMs < aliveMs;
  return { readiness: isSlow || isEarly ? readiness : result, failures: failed };
}

/** The pause before the next probe. */
export function probePauseMs(
  readiness: Readiness,
  upMs: number,
  { intervalMs }: Launch['health'],
  { eagerProbeMs, eagerForMs, probeEveryMs, proveEveryMs }: Timing,
): number {
  const steadyMs = Math.min(intervalMs ?? probeEveryMs, proveEveryMs);
  // An instance that is not ready after `eagerForMs` is in no hurry.
  if (readiness.kind === 'ready' || upMs >= eagerForMs) return steadyMs;
  // Finds readiness no later than a tenth of the time that the start took.
  return Math.min(steadyMs, eagerProbeMs, Math.max(SOONEST_PROBE_MS, upMs / 10));
}
