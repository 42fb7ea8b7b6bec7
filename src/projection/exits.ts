import { compareDigits, type Digits } from '../contract/digits.ts';
import type { ObservedBody } from '../contract/evidence.ts';
import type { Instance } from '../contract/report.ts';
import {
  countedExits,
  EXIT_MEMORY_MS,
  EXITS_KEPT,
  isCrashLoop,
  stabilityWindow,
} from '../contract/stability.ts';
import type { InstanceExits, Mark, Observed, ObservedInstance, ObservedPart, SeenEnd } from './facts.ts';
import { isCounted, isReady, sameStamp } from './instances.ts';

/** Caps the memory of instances that are gone. */
const GONE_KEPT = 16;

/** An instance as its exits are looked up. */
type Named = Pick<Instance, 'uid' | 'name' | 'revision' | 'attempt' | 'template'>;

export const hasEnded = ({ phase }: Instance) => phase === 'exited' || phase === 'failed';

/**
 * The exits of an instance: its own, or those of the one whose place it took under the same name in the same attempt. A
 * newer attempt begins anew.
 */
export function exitsOf(
  { exits = [], parts }: Pick<Observed, 'exits' | 'parts'>,
  instance: Named,
): InstanceExits | undefined {
  if (exits.length === 0) return undefined;
  const own = exits.find((e) => e.uid === instance.uid && sameStamp(e, instance));
  if (own !== undefined) return own;
  // mutant: exits-inherited
  return exits.findLast((e) => !e.elsewhere && tookPlace(e, instance) && !isShown(parts, e.uid));
}

/** Two of one name at once are two instances: none took the other's place. */
export const tookPlace = (before: Named, instance: Named) =>
  before.name !== '' && before.name === instance.name && sameStamp(before, instance);

const isShown = (parts: readonly ObservedPart[], uid: string) =>
  parts.some(({ instances }) => instances.some((i) => i.uid === uid));

/**
 * Collects the exits that an observation carries. `parts` are the parts after it, `before` the former ones, `ends` those
 * that were seen up to it.
 */
export function exitsAfter(
  { exits: earlier = [] }: Observed,
  before: readonly ObservedPart[],
  parts: readonly ObservedPart[],
  body: ObservedBody,
  mark: Mark,
  ends: readonly SeenEnd[],
): readonly InstanceExits[] {
  const { exits: found = [], outlived = [] } = body;
  const ended = before.flatMap(({ epoch, instances }) =>
    instances
      .filter((i) => hasEnded(i) && isCounted(i) && !isShown(parts, i.uid))
      .map((i) => ({ instance: i, epoch })),
  );
  if (earlier.length + found.length + ended.length === 0) return earlier;
  let exits = earlier.map((e) => placed(e, body));
  for (const { instance, epoch } of ended) {
    const known = exitsOf({ exits, parts }, instance);
    exits = replaced(exits, known, {
      ...(known ?? unexited(instance, epoch)),
      uid: instance.uid,
      ended: true,
    });
  }
  for (const uid of outlived) {
    const instance = body.instances.find((i) => i.uid === uid);
    const known = instance && exitsOf({ exits, parts }, instance);
    if (known !== undefined) exits = exits.map((e) => (e === known ? { ...e, outlived: mark.id } : e));
  }
  for (const { uid, count, isLoop } of found) {
    const instance = body.instances.find((i) => i.uid === uid);
    if (instance === undefined) continue;
    const known = exitsOf({ exits, parts }, instance);
    const added = Array.from({ length: count }, () => ({
      ...{ at: body.changedAsOf, evidence: mark.id },
      ...(isLoop && { isLoop }),
    }));
    exits = replaced(exits, known, {
      ...unexited(instance, body.epoch),
      exits: [...(known?.exits ?? []), ...added].slice(-EXITS_KEPT),
      spell:
        known === undefined && instance.restlessSince != null
          ? { count: instance.restarts, since: Date.parse(instance.restlessSince) }
          : spellAfter(known, instance, count, body.changedAsOf, ends),
    });
  }
  const gone = exits.filter(({ uid }) => !isShown(parts, uid)).slice(0, -GONE_KEPT);
  return gone.length === 0 ? exits : exits.filter((e) => !gone.includes(e));
}

/**
 * Counts on unless the instance held its window, and ten minutes more; the first of them may have been seen before it was
 * up again.
 */
