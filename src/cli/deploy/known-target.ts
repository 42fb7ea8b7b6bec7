import type { TargetView } from '../../contract/answers/views.ts';
import { targetOf } from '../../contract/names.ts';
import { similarName } from '../../contract/presentation/similar-name.ts';
import { UsageError } from '../print-problem.ts';

/**
 * Refuses a target that the server has never heard of: a slip of the keyboard would wait for ever for an agent that
 * nobody starts. Where no target is known, there is nothing to mistake it for. The API takes any target, for programs
 * that deploy before their agent is there.
 */
export function checkTarget(ref: string, targets: readonly TargetView[]): void {
  const target = targetOf(ref);
  const names = targets.map((one) => one.target);
  if (names.length === 0 || names.includes(target)) return;
  const meant = similarName(target, names);
  const hint = meant === null ? `There is ${list(names)}.` : `Did you mean ${meant}?`;
  throw new UsageError(`No target “${target}”. ${hint} To deploy there before its agent runs: --new-target`);
}

const SHOWN = 8;

function list(names: readonly string[]): string {
  const shown = names.slice(0, SHOWN).join(', ');
  return names.length > SHOWN ? `${shown} and ${names.length - SHOWN} more` : shown;
}
