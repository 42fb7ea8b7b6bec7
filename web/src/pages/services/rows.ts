import type { ServiceItem } from '../../../../src/contract/answers/views.ts';
import type { Claim } from '../../../../src/contract/claim.ts';
import {
  isTargetSilent,
  serverNowOf,
  silenceMs,
} from '../../../../src/contract/presentation/server-contact.ts';
import { type ClaimView, claimViewOf, servedNow } from '../../live/claim-view.ts';
import type { PageView } from '../../live/page-view.ts';
import { type HeldState, heldState, heldWhenRead } from '../../parts/ribbon/holding.ts';
import { readRibbons } from './read-ribbons.ts';

/** A service of the list at this instant; its words are made when it is drawn (`row-words.ts`). */
export interface ServiceRowView {
  readonly ref: string;
  readonly name: string;
  /** Set for a workload that another tool deploys; null for every other service. */
  readonly namespace: string | null;
  readonly target: string;
  readonly item: ServiceItem;
  readonly claim: Claim;
  readonly claimView: ClaimView;
  /** The revision that serves, if proven. */
  readonly serving: number | null;
  /** The revision that was last observed serving, with its age, where none is proven to serve. */
  readonly lastServing: { readonly revision: number; readonly agoMs: number } | null;
  /** It answers between two exits: that is no serving, though its revision is named. */
  readonly isUpForNow: boolean;
  /** Since when its state is known to hold, where silences that are over interrupted it. */
  readonly held: HeldState | null;
  /** It is proven that nothing serves. */
  readonly isNothingServing: boolean;
  /** Nothing served when it was last seen, and what does now is not known. */
  readonly isNothingLast: boolean;
  /** Its target was heard once, and is not now: whatever its state, what runs there is not proven (F116). */
  readonly isTargetSilent: boolean;
  /** The time since that target was last heard; null where it is heard, or never was. */
  readonly targetSilentMs: number | null;
}

/** The list as it was read, updated by the claims received since. */
export function rowsOf(items: readonly ServiceItem[], view: PageView, now: number): ServiceRowView[] {
  const serverNow = serverNowOf(view, now);
  // A page that hears nothing cannot tell which target is silent.
  const isHeard = silenceMs(view, now) === null;
  const silent = new Set(
    Object.keys(view.fresh).filter((target) => isHeard && isTargetSilent(view, target, now)),
  );
  return items.map((item) => {
    const { ref, target } = item;
    const claim = view.claims.get(ref) ?? item.claim;
    const claimView = claimViewOf(claim, view, now);
    const { serving, isUpForNow, isNothingServing } = servedNow(claim, claimView, view, now);
    const heard = view.fresh[target];
    const isNothingLast = serving === null && !isNothingServing && claim.nothingServes !== undefined;
    const [name = item.name, ...rest] = item.name.split('.');
    return {
      ref,
      name,
      namespace: rest.length === 0 ? null : rest.join('.'),
      target,
      item,
      claim,
      claimView,
      serving,
      lastServing:
        serving !== null || isNothingServing || isNothingLast ? null : lastServingOf(claim, serverNow),
      isUpForNow,
      isNothingServing,
      isNothingLast,
      held:
        claimView.was === null ? (heldState(readRibbons.get(ref), claim) ?? heldWhenRead(item, claim)) : null,
      isTargetSilent: silent.has(target),
      targetSilentMs: heard === undefined || !silent.has(target) ? null : serverNow - Date.parse(heard.asOf),
    };
  });
}

function lastServingOf({ serving, lastServing }: Claim, serverNow: number): ServiceRowView['lastServing'] {
  const last = serving ?? lastServing;
  return last === null ? null : { revision: last.revision, agoMs: serverNow - Date.parse(last.asOf) };
}
