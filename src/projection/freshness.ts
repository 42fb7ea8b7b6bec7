import { compareDigits } from '../contract/digits.ts';
import type { UnknownCause } from '../contract/vocabulary.ts';
import type { AgentLiveness, Liveness, Observed, ObservedPart } from './facts.ts';
import { contributing } from './running-contract.ts';

/** How old the observation of a service is. Computed when read, so that silence needs no write to be seen (S2). */
export interface Freshness {
  /** Null: nothing covers the service yet. */
  readonly asOf: number | null;
  /** The first instant at which it is no longer fresh. */
  readonly until: number;
  /** Set when something worse than age is wrong. */
  readonly broken: 'identity_changed' | 'evidence_corrupt' | null;
}

const NEVER = Number.NEGATIVE_INFINITY;

/**
 * A service's observation refers to its agent's last complete report: one heartbeat keeps ten thousand services
 * fresh. With several scopes the oldest counts; a report of `*` covers all.
 */
export function freshnessOf(observed: Observed, liveness: Liveness): Freshness {
  const everything = liveness.scopes.find((s) => s.scope === '*');
  let asOf: number | null = null;
  const parts = contributing(observed);
  if (parts.length === 0) {
    asOf = everything !== undefined && everything.completeAt !== null ? everything.asOf : null;
  }
  for (const part of parts) {
    const live = liveAsOf(part, liveness);
    // mutant: oldest-scope
    asOf = asOf === null ? live : Math.min(asOf, live);
  }
  // What could not be read may be all that a scope has to say: it counts even where nothing else does.
  const broken = observed.parts.some((p) => p.corrupt)
    ? 'evidence_corrupt'
    : identityChanged(parts, liveness)
      ? 'identity_changed'
      : null;
  // mutant: fresh-window
  return { asOf, until: asOf === null ? NEVER : asOf + liveness.settings.freshForMs, broken };
}

/** Calm keeps what a scope showed last as fresh as the scope itself. */
function liveAsOf({ scope, asOf }: ObservedPart, { scopes }: Liveness): number {
  let latest = asOf;
  for (const s of scopes) if (s.scope === scope || s.scope === '*') latest = Math.max(latest, s.asOf);
  return latest;
}

/** As of when each part is as it shows; where something is wrong with the whole, no later than it was shown. */
export function partsAsOf(
  observed: Observed,
  liveness: Liveness,
): readonly (readonly [ObservedPart, number])[] {
  const { broken } = freshnessOf(observed, liveness);
  return observed.parts.map((part) => [part, broken === null ? liveAsOf(part, liveness) : part.asOf]);
}

/**
 * Everything seen under another identity is about another cluster, until the new one has reported completely: with
 * several scopes, each that says anything of the service. Rejected: to forget the others with the first of them; then
 * one scope alone would say that what it does not cover is gone.
 */
function identityChanged(parts: readonly ObservedPart[], liveness: Liveness): boolean {
  const { agent } = liveness;
  // mutant: identity-changed
  if (agent === null || !agent.identityChanged) return false;
  const covering = scopesOfIdentity(liveness, agent);
  return covering.length === 0 || parts.some((part) => !isCoveredBy(part, covering));
}

/** The scopes of which a complete report has come under the identity that the target has now. */
function scopesOfIdentity(
  { scopes }: Liveness,
  { identityEpoch, identitySince }: AgentLiveness,
): readonly string[] {
  return scopes
    .filter(
      (s) =>
        compareDigits(s.epoch, identityEpoch) >= 0 && s.completeAt !== null && s.completeAt >= identitySince,
    )
    .map((s) => s.scope);
}

/** Calm costs no row, so it is the scope's own liveness that says so, and not the part's. */
const isCoveredBy = ({ scope }: ObservedPart, covering: readonly string[]) =>
  covering.includes(scope) || covering.includes('*');

/** Why an old observation is old, and until when that stays the reason. */
export function staleness(liveness: Liveness, now: number): { cause: UnknownCause; until: number | null } {
  if (liveness.unread.length > 0) return { cause: 'evidence_corrupt', until: null };
  if (liveness.scopes.length === 0) return { cause: 'never_observed', until: null };
  const lastReceived = Math.max(...liveness.scopes.map((s) => s.receivedAt));
  const aliveUntil = lastReceived + liveness.settings.freshForMs;
  if (now >= aliveUntil) return { cause: 'stale_runtime', until: null };
  const unavailable = liveness.scopes.find((s) => s.unavailable !== null)?.unavailable;
  return { cause: unavailable ?? 'watch_stalled', until: aliveUntil };
}
