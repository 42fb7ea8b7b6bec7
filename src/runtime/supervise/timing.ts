/** The intervals and patience of supervision. Tests shorten them. */
export interface Timing {
  /** The first pause before an instance that ended is started again; it doubles with each short life. */
  readonly restartBaseMs: number;
  readonly restartMaxMs: number;
  /** A life of this length is no part of a crash loop. */
  readonly longLifeMs: number;
  /** An instance without a port is ready when it has been alive for this long. */
  readonly aliveMs: number;
  /** An instance that listens on other ports than its own is said to after this long. */
  readonly elsewhereMs: number;
  /** The interval at which instances are observed to be alive. */
  readonly pidEveryMs: number;
  /** The longest pause between probes of an instance that is not ready; in its first second they are shorter. */
  readonly eagerProbeMs: number;
  /** The time after its start in which it is probed at that pace. */
  readonly eagerForMs: number;
  /** The longest pause between probes of a ready instance in that time. */
  readonly settlingProbeMs: number;
  /** The interval and the timeout of probes, where the spec has none. An answer counts for both together. */
  readonly probeEveryMs: number;
  readonly probeTimeoutMs: number;
  /** The interval between proofs of a route: it is proven as often as it is reported (F66). */
  readonly proveEveryMs: number;
  /** The interval between proofs of a route that did not change in which an instance has to answer through it. */
  readonly proveWholeEveryMs: number;
  /** The time that requests in hand have after their instance was replaced. */
  readonly drainMs: number;
  /** The time between signalling an instance to end and killing it. */
  readonly graceMs: number;
}

export const TIMING: Timing = {
  restartBaseMs: 250,
  restartMaxMs: 30_000,
  longLifeMs: 60_000,
  aliveMs: 1_000,
  elsewhereMs: 2_000,
  pidEveryMs: 250,
  eagerProbeMs: 100,
  eagerForMs: 20_000,
  settlingProbeMs: 1_000,
  probeEveryMs: 5_000,
  probeTimeoutMs: 2_000,
  proveEveryMs: 1_000,
  proveWholeEveryMs: 60_000,
  drainMs: 30_000,
  graceMs: 10_000,
};

export function restartPause({ restartBaseMs, restartMaxMs }: Timing, shortLives: number): number {
  return Math.min(restartMaxMs, restartBaseMs * 2 ** Math.min(20, Math.max(0, shortLives - 1)));
}
