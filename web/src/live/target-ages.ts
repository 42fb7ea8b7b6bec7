import { isTargetSilent, serverNowOf } from '../../../src/contract/presentation/server-contact.ts';
import { useNow, useView } from './live.ts';
import type { PageView } from './page-view.ts';

/** A target in view, and the age of the stalest report of it that counts. */
export interface TargetAge {
  readonly target: string;
  readonly agoMs: number;
  readonly isSilent: boolean;
}

/** Every target that was ever heard, silent ones first, then by name. */
export function targetAges(view: PageView, now: number): readonly TargetAge[] {
  return Object.entries(view.fresh)
    .map(([target, { asOf }]) => ({
      target,
      agoMs: Math.max(0, serverNowOf(view, now) - Date.parse(asOf)),
      isSilent: isTargetSilent(view, target, now),
    }))
    .sort((a, b) => Number(b.isSilent) - Number(a.isSilent) || (a.target < b.target ? -1 : 1));
}

export function useSilentTargets(): number {
  return targetAges(useView(), useNow()).filter(({ isSilent }) => isSilent).length;
}
