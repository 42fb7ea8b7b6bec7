import type { ActionAnswer } from '../../contract/answers/views.ts';
import { changesText } from '../../contract/presentation/changes.ts';
import { span } from '../../contract/presentation/times.ts';
import type { CliContext } from '../context.ts';
import { EXIT } from '../proof/exit-code.ts';

/** The effect of an action beside its progress: what it goes back to, what it changes, whose work it supersedes. */
export function effectLines({
  revision,
  rolledBackTo,
  changes = [],
  supersedes,
  claim,
}: ActionAnswer): string[] {
  const lines: string[] = [];
  if (rolledBackTo !== undefined) lines.push(`r${revision} goes back to r${rolledBackTo}.`);
  if (changes.length > 0 && revision > 1) lines.push(`r${revision} changes: ${changesText(changes)}.`);
  if (supersedes !== undefined) {
    const age = span(Date.parse(claim.now) - Date.parse(supersedes.since));
    lines.push(
      `It takes the place of r${supersedes.revision}, which ${supersedes.actor} started ${age} ago.`,
    );
  }
  return lines;
}

/** `--dry-run`: prints what would happen. Nothing did. */
export async function printDryRun(context: CliContext, acted: ActionAnswer, does: string): Promise<number> {
  const effect = effectLines(acted);
  const lines = effect.length === 0 ? ['Its configuration stays as it is.'] : effect;
  await context.print({ dryRun: true, ...acted }, () => [`${does} Nothing was done.`, ...lines].join('\n'));
  return EXIT.cameTrue;
}
