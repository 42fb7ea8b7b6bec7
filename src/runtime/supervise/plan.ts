import type { Stamp } from '../../contract/intent.ts';
import { sameAttempt } from '../stamp.ts';
import type { InstanceRecord, ServiceRecord, ServingAttempt, WantedAttempt } from './record.ts';

/** The next steps towards what is wanted. */
interface SupervisionPlan {
  /** The number of instances of the wanted attempt to start. */
  readonly start: number;
  /** The attempt that the router forwards to from now on. */
  readonly serving: ServingAttempt | null;
  /** The attempt that the router goes back to if that breaks. */
  readonly fallback: ServingAttempt | null;
  /** The wanted attempt broke once while it served. */
  readonly doubted: boolean;
  /** Instances to take out of the router at once, and to stop for good when their requests are answered. */
  readonly retire: readonly string[];
}

/**
 * The new attempt is started beside the old. The router switches when as many of the new may serve as are wanted. The
 * old is stopped when the new has held for its stability window; until then the router goes back to it if the new
 * breaks. After that the new has to hold for its window first. A broken attempt therefore replaces nothing: a failed
 * deploy leaves the former revision serving.
 *
 * Rejected: to switch only after the window. The claim's own window begins when the route answers (S1), so every deploy
 * would take two of them. And one new for one old, in turns: it needs less memory, but mixes two revisions in front of
 * users, and a revision that breaks half-way has already taken the place of a good one.
 *
 * Pure.
 *
 * @param heldMs the time for which `isSatisfied` has been true; null if it is not
 */
export function plan(
  record: ServiceRecord,
  mayServe: (uid: string) => boolean,
  heldMs: number | null,
): SupervisionPlan {
  const { wanted } = record;
  const active = activeOf(record);
  if (wanted === null || wanted.replicas === 0)
    return { start: 0, serving: null, fallback: null, doubted: false, retire: active.map((i) => i.uid) };

  const current = active.filter((i) => isCurrent(wanted, i));
  const surplus = surplusOf(current, wanted.replicas, mayServe);
  const next = servingNext(record, wanted, mayServe, heldMs);
  const stays = (i: InstanceRecord) =>
    isCurrent(wanted, i) || serves(next.serving, i) || serves(next.fallback, i);
  const old = active.filter((i) => !stays(i));
  return {
    start: Math.max(0, wanted.replicas - (current.length - surplus.length)),
    ...next,
    retire: [...surplus, ...old].map((i) => i.uid),
  };
}

function servingNext(
  record: ServiceRecord,
  { stamp, accepts, stabilityMs }: WantedAttempt,
  mayServe: (uid: string) => boolean,
  heldMs: number | null,
): Pick<SupervisionPlan, 'serving' | 'fallback' | 'doubted'> {
  const { serving, fallback, doubted } = record;
  const isSwitched = serving !== null && sameAttempt(serving, stamp);
  const isStable = heldMs !== null && heldMs >= stabilityMs;
  if (heldMs !== null && (isSwitched || !doubted || isStable)) {
    const mine = { revision: stamp.revision, attempt: stamp.attempt, accepts };
    return { serving: mine, fallback: isStable ? null : isSwitched ? fallback : serving, doubted };
  }
  const answers = (of: ServingAttempt | null) =>
    activeOf(record).some((i) => serves(of, i) && mayServe(i.uid));
  if (answers(fallback) && (isSwitched || !answers(serving)))
    return { serving: fallback, fallback: null, doubted: isSwitched || doubted };
  return { serving, fallback, doubted };
}

const activeOf = ({ instances }: ServiceRecord) => instances.filter((i) => !i.retiring);

/** True if as many instances of the wanted attempt may serve as are wanted. */
export function isSatisfied(record: ServiceRecord, mayServe: (uid: string) => boolean): boolean {
  const { wanted } = record;
  if (wanted === null || wanted.replicas === 0) return false;
  const able = activeOf(record).filter((i) => isCurrent(wanted, i) && mayServe(i.uid));
  return able.length >= wanted.replicas;
}

/** True if the instance counts as wanted: of this attempt, or kept by a `scale` from the one it derives from. */
export function isCurrent(wanted: WantedAttempt, { stamp, artifact }: InstanceRecord): boolean {
  return artifact === wanted.artifact && isOneOf([wanted.stamp, ...wanted.accepts], stamp);
}

export function serves(serving: ServingAttempt | null, { stamp }: InstanceRecord): boolean {
  return serving !== null && isOneOf([serving, ...serving.accepts], stamp);
}

const isOneOf = (stamps: readonly Stamp[], stamp: Stamp) => stamps.some((s) => sameAttempt(s, stamp));

/** The instances above the wanted number: first those that may not serve, then the youngest. */
function surplusOf(
  current: readonly InstanceRecord[],
  replicas: number,
  mayServe: (uid: string) => boolean,
): readonly InstanceRecord[] {
  const worstFirst = [...current].sort(
    (a, b) => Number(mayServe(a.uid)) - Number(mayServe(b.uid)) || b.ordinal - a.ordinal,
  );
  return worstFirst.slice(0, Math.max(0, current.length - replicas));
}
