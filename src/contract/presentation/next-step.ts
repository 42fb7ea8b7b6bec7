import type { Claim } from '../claim.ts';
import type { Button } from './buttons.ts';

/** The one thing that a page offers first; null where there is nothing to press, or nothing to be done. */
export type NextStep =
  | { readonly kind: 'action'; readonly button: Button }
  /** Whoever may look at targets sees there what is wrong. */
  | { readonly kind: 'look_at_target' };

/** Causes that only its target settles. */
const OF_TARGET: ReadonlySet<string> = new Set([
  'start_agent',
  'restart_agent',
  'grant_access',
  'check_runtime',
  'confirm_target',
]);

/**
 * Chooses the one safe step that can be pressed. The claim names the move; where that is to correct and deploy, which no
 * button does, going back to what has served comes first, then another try that may end otherwise. What is in progress or
 * as it should be has none: nobody is asked to interfere. Pure.
 */
export function nextStepOf(
  { next, outcome }: Pick<Claim, 'next' | 'outcome'>,
  buttons: readonly Button[],
  maySeeTargets: boolean,
): NextStep | null {
  const pressable = (action: string | null) =>
    buttons.find((button) => button.action === action && button.whyNot === null);
  const step = (button: Button | undefined): NextStep | null =>
    button === undefined ? null : { kind: 'action', button };
  if (next.action !== null && OF_TARGET.has(next.action))
    return maySeeTargets ? { kind: 'look_at_target' } : null;
  if (next.owner !== 'user' || next.action === null) return null;
  const named = pressable(next.action);
  if (named !== undefined) return step(named);
  if (outcome === 'in_progress') return null;
  const retry = next.retrySafe && next.retryHelps !== false ? pressable('retry') : undefined;
  return step(pressable('rollback') ?? retry);
}

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
  const byReason = new Map<string, string[]>();
  for (const { action, whyNot } of left)
    if (action !== 'cancel' || outcome === 'in_progress')
      byReason.set(whyNot ?? '', [...(byReason.get(whyNot ?? '') ?? []), labels[action]]);
  return [...byReason]
    .slice(0, MOST_LINES)
    .map(([why, names]) => `${listed(names)} ${names.length === 1 ? 'is' : 'are'} not possible now: ${why}.`);
}

const listed = (names: readonly string[]) =>
  names
    .map((name, i) => (i === 0 ? name : name.toLowerCase()))
    .join(', ')
    .replace(/, ([^,]+)$/, ' and $1');
