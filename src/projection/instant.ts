/** The farthest instants that a date can name. */
const MAX_MS = 8.64e15;

/** Thousands of claims that change at once name the same few instants. */
const texts = new Map<number, string>();
const TEXTS_KEPT = 1_000;

/**
 * RFC 3339, UTC. Total: an instant that no date can name is clamped, so that no claim fails for a strange
 * clock.
 */
export function rfc3339(ms: number): string {
  const known = texts.get(ms);
  if (known !== undefined) return known;
  const named = Number.isNaN(ms) ? 0 : Math.min(MAX_MS, Math.max(-MAX_MS, ms));
  const text = new Date(named).toISOString();
  if (texts.size >= TEXTS_KEPT) texts.clear();
  texts.set(ms, text);
  return text;
}

export function rfc3339OrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : rfc3339(ms);
}

/** The age of an instant by the server's clock; never negative, whatever a source reports. */
export function ageMs(now: number, at: number): number {
  const age = Math.floor(now - at);
  return age > 0 ? Math.min(age, Number.MAX_SAFE_INTEGER) : 0;
}

/** Caps a stored instant at now: the store's clock may have been set back since (F35). */
export function byNow(now: number, at: number): number {
  return Math.min(now, at);
}
