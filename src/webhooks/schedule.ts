const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The time from one try to the next, as Standard Webhooks 1.0 publishes it. */
const DELAYS = [
  ...[5 * SECOND, 5 * MINUTE, 30 * MINUTE],
  ...[2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
];
/** Receivers that failed together are not tried again together. */
const JITTER = 0.2;
const LONGEST_ASKED_MS = 24 * HOUR;

/**
 * The time until the next try of a delivery that was tried `tries` times; null: it is given up. `askedMs` is what the
 * receiver asked for by `Retry-After`: it may make the time longer, and never shorter. `random` is from 0 to 1.
 */
export function nextDelayMs(tries: number, askedMs: number | null, random: number): number | null {
  const delay = DELAYS[tries - 1];
  if (delay === undefined) return null;
  const jittered = delay * (1 + JITTER * (2 * random - 1));
  return Math.round(Math.max(jittered, Math.min(askedMs ?? 0, LONGEST_ASKED_MS)));
}
