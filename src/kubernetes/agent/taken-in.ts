import type { ServiceEntry } from '../../contract/report.ts';
import type { ObservedWorkload } from '../observe/workload.ts';

/** A controller takes in a change of its workload within this time, or something is wrong. */
export const TAKES_IN_MS = 2_000;

interface KnownEntry {
  /** The entry of the newest generation that the controller has taken in. */
  readonly takenIn: ServiceEntry | null;
  /** Since when the controller has been behind. */
  readonly behindSince: number | null;
}

/**
 * The entries of workloads as their controllers have taken them in. A change that a controller has not looked at yet is
 * reported when it has, or when that takes long: every scaling and every rollout would otherwise be shown as broken for an
 * instant.
 */
export class TakenIn {
  readonly #namespaces = new Map<string, ReadonlyMap<string, KnownEntry>>();

  /** The entries to report of a namespace, and the instant at which the first of them has to be looked at again. */
  entries(
    namespace: string,
    seen: readonly { readonly workload: TakenInWorkload; readonly entry: ServiceEntry }[],
    now: number,
  ): { readonly entries: ServiceEntry[]; readonly until: number } {
    const before = this.#namespaces.get(namespace);
    const known = new Map<string, KnownEntry>();
    let until = Number.POSITIVE_INFINITY;
    const entries = seen.map(({ workload: { uid, generation, isDeleting }, entry }) => {
      // A request to delete is a new generation, and not one that its controller acts on.
      const isBehind = !isDeleting && generation !== null && (generation.observed ?? -1) < generation.desired;
      if (!isBehind) known.set(uid, { takenIn: entry, behindSince: null });
      if (!isBehind) return entry;
      const { takenIn = null, behindSince } = before?.get(uid) ?? {};
      const since = behindSince ?? now;
      known.set(uid, { takenIn, behindSince: since });
      if (takenIn === null || now >= since + TAKES_IN_MS) return entry;
      until = Math.min(until, since + TAKES_IN_MS);
      return takenIn;
    });
    this.#namespaces.set(namespace, known);
    return { entries, until };
  }
}

type TakenInWorkload = Pick<ObservedWorkload, 'uid' | 'generation' | 'isDeleting'>;
