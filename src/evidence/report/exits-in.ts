import { compareDigits, type Digits } from '../../contract/digits.ts';
import type { ObservedBody } from '../../contract/evidence.ts';
import type { Instance } from '../../contract/report.ts';
import { EXIT_MEMORY_MS, EXITS_KEPT } from '../../contract/stability.ts';
import { exitsOf, hasEnded, memoryOf, tookPlace } from '../../projection/exits.ts';
import type { ObservedInstance, ObservedPart, ScopeLiveness } from '../../projection/facts.ts';
import { sameCondition } from '../../projection/fold-observed.ts';
import { isCounted, sameStamp } from '../../projection/instances.ts';
import type { ServiceFile } from '../door/service-file.ts';
import type { Observation } from './observation.ts';

/** A report beside the ones before it. */
interface Before {
  readonly file: ServiceFile;
  /** The scopes as they were heard before this report. */
  readonly heard: readonly ScopeLiveness[];
  /** The instant of this report. */
  readonly asOf: number;
  /** An older epoch observed another cluster. */
  readonly identityEpoch?: Digits | undefined;
}

/**
 * Finds the exits between the report before and this one (F113). The door finds them, and not `fold`: only here both
 * reports are known, because a calm report leaves no row.
 */
export function exitsIn(observation: Observation, before: Before): Pick<ObservedBody, 'exits' | 'outlived'> {
  const { instances, scope, complete } = observation;
  const { identityEpoch = '0' } = before;
  const { observed } = before.file.proven;
  const parts = observed.parts.filter(({ epoch }) => compareDigits(epoch, identityEpoch) >= 0);
  const others = scope === '*' && complete ? [] : parts.filter((part) => part.scope !== scope);
  const isThere = new Set([...others.flatMap((part) => part.instances), ...instances].map(({ uid }) => uid));
  const exits = instances.flatMap((instance) => {
    // An instance that is drained or deleted does not exit.
    if (!isCounted(instance)) return [];
    const known = shownBefore(parts, instance);
    const count =
      known !== null
        ? growth(known, instance, before)
        : (grownElsewhere(instance, before) ??
          exitsOfPlace(parts, instance, isThere, before) + broughtAlong(instance, before));
    if (count <= 0) return [];
    const isLoop = known?.instance.reason === 'crash_loop';
    return [{ uid: instance.uid, count: Math.min(count, EXITS_KEPT), ...(isLoop && { isLoop }) }];
  });
  const outlived = instances.filter((i) => hasOutlived(i, parts, before)).map(({ uid }) => uid);
  return {
    ...(exits.length > 0 && { exits }),
    ...(outlived.length > 0 && { outlived }),
  };
}

/** It exited once, and was steady in the report before, or is in this one. A calm report leaves no row that says so. */
function hasOutlived(instance: Instance, parts: readonly ObservedPart[], before: Before): boolean {
  const { file, asOf } = before;
  const { observed } = file.proven;
  const memory = exitsOf(observed, instance);
  if (memory === undefined || memory.exits.length === 0 || memory.outlived !== undefined) return false;
  const known = shownBefore(parts, instance);
  if (known === null || file.activeIntent === undefined) return false;
  const seen = sameCondition(known.instance, instance) ? asOf : lastSeen(known, before);
  return memoryOf(observed, known.instance, seen, file.activeIntent.stabilityMs).isSteady;
}

interface ShownBefore {
  readonly part: ObservedPart;
  readonly instance: ObservedInstance;
}

function shownBefore(parts: readonly ObservedPart[], { uid }: Instance): ShownBefore | null {
  for (const part of parts) {
    const instance = part.instances.find((i) => i.uid === uid);
    if (instance !== undefined) return { part, instance };
  }
  return null;
}

/** A counter that fell starts anew, and so does one of another attempt. Over a gap, growth may be any age: one exit. */
function growth(shown: ShownBefore, instance: Instance, before: Before): number {
  const { file, asOf } = before;
  if (!sameStamp(shown.instance, instance)) return 0;
  const grown = Math.max(0, instance.restarts - shown.instance.restarts);
  const isGap = asOf - lastSeen(shown, before) > file.liveness.settings.freshForMs;
  // mutant: exits-over-gap
  return isGap ? Math.min(grown, 1) : grown;
}

/**
 * The place is back that showed it before, with its exits (F114): growth behind another place may be any age, one exit.
 * Null if no other place showed it.
 */
function grownElsewhere(instance: Instance, { file }: Before): number | null {
  const { parts, left = [] } = file.proven.observed;
  const former = [...left, ...parts].flatMap(({ instances }) =>
    instances.filter((i) => i.uid === instance.uid),
  );
  const last = former.at(-1);
  if (last?.restarts === undefined || !sameStamp(last, instance)) return null;
  return instance.restarts > last.restarts ? 1 : 0;
}

/** The instant of the last report that showed it: calm ones are known by their scope alone. */
const lastSeen = ({ part, instance }: ShownBefore, { heard }: Before) =>
  heard
    .filter(({ scope }) => scope === part.scope || scope === '*')
    .reduce((latest, scope) => Math.max(latest, scope.asOf), Math.max(part.asOf, instance.steady.since));

/** It takes the place of one that was observed exited, and is gone now or since an earlier report. */
function exitsOfPlace(
  parts: readonly ObservedPart[],
  instance: Instance,
  isThere: ReadonlySet<string>,
  { file, identityEpoch = '0' }: Before,
): number {
  const replaced = parts
    .flatMap(({ instances }) => instances)
    .find((i) => tookPlace(i, instance) && !isThere.has(i.uid));
  if (replaced !== undefined) return hasEnded(replaced) && isCounted(replaced) ? 1 : 0;
  const gone = exitsOf(file.proven.observed, instance);
  return gone?.ended && compareDigits(gone.epoch, identityEpoch) >= 0 ? 1 : 0;
}

/**
 * Restarts of an instance that is seen for the first time are recent only if its attempt is, or if its runtime remembers it.
 */
function broughtAlong(
  { restarts, revision, attempt, restlessSince }: Instance,
  { file, asOf }: Before,
): number {
  if (restlessSince != null) return restarts;
  const { active } = file;
  if (active === undefined || active.revision !== revision || active.attempt.attempt !== attempt) return 0;
  const { applied } = active.attempt;
  return applied !== null && asOf - applied.at < EXIT_MEMORY_MS ? restarts : 0;
}
