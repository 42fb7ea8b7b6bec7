/** How patient the process runtime is. Tests shorten it. */
export interface Timing {
  /** The first pause before what ended is started again; it doubles with each short life. */
  readonly restartBaseMs: number;
  readonly restartMaxMs: number;
  /** Whoever lived this long did not crash in a loop. */
  readonly longLifeMs: number;
  /** Without a port: alive for so long is ready. */
  readonly aliveMs: number;
  /** How often processes are looked for by their pid. */
  readonly pidEveryMs: number;
  /** How often an instance that is not ready yet is asked at least; in its first second it is asked more often. */
  readonly eagerProbeMs: number;
  /** For how long after its start it is asked so often. */
  readonly eagerForMs: number;
  /** How often one that is ready is asked, if its spec does not say. */
  readonly probeEveryMs: number;
  readonly probeTimeoutMs: number;
  /** A readiness that is reported every so often must be proven as often (F66): longer intervals are cut to this. */
  readonly proveEveryMs: number;
  /** How long requests in hand may take after their instance was replaced. */
  readonly drainMs: number;
  /** Between SIGTERM and SIGKILL. */
  readonly graceMs: number;
}

export const TIMING: Timing = {
  restartBaseMs: 250,
  restartMaxMs: 30_000,
  longLifeMs: 60_000,
  aliveMs: 1_000,
  pidEveryMs: 250,
  eagerProbeMs: 100,
  eagerForMs: 20_000,
  probeEveryMs: 1_000,
  probeTimeoutMs: 2_000,
  proveEveryMs: 1_000,
  drainMs: 30_000,
  graceMs: 10_000,
};

export function restartPause({ restartBaseMs, restartMaxMs }: Timing, shortLives: number): number {
  return Math.min(restartMaxMs, restartBaseMs * 2 ** Math.min(20, Math.max(0, shortLives - 1)));
}
