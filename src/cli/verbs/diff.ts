import type { WholeRevisionView } from '../../contract/answers/views.ts';
import { commit } from '../../contract/presentation/about.ts';
import { changeText } from '../../contract/presentation/changes.ts';
import { type ContextOptions, inContext } from '../context.ts';
import { EXIT } from '../proof/exit-code.ts';

/**
 * `evident diff SERVICE [A [B]]`: from revision A to B, or to the newest; without either, what the newest changed
 * against the one before.
 */
export function runDiff(
  ref: string,
  from: number | undefined,
  to: number | undefined,
  options: ContextOptions,
): Promise<void> {
  return inContext(options, ref, async ({ people, print, ...context }) => {
    const newest = to ?? (await people.revisions(ref, 1))[0]?.revision ?? 0;
    const revision = await people.wholeRevision(ref, newest, from ?? null);
    const before = revision.against === null ? null : await people.wholeRevision(ref, revision.against, null);
    await print.call(context, revision, () => diffText(before, revision));
    return EXIT.cameTrue;
  });
}

function diffText(before: WholeRevisionView | null, after: WholeRevisionView): string {
  const heading =
    before === null
      ? `r${after.revision} is the first with a configuration.`
      : `From r${before.revision} to r${after.revision}:`;
  const lines = after.changes.map((change) => `  ${changeText(change)}`);
  if (before !== null && before.artifact !== after.artifact)
    lines.unshift(`  artifact ${before.artifact ?? 'none'} → ${after.artifact ?? 'none yet'}`);
  const [old, now] = [before?.git ?? null, after.git];
  if (now !== null && old?.sha !== now.sha)
    lines.unshift(`  commit ${old === null ? 'none' : commit(old)} → ${commit(now)}`);
  if (lines.length > 0) return [heading, ...lines].join('\n');
  // Another tool keeps what such a revision declares; of that we know the template's hash alone.
  return after.kind === 'observed'
    ? `${heading} another template. What changed in it is known to the tool that deploys it.`
    : `${heading} nothing changes.`;
}
