import type { ServiceAction } from '../../../../../src/contract/actions.ts';
import type { RevisionView } from '../../../../../src/contract/answers/views.ts';
import { targetOf } from '../../../../../src/contract/names.ts';
import { commit } from '../../../../../src/contract/presentation/about.ts';
import { authorAndActor } from '../../../../../src/contract/presentation/author.ts';
import type { Button } from '../../../../../src/contract/presentation/buttons.ts';
import { confirmationOf, type Unseen } from '../../../../../src/contract/presentation/confirmation.ts';
import { copiesAfter } from '../../../../../src/contract/presentation/rollback-words.ts';
import {
  isTargetSilent,
  nothingServesNow,
  serverNowOf,
  silenceMs,
} from '../../../../../src/contract/presentation/server-contact.ts';
import { longAgo } from '../../../../../src/contract/presentation/times.ts';
import type { ClaimView } from '../../../live/claim-view.ts';
import type { ConfirmQuestion } from '../../../parts/confirm-dialog.tsx';
import type { DatedClaim } from '../dated-claim.ts';
import { RollbackChanges } from '../rollback-changes.tsx';
import { outlookOf } from '../rollback-goals.ts';
import { provenServing } from '../verdict.tsx';
import { ACTION_LABELS, OFF_LISTS_LABEL } from './action-labels.ts';

type ActionQuestion = Omit<ConfirmQuestion, 'stale'> & { readonly action: ServiceAction };

const YES: Readonly<Record<ServiceAction, string>> = { ...ACTION_LABELS, cancel: 'Cancel it' };

/** The question before an action: what will happen, and to whom. */
export function questionOf(
  { action, forcible, isOffLists }: Button,
  dated: DatedClaim,
  claimView: ClaimView,
  earlier: readonly RevisionView[],
  servingCopies: number | null,
  goal: number | null = null,
): ActionQuestion {
  const { claim, contact, now } = dated;
  const { desired } = claim;
  const serverNow = serverNowOf(contact, now);
  const served = provenServing(dated, claimView);
  const serving = served === null ? null : { revision: served, agoMs: claimView.ageMs ?? 0 };
  const isNothing = nothingServesNow(contact, claim, now) !== null;
  const unseen = unseenOf(dated);
  const base = {
    action,
    yes: isOffLists ? OFF_LISTS_LABEL : YES[action],
    ...confirmationOf(action, claim, serving, null, isNothing, unseen),
  };
  switch (action) {
    case 'rollback': {
      // The page holds only the newest revisions: without one to choose, the server chooses.
      if (earlier.length === 0) return base;
      const newestFirst = [...earlier].sort((a, b) => b.revision - a.revision);
      const choices = newestFirst.map((one) => {
        const { title, text } = confirmationOf(action, claim, serving, one.revision);
        return {
          value: String(one.revision),
          label: describeRevision(one, serverNow),
          yes: `${YES[action]} to r${one.revision}`,
          title,
          text,
        };
      });
      const detail = (value: string) => {
        const goal = earlier.find(({ revision }) => String(revision) === value);
        const copies = goal === undefined ? null : copiesAfter(outlookOf(claim, goal, served, servingCopies));
        return (
          <RollbackChanges
            service={claim.service}
            from={desired.revision}
            goal={Number(value)}
            copies={copies}
          />
        );
      };
      return {
        ...base,
        detail,
        choices,
        label: 'To revision',
        value: goal === null ? (choices[0]?.value ?? '') : String(goal),
      };
    }
    case 'scale':
      return {
        ...base,
        label: `Copies (${desired.replicas} wanted now)`,
        value: String(desired.replicas),
        isNumber: true,
      };
    case 'teardown':
      return forcible === null
        ? { ...base, isGrave: true }
        : { ...base, text: forcible, label: 'Reason', value: '', isForce: true, isGrave: true };
    default:
      return base;
  }
}

/** The reason why nobody sees from here what an action would meet; null: it is seen. */
export function unseenOf({ claim, contact, now }: DatedClaim): Unseen | null {
  const silentMs = silenceMs(contact, now);
  if (silentMs !== null) return { of: 'page', since: serverNowOf(contact, now) - silentMs };
  const target = targetOf(claim.service);
  // The claim may say so before the stream has spoken of any target.
  if (claim.cause?.code !== 'stale_runtime' && !isTargetSilent(contact, target, now)) return null;
  const heard = contact.fresh[target]?.asOf ?? claim.lastKnown?.at;
  return { of: 'target', since: heard === undefined ? null : Date.parse(heard) };
}

/** A revision in one line: kind, actor, commit, age. */
function describeRevision(one: RevisionView, now: number): string {
  const { revision, kind, git, createdAt } = one;
  const by = authorAndActor({ ...one, managedBy: one.provenance?.managedBy ?? null });
  const what = git === null ? [kind, by] : [kind, commit(git), by];
  return [`r${revision}`, ...what, longAgo(now - Date.parse(createdAt))].join(' · ');
}
