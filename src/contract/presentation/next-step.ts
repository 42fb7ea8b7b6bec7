import type { Claim } from '../claim.ts';
import { DEFAULT_TARGET, nameOf, targetOf } from '../names.ts';
import type { Button } from './buttons.ts';

/** The one thing that a page offers first; null where there is nothing to press, or nothing to be done. */
export type NextStep =
  | { readonly kind: 'action'; readonly button: Button }
  /** Whoever may look at targets sees there what is wrong. */
  | { readonly kind: 'look_at_target' }
  /** To correct it and deploy, which no button does: the line to type in the folder of the app. */
  | { readonly kind: 'deploy'; readonly command: string };

/** Causes of an app that ends by itself. Its runtime starts it again and again: another try does what goes on already. */
const ENDS_AGAIN: ReadonlySet<string> = new Set(['crash_loop', 'exited', 'signalled']);

/** Causes that only its target settles. */
const OF_TARGET: ReadonlySet<string> = new Set([
  'start_agent',
  'restart_agent',
  'grant_access',
  'check_runtime',
  'confirm_target',
]);

/**
 * Chooses the one safe step. The claim names the move; where that is to correct and deploy, which no button does, going
 * back to what has served comes first, then another try that may end otherwise, then the line to type. What is in progress
 * or as it should be has none: nobody is asked to interfere. Pure.
 */
export function nextStepOf(
  { service, next, outcome, cause }: Pick<Claim, 'service' | 'next' | 'outcome' | 'cause'>,
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
  const mayHelp = next.retrySafe && next.retryHelps !== false && !ENDS_AGAIN.has(cause?.code ?? '');
  const button = pressable('rollback') ?? (mayHelp ? pressable('retry') : undefined);
  return button === undefined && next.action === 'deploy'
    ? { kind: 'deploy', command: deployLine(service) }
    : step(button);
}

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
