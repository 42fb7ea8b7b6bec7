import { compareDigits, type Digits } from '../contract/digits.ts';
import type { UnknownCause } from '../contract/vocabulary.ts';
import type { AgentLiveness, Liveness, Observed, ObservedPart } from './facts.ts';
import { contributing } from './running-contract.ts';

/** The age of a service's observation. Computed when read, so that silence shows without a write (S2, F25). */
export interface ObservationAge {
  /** Null if no report covers the service yet. */
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
export function freshnessOf(observed: Observed, liveness: Liveness): ObservationAge {
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
  // A corrupt part counts even if its scope contributes nothing else: its only item may be the unreadable one.
  const broken = observed.parts.some((p) => p.corrupt)
    ? 'evidence_corrupt'
    : identityChanged(parts, liveness)
      ? 'identity_changed'
      : null;
  // mutant: fresh-window
  return { asOf, until: asOf === null ? NEVER : asOf + liveness.settings.freshForMs, broken };
}

/** A calm report keeps the last observation of its scope as fresh as the scope itself. */
function liveAsOf({ scope, asOf }: ObservedPart, { scopes }: Liveness): number {
  let latest = asOf;
  for (const s of scopes) if (s.scope === scope || s.scope === '*') latest = Math.max(latest, s.asOf);
  return latest;
}

/**
 * The instant up to which the recorded observation was seen to be so, whatever is wrong with it now. Reports from another
 * place, and those that could not be read, say nothing of it.
 */
export function lastSeenAsOf(observed: Observed, liveness: Liveness): number {
  const ofParts = contributing(observed).map((part) => partLastSeenAsOf(part, liveness));
  return ofParts.length === 0 ? 0 : Math.min(...ofParts);
}

export function partLastSeenAsOf(part: ObservedPart, liveness: Liveness): number {
  const { agent } = liveness;
  const isHere = (epoch: Digits) =>
    agent === null || !agent.identityChanged || compareDigits(epoch, agent.identityEpoch) >= 0;
  const scopes = part.corrupt ? [] : liveness.scopes.filter((s) => isHere(s.epoch) === isHere(part.epoch));
  return liveAsOf(part, { ...liveness, scopes });
}

/** The instant that each part is as of; no later than its own report if something is wrong with the whole. */
export function partsAsOf(
  observed: Observed,
  liveness: Liveness,
): readonly (readonly [ObservedPart, number])[] {
  const { broken } = freshnessOf(observed, liveness);
  return observed.parts.map((part) => [part, broken === null ? liveAsOf(part, liveness) : part.asOf]);
}

/**
 * Observations under another identity are about another cluster, until each scope that shows the service has
 * reported completely under the new one. Rejected: dropping all scopes with the first complete report; one
 * scope alone would then prove absent what it does not cover.
 */
function identityChanged(parts: readonly ObservedPart[], liveness: Liveness): boolean {
  const { agent } = liveness;
  // mutant: identity-changed
  if (agent === null || !agent.identityChanged) return false;
  const covering = scopesOfIdentity(liveness, agent);
  return covering.length === 0 || parts.some((part) => !isCoveredBy(part, covering));
}

/** The scopes that have reported completely under the target's current identity. */
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

/** A calm report leaves no row, so the scope's liveness says this, and not the part. */
const isCoveredBy = ({ scope }: ObservedPart, covering: readonly string[]) =>
  covering.includes(scope) || covering.includes('*');

/** The scope of a namespace of a cluster, whose name is a DNS label: no free text reaches a sentence (S15). */
const NAMESPACE_SCOPE = /^ns\/([a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)$/;

/** An agent that was heard within so many of its report intervals is alive. */
const ALIVE_INTERVALS = 2;

/**
 * The reason why an observation is stale, and the instant until which it stays the reason. Rejected: calling an agent alive
 * for the whole freshness window after its last report: what that showed is older than its receipt, so that an agent that
 * stops would for that time be called alive, with a watch that is not.
 */
export function staleness(
  { parts }: Observed,
  liveness: Liveness,
  now: number,
): { cause: UnknownCause; until: number | null; namespace?: string } {
  if (liveness.unread.length > 0) return { cause: 'evidence_corrupt', until: null };
  if (liveness.scopes.length === 0) return { cause: 'never_observed', until: null };
  const lastReceived = Math.max(...liveness.scopes.map((s) => s.receivedAt));
  const { freshForMs, reportEveryMs } = liveness.settings;
  const aliveUntil = lastReceived + Math.min(freshForMs, ALIVE_INTERVALS * reportEveryMs);
  if (now >= aliveUntil) return { cause: 'stale_runtime', until: null };
  // The agent is alive and may not read what it must (F77), or its runtime does not answer. That another scope is
  // unavailable says nothing about this service.
  const shows = (scope: string) => scope === '*' || parts.some((part) => part.scope === scope);
  const own = liveness.scopes.filter(({ scope }) => parts.length === 0 || shows(scope));
  const closed = own.find((s) => s.unavailable !== null);
  const namespace = NAMESPACE_SCOPE.exec(closed?.scope ?? '')?.[1];
  return {
    cause: closed?.unavailable ?? 'watch_stalled',
    until: aliveUntil,
    ...(namespace !== undefined && { namespace }),
  };
}
