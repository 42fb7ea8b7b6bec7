import type { ActionName } from '../actions.ts';
import { ASKS } from '../asks.ts';
import type { Claim } from '../claim.ts';
import { DEFAULT_TARGET, nameOf, targetOf } from '../names.ts';
import type { Button } from './buttons.ts';
import { listed } from './lead.ts';

/** The one thing that a page offers first; null where there is nothing to press, or nothing to be done. */
export type NextStep =
  | { readonly kind: 'action'; readonly button: Button }
  /** Whoever may look at targets sees there what is wrong. */
  | { readonly kind: 'look_at_target' }
  /** To correct it and deploy, which no button does: the line to type in the folder of the app. */
  | { readonly kind: 'deploy'; readonly command: string };

/** Causes that only its target settles. */
const OF_TARGET: ReadonlySet<string> = new Set([
  'start_agent',
  'restart_agent',
  'grant_access',
  'check_runtime',
  'confirm_target',
]);

/**
 * Chooses the one safe step, which is what the sentence above it names (`leadOf`). Where that is to correct and deploy, which
 * no button does, going back comes first while nothing serves, and is named first; while another revision serves nobody is
 * in a hurry, and the step is the line to type. What is in progress or as it should be has none: nobody is asked to
 * interfere. Rejected: a retry of what has to be corrected, which is loud and fails again. Pure.
 */
export function nextStepOf(
  { service, next, outcome }: Pick<Claim, 'service' | 'next' | 'outcome'>,
  buttons: readonly Button[],
  maySeeTargets: boolean,
  isOtherServing: boolean,
): NextStep | null {
  const pressable = (action: string | null): NextStep | null => {
    const button = buttons.find((one) => one.action === action && one.whyNot === null);
    return button === undefined ? null : { kind: 'action', button };
  };
  if (next.action !== null && OF_TARGET.has(next.action))
    return maySeeTargets ? { kind: 'look_at_target' } : null;
  if (next.owner !== 'user' || next.action === null) return null;
  const named = pressable(next.action);
  if (named !== null) return named;
  if (outcome === 'in_progress') return null;
  const back = isOtherServing ? null : pressable('rollback');
  if (back !== null) return back;
  if (next.action === 'deploy') return { kind: 'deploy', command: deployLine(service) };
  return next.retrySafe && next.retryHelps !== false && THEN_RETRY.test(ASKS[next.action as ActionName])
    ? pressable('retry')
    : null;
}

/** Moves that end with a retry, as their words say. */
const THEN_RETRY = /\bretry$/;

/** The line that deploys a service again, typed in the folder of its app. The default target needs no name. */
const deployLine = (service: string): string =>
  `evident deploy --service ${targetOf(service) === DEFAULT_TARGET ? nameOf(service) : service}`;

/** More reasons than this are not read. */
const MOST_LINES = 2;

/**
 * The reasons why actions that somebody may look for cannot be requested now, one sentence each. What has succeeded needs no
 * retry, and what has ended no cancel: nobody looks for these, and nothing is said of them.
 */
export function impossibleLines(
  { outcome }: Pick<Claim, 'outcome'>,
  buttons: readonly Button[],
  labels: Readonly<Record<Button['action'], string>>,
): readonly string[] {
  const left = buttons.filter(({ whyNot, forcible }) => whyNot !== null && forcible === null);
  const [only] = left;
  if (left.length === buttons.length && left.every(({ whyNot }) => whyNot === only?.whyNot))
    return only === undefined ? [] : [`Nothing can be requested here: ${only.whyNot}.`];
  if (outcome === 'succeeded') return [];
  // Another tool manages it: said once, whatever each action adds.
  const elsewhere = buttons.some(({ isOffLists }) => isOffLists)
    ? left.find(({ action }) => action === 'restart')
    : undefined;
  if (elsewhere !== undefined) return [`Nothing can be requested here: ${elsewhere.whyNot}.`];
  const byReason = new Map<string, string[]>();
  for (const { action, whyNot } of left)
    if (action !== 'cancel' || outcome === 'in_progress')
      byReason.set(whyNot ?? '', [...(byReason.get(whyNot ?? '') ?? []), labels[action]]);
  return [...byReason]
    .slice(0, MOST_LINES)
    .map(
      ([why, names]) =>
        `${listed(names.map((name, i) => (i === 0 ? name : name.toLowerCase())))} ${names.length === 1 ? 'is' : 'are'} not possible now: ${why}.`,
    );
}
