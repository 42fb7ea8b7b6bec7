import type { Claim } from '../claim.ts';
import type { Button } from './buttons.ts';

/** The one thing that a page offers first; null where there is nothing to press, or nothing to be done. */
type NextStep =
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

/**
 * Why the actions that nobody can request now are left out, in one line; null where all can be, and of what has
 * succeeded, of which nobody wants to try again or cancel anything.
 */
export function impossibleLine(
  { outcome }: Pick<Claim, 'outcome'>,
  buttons: readonly Button[],
  labels: Readonly<Record<Button['action'], string>>,
): string | null {
  const left = buttons.filter(({ whyNot, forcible }) => whyNot !== null && forcible === null);
  const [only] = left;
  if (left.length === buttons.length && left.every(({ whyNot }) => whyNot === only?.whyNot))
    return only === undefined ? null : `Nothing can be requested here: ${only.whyNot}.`;
  if (outcome === 'succeeded') return null;
  const byReason = new Map<string, string[]>();
  for (const { action, whyNot } of left)
    byReason.set(whyNot ?? '', [...(byReason.get(whyNot ?? '') ?? []), labels[action]]);
  const lines = [...byReason].map(([why, names]) => `${listed(names)}: ${why}.`);
  return lines.length === 0 ? null : `Not now: ${lines.join(' ')}`;
}

const listed = (names: readonly string[]) =>
  names.map((name, i) => (i === 0 ? name : name.toLowerCase())).join(', ');