function spellAfter(
  known: InstanceExits | undefined,
  { uid, restarts }: Instance,
  count: number,
  at: number,
  ends: readonly SeenEnd[],
): NonNullable<InstanceExits['spell']> {
  const last = known?.exits.at(-1)?.at;
  const isOver = last === undefined || (known?.outlived !== undefined && at - last > EXIT_MEMORY_MS);
  if (known !== undefined && !isOver) {
    const { count: earlier = known.exits.length, since = known.exits[0]?.at ?? at } = known.spell ?? {};
    return { count: earlier + count, since };
  }
  const first =
    ends.findLast((end) => end.uid === uid && end.life === restarts - count) ??
    (known?.ended ? ends.findLast((end) => end.uid === known.uid) : undefined);
  return { count, since: first?.at ?? at };
}

/**
 * Exits in another place are those of something else, whatever its name (F61). They are kept aside: the place may come
 * back, with the same instance in it (F114).
 */
function placed(
  exits: InstanceExits,
  { identityEpoch = '0', epoch, instances }: ObservedBody,
): InstanceExits {
  if (compareDigits(exits.epoch, identityEpoch) >= 0) return exits;
  const { elsewhere: _, ...own } = exits;
  return instances.some(({ uid }) => uid === exits.uid) ? { ...own, epoch } : { ...own, elsewhere: true };
}

function unexited({ uid, name, revision, attempt, template }: Instance, epoch: Digits): InstanceExits {
  return { uid, name, revision, attempt, template, epoch, exits: [] };
}

const replaced = (exits: readonly InstanceExits[], old: InstanceExits | undefined, by: InstanceExits) => [
  ...exits.filter((e) => e !== old && e.uid !== by.uid),
  by,
];

/** All exits, with one that no start has followed yet, from the first to the last, each as it was first seen. */
interface Spell {
  readonly exits: number;
  readonly first: number;
  readonly last: number;
  /** The code of the last one that was seen down: an instance that is up again tells none. */
  readonly exitCode: number | null;
}

/** The exits of an instance as people count them; null where none was seen. */
export function spellOf(
  observed: Observed,
  instance: ObservedInstance,
  known = exitsOf(observed, instance),
): Spell | null {
  const seen = observed.ends?.findLast(({ uid }) => uid === instance.uid);
  const end = seen?.at;
  const exitCode = seen?.exitCode ?? null;
  if (known === undefined || known.exits.length === 0) {
    if (!hasEnded(instance) || !isCounted(instance)) return null;
    const at = end ?? instance.steady.since;
    return { exits: 1, first: at, last: at, exitCode };
  }
  const { count = known.exits.length, since = known.exits[0]?.at ?? 0 } = known.spell ?? {};
  const last = end ?? known.exits.at(-1)?.at ?? since;
  return { exits: count + Number(hasEnded(instance)), first: since, last, exitCode };
}

/** The memory of an instance, as the running contract needs it. */
export interface Memory {
  readonly instance: ObservedInstance;
  /** The exits that count: those in the ten minutes up to the last. */
  readonly exits: number;
  /** Its exits as people count them; null where it never exited. */
  readonly spell: Spell | null;
  readonly windowMs: number;
  /** It was ready for its window, by the reports of its scope. */
  readonly isSteady: boolean;
  /** It is in a crash loop, which it has not outlived. */
  readonly isLooping: boolean;
  /** It exited, and has not held its window since. */
  readonly isUnsteady: boolean;
}

/** @param asOf the instant of the last recorded report of its scope */
export function memoryOf(
  observed: Observed,
  instance: ObservedInstance,
  asOf: number,
  stabilityMs: number,
): Memory {
  const known = exitsOf(observed, instance);
  const instants = known?.exits.map(({ at }) => at) ?? [];
  const counted = instants.length === 0 ? [] : countedExits(instants);
  // The word of its runtime counts as long as the exit that it was about.
  const isCalledLoop = known?.exits.some(({ at, isLoop }) => isLoop && counted.includes(at)) ?? false;
  const windowMs = stabilityWindow(instants, stabilityMs, isCalledLoop);
  // Its runtime remembers how long it lived before, also where nobody here saw an end of it.
  const isRestless = instance.restlessSince != null;
  const isSteady = isReady(instance) && !isRestless && asOf >= instance.steady.since + windowMs;
  const isOver = instants.length === 0 || known?.outlived !== undefined;
  const loops = instance.reason === 'crash_loop' || (!isOver && (isCalledLoop || isCrashLoop(instants)));
  return {
    instance,
    exits: counted.length,
    spell: known === undefined ? null : spellOf(observed, instance, known),
    windowMs,
    isSteady,
    isLooping: loops && !isSteady,
    isUnsteady: !isOver && !isSteady,
  };
}
