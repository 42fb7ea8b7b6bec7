import type { ObservedBody } from '../contract/evidence.ts';
import type { SeenEnd } from './facts.ts';
import { isCounted } from './instances.ts';

/** Caps the ends that are shown one by one. */
const ENDS_KEPT = 100;

/**
 * The ends of the lives of instances, each at the instant of the report that first showed it: down, or else up again. That
 * instant never changes, whatever a later report says of the same end. The exits that count for a crash loop are another
 * fact (F113): those are dated by the growth of the counter, and only the newest of them are kept.
 */
export function endsAfter(earlier: readonly SeenEnd[], body: ObservedBody): readonly SeenEnd[] {
  const found = new Map(body.exits?.map(({ uid, count }) => [uid, count]));
  let ends = earlier;
  for (const instance of body.instances) {
    const { uid, restarts, revision, attempt, details, startedAt } = instance;
    const isDown = instance.phase === 'exited' && isCounted(instance);
    const lives: number[] = [];
    for (let life = Math.max(0, restarts - (found.get(uid) ?? 0)); life < restarts; life++) lives.push(life);
    // One that failed may never have run.
    if (isDown) lives.push(restarts);
    for (const life of lives)
      if (ends.findLast((end) => end.uid === uid)?.life !== life)
        ends = [
          ...ends,
          {
            ...{ at: body.changedAsOf, uid, life, revision, attempt },
            // The code that is told of an instance is that of its last end: of ends that were missed, nothing says it.
            ...(life === lives.at(-1) && details?.exitCode != null && { exitCode: details.exitCode }),
            ...(isDown && life === restarts && startedAt != null && { startedAt }),
          },
        ];
  }
  return ends.length <= ENDS_KEPT ? ends : thinned(ends);
}

/**
 * Lets an end stand for the one that followed it most closely, so that what is shown of a long crash loop still covers all
 * of it, and their number stays exact. Rejected: dropping the oldest, which takes exits from a past that was shown.
 */
function thinned(ends: readonly SeenEnd[]): readonly SeenEnd[] {
  const kept = [...ends];
  while (kept.length > ENDS_KEPT) {
    let closest = 1;
    const gap = (i: number) => (kept[i]?.at ?? 0) - (kept[i - 1]?.at ?? 0);
    // The newest stays: it says which end was noted last.
    for (let i = 2; i < kept.length - 1; i++) if (gap(i) < gap(closest)) closest = i;
    const [first, second] = kept.slice(closest - 1, closest + 1);
    if (first === undefined || second === undefined) break;
    kept.splice(closest - 1, 2, { ...first, count: (first.count ?? 1) + (second.count ?? 1) });
  }
  return kept;
}
