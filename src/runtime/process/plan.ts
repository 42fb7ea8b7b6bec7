import type { Stamp } from '../../contract/intent.ts';
import { sameAttempt } from '../stamp.ts';
import type { InstanceRecord, ServiceRecord, Serving, Wanted } from './record.ts';

/** What has to be done now to come nearer to what is wanted. Pure: what is ready is an argument. */
export interface Plan {
  /** How many more of the wanted attempt to start. */
  readonly start: number;
  /** Whom the router sends to from now on. */
  readonly serving: Serving | null;
  /** Out of the router at once; stopped for good when what they had in hand is done. */
  readonly retire: readonly string[];
}

/**
 * The new is started beside the old. The router switches when as many of the new are ready as are wanted, and only then
 * does the old go. What is broken therefore replaces nothing: a failed deploy leaves what served before it serving.
 *
 * Rejected: one new for one old, in turns. It needs less memory, but mixes two revisions in front of users, and a
 * revision that breaks half-way has already taken the place of a good one.
 */
export function plan(record: ServiceRecord, isReady: (uid: string) => boolean): Plan {
  const { wanted, serving } = record;
  const active = record.instances.filter((i) => !i.retiring);
  if (wanted === null || wanted.replicas === 0)
    return { start: 0, serving: null, retire: active.map((i) => i.uid) };

  const current = active.filter((i) => isCurrent(wanted, i));
  const surplus = surplusOf(current, wanted.replicas, isReady);
  const kept = current.filter((i) => !surplus.includes(i));
  const satisfied = kept.filter((i) => isReady(i.uid)).length >= wanted.replicas;
  const next = satisfied
    ? { revision: wanted.stamp.revision, attempt: wanted.stamp.attempt, accepts: wanted.accepts }
    : serving;
  const old = active.filter((i) => !isCurrent(wanted, i) && (satisfied || !serves(next, i)));
  return {
    start: Math.max(0, wanted.replicas - kept.length),
    serving: next,
    retire: [...surplus, ...old].map((i) => i.uid),
  };
}

/** Counts for what is wanted: of this attempt, or kept by a `scale` from the one it derives from. */
export function isCurrent(wanted: Wanted, { stamp, artifact }: InstanceRecord): boolean {
  return artifact === wanted.artifact && isOneOf([wanted.stamp, ...wanted.accepts], stamp);
}

export function serves(serving: Serving | null, { stamp }: InstanceRecord): boolean {
  return serving !== null && isOneOf([serving, ...serving.accepts], stamp);
}

const isOneOf = (stamps: readonly Stamp[], stamp: Stamp) => stamps.some((s) => sameAttempt(s, stamp));

/** Fewer are wanted: what is not ready goes first, then the youngest. */
function surplusOf(
  current: readonly InstanceRecord[],
  replicas: number,
  isReady: (uid: string) => boolean,
): readonly InstanceRecord[] {
  const worstFirst = [...current].sort(
    (a, b) => Number(isReady(a.uid)) - Number(isReady(b.uid)) || b.ordinal - a.ordinal,
  );
  return worstFirst.slice(0, Math.max(0, current.length - replicas));
}
