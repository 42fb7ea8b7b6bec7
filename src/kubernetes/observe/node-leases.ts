import type { NodeLeaseRecord } from '../cache/node.ts';

/**
 * Which nodes live, by their leases (rule 5). A kubelet changes `renewTime` every few seconds while it lives; the time
 * in it is the node's own clock and is never read. Only proven time counts as silence: while our own copy of the leases
 * was unproven, nobody could have seen a renewal. Pure; times are monotonic milliseconds of the agent.
 */
export interface NodeLeases {
  readonly nodes: ReadonlyMap<string, NodeLeaseState>;
  /** Instant up to which the copy of the leases is proven; null before the first proof. */
  readonly provenAt: number | null;
  /** Time that was proven in all: does not pass while the copy is unproven for longer than a calm watch is. */
  readonly provenMs: number;
}

interface NodeLeaseState {
  readonly renewTime: string | null;
  readonly durationSeconds: number | null;
  /** It was seen to change: before that, nothing says that anybody renews it. */
  readonly hasChanged: boolean;
  /** `provenMs` when it changed last, or was first seen. */
  readonly since: number;
  /** `provenMs` when it was renewed after a silence, or was last given up; null: it never was. */
  readonly backSince: number | null;
}

/** The word of a node's lease about its kubelet. */
export type NodeWord =
  | { readonly kind: 'alive'; readonly silentMs: number }
  /** Silent for longer than it may be: its pods are `unknown`, never degraded. */
  | { readonly kind: 'silent'; readonly silentMs: number; readonly limitMs: number }
  /**
   * Renewed just now after a silence. What the API has of its pods may be of before, and what the kubelet begins with is no
   * failure of theirs: they are `unknown` a little longer.
   */
  | { readonly kind: 'back' }
  /** First seen a moment ago, and not renewed since. */
  | { readonly kind: 'not_yet' }
  /** No lease can be read: forbidden, or the node has none. */
  | { readonly kind: 'none' };

export const NO_LEASES: NodeLeases = { nodes: new Map(), provenAt: null, provenMs: 0 };

/** A calm watch is proven every five seconds; a longer gap was a fault of ours or of the API server. */
const CALM_GAP_MS = 8_000;
const LEAST_LIMIT_MS = 15_000;
const LIMIT_OF_DURATION = 0.625;
const DEFAULT_DURATION_SECONDS = 40;
/** A kubelet compares every pod with what it last wrote every 10 s. */
const BACK_MS = 10_000;

/**
 * Takes in the leases as they are in the copy, and how far the copy is proven.
 *
 * @param givenUp nodes that the controller manager gave up, maybe before we call them silent: until their kubelet takes
 * that back they are given no pods, and what the API has of theirs is not the kubelet's word (rule 5)
 */
export function observeLeases(
  before: NodeLeases,
  leases: Iterable<NodeLeaseRecord>,
  provenAt: number | null,
  now: number,
  givenUp: ReadonlySet<string> = new Set(),
): NodeLeases {
  const clock = passProven(before, provenAt);
  const passed = provenTime(clock, now);
  const nodes = new Map<string, NodeLeaseState>();
  for (const { name, renewTime, durationSeconds } of leases) {
    const known = before.nodes.get(name);
    const isSame = known !== undefined && known.renewTime === renewTime;
    const isGivenUp = givenUp.has(name);
    if (isSame) nodes.set(name, { ...known, durationSeconds, ...(isGivenUp && { backSince: passed }) });
    else {
      const wasSilent = known?.hasChanged && passed - known.since > silenceLimitMs(known.durationSeconds);
      const backSince = wasSilent || isGivenUp ? passed : (known?.backSince ?? null);
      nodes.set(name, {
        renewTime,
        durationSeconds,
        hasChanged: known !== undefined,
        since: passed,
        backSince,
      });
    }
  }
  return { ...clock, nodes };
}

export function nodeWord(leases: NodeLeases, node: string, now: number): NodeWord {
  const state = leases.nodes.get(node);
  if (state === undefined || state.renewTime === null) return { kind: 'none' };
  const silentMs = Math.max(0, provenTime(leases, now) - state.since);
  const limitMs = silenceLimitMs(state.durationSeconds);
  if (silentMs > limitMs) return { kind: 'silent', silentMs, limitMs };
  if (!state.hasChanged) return { kind: 'not_yet' };
  return isBackFor(leases, node, now, BACK_MS) ? { kind: 'back' } : { kind: 'alive', silentMs };
}

/** It was silent, and has been heard again for less than this. */
export function isBackFor(leases: NodeLeases, node: string, now: number, lessThanMs: number): boolean {
  const { backSince = null } = leases.nodes.get(node) ?? {};
  return backSince !== null && provenTime(leases, now) - backSince < lessThanMs;
}

export function silenceLimitMs(durationSeconds: number | null): number {
  return Math.max(LEAST_LIMIT_MS, LIMIT_OF_DURATION * 1000 * (durationSeconds ?? DEFAULT_DURATION_SECONDS));
}

function passProven(leases: NodeLeases, provenAt: number | null): NodeLeases {
  if (provenAt === null || leases.provenAt === null) return { ...leases, provenAt };
  const gap = provenAt - leases.provenAt;
  if (gap <= 0) return leases;
  return { ...leases, provenAt, provenMs: leases.provenMs + (gap <= CALM_GAP_MS ? gap : 0) };
}

/** Proven time up to now: the moments since the last proof count for as long as a calm watch would take. */
function provenTime({ provenAt, provenMs }: NodeLeases, now: number): number {
  const tail = provenAt === null ? 0 : now - provenAt;
  return provenMs + (tail > 0 && tail <= CALM_GAP_MS ? tail : 0);
}
